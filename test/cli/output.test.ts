import { describe, expect, it } from "vitest";
import { describeError, Output } from "../../cli/output.ts";
import { SpeechError } from "../../lib/errors.ts";
import { MemoryStream } from "../helpers/memory-stream.ts";

function output(options: { json?: boolean; debug?: boolean } = {}) {
  const stdout = new MemoryStream();
  const stderr = new MemoryStream();
  return { stdout, stderr, output: new Output({ stdout, stderr, json: false, nowMs: () => 0, ...options }) };
}

describe("Output", () => {
  it("writes lines to stdout and notes to stderr", () => {
    const { stdout, stderr, output: out } = output();
    out.line("result");
    out.note("aside");
    out.result({ ignored: true });
    expect(stdout.text).toBe("result\n");
    expect(stderr.text).toBe("aside\n");
  });

  it("writes one object and nothing else to stdout with --json", () => {
    const { stdout, output: out } = output({ json: true });
    out.line("for people");
    out.result({ firstAudioMs: 12 });
    expect(JSON.parse(stdout.text)).toEqual({ firstAudioMs: 12 });
  });

  it("tells an error in one line on stderr", () => {
    const { stdout, stderr, output: out } = output();
    out.error(new SpeechError("CONFIGURATION", "port 8080 is taken;\n  choose another with --port"));
    expect(stdout.text).toBe("");
    expect(stderr.text).toBe("error: port 8080 is taken; choose another with --port\n");
  });

  it("tells an error as an object on stdout with --json", () => {
    const { stdout, stderr, output: out } = output({ json: true });
    out.error(new SpeechError("UNKNOWN_VOICE", "no such voice", { details: { nearest: ["af_heart"] } }));
    expect(stderr.text).toBe("");
    expect(JSON.parse(stdout.text)).toEqual({
      error: {
        code: "UNKNOWN_VOICE",
        message: "no such voice",
        retryable: false,
        details: { nearest: ["af_heart"] },
      },
    });
  });

  it("keeps the words of an unknown error to itself, unless debugging", () => {
    const secret = new TypeError("the prompt was: tell me a secret");
    expect(describeError(secret).message).not.toContain("secret");
    expect(describeError(secret)).toMatchObject({ code: "INTERNAL" });
    const { stderr, output: out } = output({ debug: true });
    out.error(new SpeechError("INTERNAL", "outer", { cause: secret }));
    expect(stderr.text).toContain("caused by: TypeError");
  });

  it("keeps tables between 60 and 100 columns", () => {
    const width = (columns?: number) =>
      new Output({
        stdout: new MemoryStream(columns === undefined ? {} : { columns }),
        stderr: new MemoryStream(),
        json: false,
      }).columns;
    expect([width(), width(20), width(90), width(300)]).toEqual([80, 60, 90, 100]);
  });
});
