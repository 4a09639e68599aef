/**
 * `agent-infra demo` and `serve` as a user runs them. The engine is a fake one, so no weights are needed: speech is
 * "deployed" behind the SageMaker stand-in, and the command starts the rest itself; or the agent runs already.
 */
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readWav } from "../../lib/audio/wav.ts";
import { reportSchema, summarySchema } from "../../lib/bench/report.ts";
import { LOCAL_CREDENTIALS, LOCAL_REGION } from "../../lib/config/names.ts";
import { Service } from "../../lib/local/child-process.ts";
import { type RunningStandIn, startSageMakerFrontDoor } from "../../lib/local/sagemaker-front-door.ts";
import { killCommands, RunningCli, runCli } from "../helpers/run-cli.ts";
import { isAlive } from "../helpers/service-scripts.ts";
import { startAgentSystem } from "./agent-system.ts";

const ENDPOINT = "my-endpoint";
let folder: string;
let out: string;
let tts: Service;
let frontDoor: RunningStandIn;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "demo-"));
  tts = new Service({
    title: "the TTS container",
    file: fileURLToPath(new URL("../helpers/fake-tts-container.ts", import.meta.url)),
    args: [JSON.stringify({ msPerAudioSecond: 30 })],
    env: { PATH: process.env.PATH },
  });
  const { host, port } = await tts.listening;
  frontDoor = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: 0,
    endpoints: { [ENDPOINT]: `http://${host}:${port}` },
    secretFor: (id) => (id === LOCAL_CREDENTIALS.accessKeyId ? LOCAL_CREDENTIALS.secretAccessKey : undefined),
  });
});
afterEach(killCommands);
afterAll(async () => {
  await frontDoor.close();
  await tts.stop();
  await rm(folder, { recursive: true });
});
let test = 0;
beforeEach(() => {
  out = join(folder, `out-${++test}`);
});

const env = () => ({
  SPEECH_ENDPOINT_URL: frontDoor.url,
  AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
  AWS_REGION: LOCAL_REGION,
});
const QUICK = ["--first-token-ms", "20", "--tokens-per-second", "200"];
const demo = (...args: string[]) =>
  new RunningCli("agent-infra", ["demo", "--speech-endpoint", ENDPOINT, ...QUICK, "--out", out, ...args], {
    env: env(),
  });

/** Processes that a command has started, by its id. */
function childrenOf(pid: number): number[] {
  const listing = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" });
  return listing
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child!)
    .filter((child) => isAlive(child));
}

async function expectNoneLeft(pids: number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
}

