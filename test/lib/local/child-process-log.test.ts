import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LogTail, parseLogLine, type ServiceLog } from "../../../lib/local/child-process-log.ts";

async function read(...chunks: (string | Uint8Array)[]): Promise<{ tail: LogTail; lines: ServiceLog[] }> {
  const tail = new LogTail();
  const lines: ServiceLog[] = [];
  const stream = new PassThrough();
  tail.read(stream, (line) => lines.push(line));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.on("end", resolve));
  return { tail, lines };
}

describe("LogTail", () => {
  it("reads the same lines however they are cut", async () => {
    const bytes = Buffer.from(
      '{"event":"listening","port":1}\n\n{"level":"error","message":"Übel 🐋"}\nlast words',
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), fc.nat(bytes.length), async (a, b) => {
        const [first, second] = [Math.min(a, b), Math.max(a, b)];
        const { lines } = await read(
          bytes.subarray(0, first),
          bytes.subarray(first, second),
          bytes.subarray(second),
        );
        expect(lines).toEqual([
          { event: "listening", port: 1 },
          { level: "error", message: "Übel 🐋" },
          { level: "info", text: "last words" },
        ]);
      }),
    );
  });

  it("cuts a line that never ends", async () => {
    const { lines } = await read(...Array.from({ length: 100 }, () => "x".repeat(1_000)));
    expect(lines).toHaveLength(1);
    expect(String(lines[0]!.text).length).toBeLessThanOrEqual(2_000);
  });

  it.each([
    ['{"level":"error","event":"failed","code":"CONFIGURATION","message":"wrong"}', "CONFIGURATION", "wrong"],
    [
      '{"level":"error","event":"start_failed","error":{"code":"NOT_FOUND","message":"none"}}',
      "NOT_FOUND",
      "none",
    ],
    ['{"level":"error","event":"start_failed"}', undefined, "start_failed"],
    ['{"level":"error","code":"ENOENT","message":"gone"}', undefined, "gone"],
    ["TypeError: boom\n    at file:1:1\n\nNode.js v24", undefined, "TypeError: boom"],
  ])("makes a sentence of %s", async (text, code, message) => {
    expect((await read(text)).tail.lastError()).toEqual({ code, message });
  });

  it("has no error where none was logged", async () => {
    expect((await read('{"level":"info","event":"listening"}')).tail.lastError()).toBeUndefined();
  });

  it.each(["EADDRINUSE", "EACCES", "EADDRNOTAVAIL"])("knows that it could not listen: %s", async (code) => {
    expect((await read(`{"level":"error","system_code":"${code}"}`)).tail.listenFailure()).toBe(code);
    expect((await read(`Error: listen ${code}: 127.0.0.1:80`)).tail.listenFailure()).toBe(code);
  });
});

describe("parseLogLine", () => {
  it.each(["[1]", "null", "7", "{"])("takes %s as words", (text) => {
    expect(parseLogLine(text)).toEqual({ level: "info", text });
  });
});
