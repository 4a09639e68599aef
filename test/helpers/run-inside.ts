/** A command inside this process: its program is loaded once for all tests of a file. Environment: vi.stubEnv. */
import { Readable } from "node:stream";
import { agentInfra } from "../../cli/agent-infra/program.ts";
import { Output } from "../../cli/output.ts";
import { asksForJson, execute, type StdinStream } from "../../cli/run.ts";
import { speechInfra } from "../../cli/speech-infra/program.ts";
import { MemoryStream } from "./memory-stream.ts";
import type { CliResult, Program } from "./run-cli.ts";

const PROGRAMS = { "speech-infra": speechInfra, "agent-infra": agentInfra };

export interface InsideOptions {
  /** What is typed, at a terminal. */
  readonly typed?: string;
  readonly signal?: AbortSignal;
}

export async function runInside(
  program: Program,
  args: readonly string[],
  { typed, signal = new AbortController().signal }: InsideOptions = {},
): Promise<CliResult> {
  const stdout = new MemoryStream();
  const stderr = new MemoryStream();
  const argv = ["node", program, ...args];
  const output = new Output({ stdout, stderr, json: asksForJson(argv), plain: true });
  const stdin: StdinStream = Object.assign(Readable.from(typed === undefined ? [] : [`${typed}\n`]), {
    isTTY: typed !== undefined,
  });
  const exitCode = await execute(PROGRAMS[program], argv, { output, signal, env: process.env, stdin });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}