describe("agent-infra demo", () => {
  it("compares the modes, and writes what it found", async () => {
    const { exitCode, stdout, stderr } = await demo("--runs", "2").ended;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ +bidi +batch-stream +batch$/m);
    expect(stdout).toMatch(/^first audio \(s\) +\d+\.\d\d/m);
    expect(stdout).toMatch(/^bidi speaks \d+\.\d times sooner than batch$/m);
    expect(stdout).toContain(join(out, "bidi.wav"));
    expect(
      stdout.split("\n").filter((line) => line.length > 80 && !/Listen|Details|Measured/.test(line)),
    ).toEqual([]);
    expect(stderr.match(/^run \d of 2 .* first audio .* end /gm)).toHaveLength(6);
    expect(stdout + stderr).not.toContain("\u001b");

    expect((await readdir(out)).sort()).toEqual(["batch-stream.wav", "batch.wav", "bidi.wav", "report.json"]);
    const report = reportSchema.parse(JSON.parse(await readFile(join(out, "report.json"), "utf8")));
    for (const mode of ["bidi", "batch-stream", "batch"] as const) {
      const wav = readWav(await readFile(join(out, `${mode}.wav`)));
      expect(wav.pcm16.length / 48_000).toBeCloseTo(report.modes[mode]!.runs[0]!.audioSeconds, 3);
      expect(report.modes[mode]!.runs).toHaveLength(2);
      expect(report.modes[mode]!.runs[0]!.events.map(({ type }) => type)).toEqual(
        expect.arrayContaining([
          "agent_start",
          "text_delta",
          "audio_stream_start",
          "audio_chunk",
          "agent_end",
        ]),
      );
    }
    expect(JSON.stringify(report)).not.toContain(folder);
  });

  it("gives one object with --json, whose ratio can be computed again from its runs", async () => {
    const { exitCode, stdout } = await demo("--runs", "1", "--json").ended;
    expect(exitCode).toBe(0);
    const summary = summarySchema.parse(JSON.parse(stdout));
    const { bidi, batch } = summary.modes;
    expect(summary.bidiSpeedup).toBeCloseTo(batch!.firstAudioMs! / bidi!.firstAudioMs!, 2);
    expect(summary.bidiSpeedup).toBeGreaterThan(1);
    expect(summary.files.bidi).toBe(join(out, "bidi.wav"));
    expect(bidi!.runs[0]).toMatchObject({ firstAudioMs: bidi!.firstAudioMs, chunks: bidi!.chunks });
    expect(bidi!.audioSeconds).toBeCloseTo(batch!.audioSeconds, 0);
  });

  it("has no ratio with one mode, speaks what a file says, and takes what the endpoint is called", async () => {
    const answer = join(folder, "answer.txt");
    await writeFile(answer, "Only this is said.\n");
    const { exitCode, stdout } = await demo(
      "--modes",
      "bidi",
      "--runs",
      "1",
      "--json",
      "--answer-file",
      answer,
    ).ended;
    expect(exitCode).toBe(0);
    const summary = summarySchema.parse(JSON.parse(stdout));
    expect(summary.bidiSpeedup).toBeNull();
    expect(Object.keys(summary.modes)).toEqual(["bidi"]);
    expect(summary.modes.bidi!.audioSeconds).toBeLessThan(2);
    expect((await readdir(out)).sort()).toEqual(["bidi.wav", "report.json"]);
  });

  it("stops everything on Ctrl-C, with nothing left behind", async () => {
    const cli = demo();
    await expect.poll(() => cli.stderr, { timeout: 20_000 }).toContain("Asking the same prompt");
    const children = childrenOf(cli.child.pid!);
    expect(children).toHaveLength(2);
    cli.child.kill("SIGINT");
    const { exitCode, stdout, stderr } = await cli.ended;
    expect(exitCode).toBe(130);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/Stopping \.\.\.\n$/);
    await expectNoneLeft(children);
    expect(await readdir(out)).toEqual([]);
  });

  it("leaves no process behind when it is killed outright", async () => {
    const cli = demo();
    await expect.poll(() => childrenOf(cli.child.pid!), { timeout: 20_000, interval: 20 }).toHaveLength(2);
    const children = childrenOf(cli.child.pid!);
    cli.child.kill("SIGKILL");
    await cli.ended;
    await expectNoneLeft(children);
  });

  it("fails when a part that it started dies, with the reason", async () => {
    const cli = demo("--runs", "50");
    await expect.poll(() => cli.stderr, { timeout: 20_000 }).toContain("run 1 of 50");
    const children = childrenOf(cli.child.pid!);
    process.kill(children.at(-1)!, "SIGKILL");
    const { exitCode, stderr } = await cli.ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: the (agent|Bedrock stand-in) was ended by SIGKILL/m);
    await expectNoneLeft(children);
  });

  it("fails with 2, port and flag where a port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const { exitCode, stderr } = await demo("--bedrock-port", String(port)).ended;
    taken.close();
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      new RegExp(
        `^error: port ${port} is taken, the Bedrock stand-in .* choose another with --bedrock-port\n$`,
        "m",
      ),
    );
  });

  it("fails with 2 where the endpoint does not exist", async () => {
    const { exitCode, stdout } = await runCli(
      "agent-infra",
      ["demo", "--speech-endpoint", "nobody", ...QUICK, "--out", out, "--json"],
      { env: env() },
    );
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({ code: "NOT_FOUND" });
    expect(await readdir(out)).toEqual([]);
  });

  it.each([
    [["--endpoint-url", "http://127.0.0.1:2"], /nobody answers at --endpoint-url/],
    [["--endpoint-url", "not a url"], /the agent must be a URL/],
    [["--answer-file", "/nonexistent"], /cannot read \/nonexistent: no such file/],
    [["--bedrock-model-id", "some.model"], /give --region or set AWS_REGION/],
    [["--bedrock-model-id", "some.model", "--region", "us-east-1"], /no AWS credentials found/],
    [["--voice", "nobody"], /voice "nobody" is not known/],
    [["--out", "package.json/demo"], /cannot write package\.json\/demo: a part of its path is a file/],
  ])("fails with 2 and one sentence on %j", async (args, message) => {
    const { exitCode, stdout, stderr } = await runCli("agent-infra", ["demo", "--out", out, ...args]);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
  });
});

describe("agent-infra demo with an agent that already runs", () => {
  it("leaves it running on Ctrl-C, but stops the turn all the way to the language model", async () => {
    const system = await startAgentSystem({ bedrock: { tokensPerSecond: 5 } });
    try {
      const cli = new RunningCli("agent-infra", [
        ...["demo", "--endpoint-url", String(system.agentUrl), "--out", out],
      ]);
      await expect.poll(() => system.bedrock.stats().active, { timeout: 20_000 }).toBe(1);
      cli.child.kill("SIGINT");
      expect((await cli.ended).exitCode).toBe(130);
      await expect
        .poll(() => system.bedrock.stats())
        .toMatchObject({ active: 0, cancelled: 1, completed: 0 });
      expect((await fetch(new URL("/ping", system.agentUrl))).status).toBe(200);
    } finally {
      await system.stop();
    }
  });
});

describe("agent-infra serve", () => {
  it("runs until Ctrl-C; its example works, and the demo asks it", async () => {
    const args = ["serve", "--port", "0", "--speech-endpoint", ENDPOINT, ...QUICK];
    const cli = new RunningCli("agent-infra", args, { env: env() });
    await cli.untilPrinted("Ctrl-C stops it.");
    const children = childrenOf(cli.child.pid!);
    const url = /Ready: the agent on (http:\S+)/.exec(cli.stdout)![1]!;

    const example = /^ {2}(curl [\s\S]*?) \| cut/m.exec(cli.stdout)![1]!;
    const { stdout: events } = await promisify(execFile)("bash", ["-c", example], { maxBuffer: 1e8 });
    expect(events).toMatch(/^data: \{"type":"agent_start"/);
    expect(events).toMatch(/"type":"audio_chunk"/);
    expect(events.trimEnd()).toMatch(/data: \{"type":"agent_end"\}$/);

    const asked = await runCli("agent-infra", [
      ...["demo", "--endpoint-url", url, "--runs", "1", "--modes", "bidi,batch", "--out", out, "--json"],
    ]);
    expect(asked.exitCode).toBe(0);
    expect(summarySchema.parse(JSON.parse(asked.stdout)).modes.bidi!.chunks).toBeGreaterThan(0);

    cli.child.kill("SIGTERM");
    expect((await cli.ended).exitCode).toBe(130);
    await expectNoneLeft(children);
  });
});
