import { Readable } from "node:stream";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { agentInfra } from "../../cli/agent-infra/program.ts";
import { Output } from "../../cli/output.ts";
import { asksForJson, type BuildProgram, execute } from "../../cli/run.ts";
import { speechInfra } from "../../cli/speech-infra/program.ts";
import { SpeechError } from "../../lib/errors.ts";
import { MemoryStream } from "../helpers/memory-stream.ts";

async function run(build: BuildProgram, args: readonly string[], signal = new AbortController().signal) {
  const stdout = new MemoryStream();
  const stderr = new MemoryStream();
  const argv = ["node", "program", ...args];
  const output = new Output({ stdout, stderr, json: asksForJson(argv) });
  const exitCode = await execute(build, argv, { output, signal, env: {}, stdin: Readable.from([]) });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

const failing =
  (error: unknown): BuildProgram =>
  () =>
    new Command("program").addCommand(
      new Command("fail").option("--json").action(() => {
        throw error;
      }),
    );

describe("execute", () => {
  it.each([
    [speechInfra, ["voices"]],
    [speechInfra, ["--help"]],
    [speechInfra, ["--version"]],
    [speechInfra, ["say", "--help"]],
    [agentInfra, ["demo", "--help"]],
    [agentInfra, ["help", "serve"]],
  ])("ends %o %j with 0", async (program, args) => {
    const { exitCode, stdout, stderr } = await run(program, args);
    expect(exitCode).toBe(0);
    expect(stdout).not.toBe("");
    expect(stderr).toBe("");
  });

  it("shows help on stderr where no command is given", async () => {
    const { exitCode, stdout, stderr } = await run(speechInfra, []);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^Usage: speech-infra/);
  });

  it.each([
    [speechInfra, ["sya"], /^error: unknown command sya \(did you mean say\?\); see speech-infra --help\n$/],
    [
      speechInfra,
      ["say", "x", "--voce", "y"],
      /--voce \(did you mean --voice\?\); see speech-infra say --help/,
    ],
    [speechInfra, ["say", "x", "--voice"], /--voice <name> argument missing; see speech-infra say --help/],
    [agentInfra, ["demo", "more"], /too many arguments .*; see agent-infra demo --help/],
    [
      agentInfra,
      ["demo", "--endpoint-url", "http://a", "--first-token-ms", "1"],
      /cannot be used with option/,
    ],
    [agentInfra, ["serve", "--port", "70000"], /--port must be a whole number from 0 to 65535, got "70000"/],
  ])("fails with 2 and one sentence on %o %j", async (program, args, message) => {
    const { exitCode, stdout, stderr } = await run(program, args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd()).not.toContain("\n");
  });

  it("tells wrong flags as JSON beside --json", async () => {
    const { exitCode, stdout, stderr } = await run(agentInfra, ["demo", "--json", "--rnus", "3"]);
    expect(exitCode).toBe(2);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout).error).toMatchObject({ code: "CONFIGURATION", message: /--runs/ });
  });

  it.each([
    [new SpeechError("CONFIGURATION", "x"), 2],
    [new SpeechError("WEIGHTS_UNAVAILABLE", "x"), 2],
    [new SpeechError("TRANSPORT_FAILED", "x"), 1],
    [new TypeError("x"), 1],
  ])("gives %o its exit code", async (error, exitCode) => {
    expect((await run(failing(error), ["fail"])).exitCode).toBe(exitCode);
  });

  it("says nothing of errors that follow from being stopped", async () => {
    const stopped = AbortSignal.abort(new DOMException("interrupted", "AbortError"));
    expect(await run(failing(new Error("socket hang up")), ["fail"], stopped)).toEqual({
      exitCode: 130,
      stdout: "",
      stderr: "",
    });
  });

  it("has an example in the help of every command", async () => {
    for (const build of [speechInfra, agentInfra]) {
      const { stdout } = await run(build, ["--help"]);
      const names = [...stdout.matchAll(/^ {2}(\w+) \[/gm)]
        .map((match) => match[1]!)
        .filter((n) => n !== "help");
      expect(names.length).toBeGreaterThan(1);
      for (const name of names) expect((await run(build, [name, "--help"])).stdout).toMatch(/Examples:/);
    }
  });
});

describe("asksForJson", () => {
  it("reads flags, not what comes after --", () => {
    expect(asksForJson(["node", "x", "say", "--json"])).toBe(true);
    expect(asksForJson(["node", "x", "say", "--", "--json"])).toBe(false);
    expect(asksForJson(["--json", "x", "say"])).toBe(false);
  });
});
