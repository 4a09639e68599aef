/**
 * Runs one command line program: builds it, turns signals into an AbortSignal, waits until the command has tidied
 * up, and ends the process. The only process.exit of the command line tools, so that nothing else can skip the
 * tidying. Exit codes: 0 done, 1 failed (try again may help), 2 wrong input or set-up, 130 stopped by a signal; a
 * command may have others of its own (ExitWith).
 */
import type { Readable } from "node:stream";
import { type Command, CommanderError } from "commander";
import { readCliSettings } from "../lib/config/cli-settings.ts";
import { type Environment, processEnvironment } from "../lib/config/environment.ts";
import { PRODUCT_VERSION } from "../lib/config/product.ts";
import { disableTelemetry } from "../lib/config/telemetry.ts";
import { untranslated } from "../lib/deploy/aws-failure.ts";
import { isSpeechError, SpeechError } from "../lib/errors.ts";
import { ExitWith } from "./exit-with.ts";
import { Output } from "./output.ts";

export type StdinStream = Readable & { readonly isTTY?: boolean | undefined };

export interface CliContext {
  readonly output: Output;
  /** Aborted by Ctrl-C, SIGTERM, SIGHUP, and when nobody reads stdout any more. */
  readonly signal: AbortSignal;
  readonly env: Environment;
  readonly stdin: StdinStream;
}

export type BuildProgram = (context: CliContext) => Command;

const INTERRUPTED_EXIT_CODE = 130;
/** What a shell reports for a program that SIGPIPE ended: `say ... | head` is no failure worth a message. */
const BROKEN_PIPE_EXIT_CODE = 141;
/** After a signal everything started has this long to stop; it is bounded inside, this is the last resort. */
const TIDY_UP_LIMIT_MS = 15_000;

/** Never returns. */
export async function run(build: BuildProgram, argv: readonly string[] = process.argv): Promise<never> {
  disableTelemetry();
  const env = processEnvironment();
  const settings = readCliSettings(env);
  const interruption = new AbortController();
  let interruptedCode: number | undefined;
  const interrupt = (exitCode: number) => {
    if (interruptedCode !== undefined) return process.exit(interruptedCode);
    interruptedCode = exitCode;
    interruption.abort(new DOMException("interrupted", "AbortError"));
    setTimeout(() => process.exit(exitCode), TIDY_UP_LIMIT_MS).unref();
  };
  const output = new Output({
    stdout: process.stdout,
    stderr: process.stderr,
    json: asksForJson(argv),
    plain: settings.plainTerminal,
    debug: settings.debug,
    onBrokenPipe: () => {
      if (interruptedCode === undefined) interrupt(BROKEN_PIPE_EXIT_CODE);
    },
  });
  // A second Ctrl-C ends at once; what was started notices that this process is gone and ends too.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (interruptedCode === undefined) output.note("Stopping ...");
      interrupt(INTERRUPTED_EXIT_CODE);
    });
  }
  const exitCode = await execute(build, argv, {
    output,
    signal: interruption.signal,
    env,
    stdin: process.stdin,
  });
  await output.flush();
  process.exit(interruptedCode ?? exitCode);
}

/** Without the process around it, so that a test can run a program inside itself. */
export async function execute(
  build: BuildProgram,
  argv: readonly string[],
  context: CliContext,
): Promise<number> {
  const { output, signal } = context;
  const program = build(context);
  program.version(PRODUCT_VERSION, "-V, --version", "print the version");
  prepare(program, output);
  try {
    await program.parseAsync(argv as string[]);
    return 0;
  } catch (error) {
    if (signal.aborted) return INTERRUPTED_EXIT_CODE;
    if (error instanceof ExitWith) return error.exitCode;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      // No command at all: help has been written, and that is the whole message.
      if (error.code === "commander.help") return 2;
      output.error(usageError(error, program, argv));
      return 2;
    }
    const told = untranslated(error);
    output.error(told);
    return isSpeechError(told) ? told.exitCode : 1;
  } finally {
    output.clearStatus();
  }
}

/** Known before parsing, so that a wrong flag beside --json is told as JSON too. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(2, end === -1 ? undefined : end).includes("--json");
}

/** commander throws instead of exiting and writes through `output` alone, in every command. */
function prepare(command: Command, output: Output): void {
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ helpWidth: output.columns, showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => output.text(text),
      writeErr: (text) => output.note(text.trimEnd()),
      outputError: () => {}, // told by execute(), once and in our form
    });
  for (const sub of command.commands) prepare(sub, output);
}

/** "unknown option --voce (did you mean --voice?); see agent-infra demo --help" */
function usageError(error: CommanderError, program: Command, argv: readonly string[]): SpeechError {
  const named = program.commands.find((command) => argv.slice(2).includes(command.name()));
  const help = [program.name(), named?.name(), "--help"].filter(Boolean).join(" ");
  const what = error.message
    .replace(/^error: /, "")
    .replace(/\s*\n\(Did you mean (.*?)\?\)/, " (did you mean $1?)")
    .replace(/'/g, "")
    .replace(/\.$/, "");
  return new SpeechError("CONFIGURATION", `${what}; see ${help}`, { cause: error });
}
