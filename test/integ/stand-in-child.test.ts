/** Each stand-in as a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const CHILD = fileURLToPath(new URL("../../lib/local/child.ts", import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function start(...args: string[]) {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
  children.push(child);
  let output = "";
  const first = Promise.withResolvers<Record<string, unknown>>();
  child.stdout!.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    if (output.includes("\n")) first.resolve(JSON.parse(output.split("\n")[0]!));
  });
  const ended = once(child, "exit").then(([code]) => code as number);
  return { child, first: first.promise, ended };
}

test.each(["front-door", "bedrock", "agentcore"])(
  "%s tells where it listens and ends on SIGTERM",
  async (kind) => {
    const { child, first, ended } = start(kind, "{}");
    const line = await first;
    expect(line).toMatchObject({
      level: "info",
      event: "listening",
      host: "127.0.0.1",
      port: expect.any(Number),
    });
    expect((await fetch(`http://127.0.0.1:${line.port}/none`)).status).toBe(404);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  },
);

test("it ends when its parent's channel is lost", async () => {
  const { child, first, ended } = start("front-door", "{}");
  await first;
  child.disconnect();
  expect(await ended).toBe(0);
});

test("bedrock answers from a file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bedrock-answer-"));
  try {
    const answerFile = join(folder, "answer.txt");
    writeFileSync(answerFile, "From the file.\n");
    const { first } = start(
      "bedrock",
      JSON.stringify({ answerFile, firstTokenMs: 0, tokensPerSecond: 1000 }),
    );
    const { port } = await first;
    const response = await fetch(`http://127.0.0.1:${port}/model/a.b/converse`, {
      method: "POST",
      body: JSON.stringify({ messages: [{ role: "user", content: [{ text: "hi" }] }] }),
    });
    expect(await response.json()).toMatchObject({
      output: { message: { content: [{ text: "From the file." }] } },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each<[string, string[], RegExp]>([
  ["an unknown kind", ["nothing", "{}"], /unknown stand-in/],
  ["options that are no JSON object", ["bedrock", "["], /JSON object/],
  ["a file that is not there", ["bedrock", '{"answerFile":"/nowhere/a.txt"}'], /cannot read the file/],
])("fails with exit code 2 for %s", async (_name, args, message) => {
  const { first, ended } = start(...args);
  expect(await first).toMatchObject({
    level: "error",
    code: "CONFIGURATION",
    message: expect.stringMatching(message),
  });
  expect(await ended).toBe(2);
});

test("fails with exit code 2 when the port is taken", async () => {
  const { first } = start("bedrock", "{}");
  const { port } = await first;
  const second = start("bedrock", JSON.stringify({ port }));
  expect(await second.first).toMatchObject({
    code: "CONFIGURATION",
    message: expect.stringContaining("EADDRINUSE"),
  });
  expect(await second.ended).toBe(2);
});
