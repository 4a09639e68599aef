/** Runs pip or npm and waits for it. Their output is kept for the cause of an error, never shown as it is. */
import { spawn } from "node:child_process";

export class CommandError extends Error {
  /** The program is not installed. */
  readonly isMissing: boolean;
  constructor(message: string, isMissing: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = "CommandError";
    this.isMissing = isMissing;
  }
}

const OUTPUT_MAX_CHARS = 4_000;

/** @throws {CommandError} when it cannot be started or ends with a code other than 0; else the signal's reason. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly signal: AbortSignal;
    /** Whole; by default this process's own. */
    readonly env?: Readonly<Record<string, string | undefined>>;
  },
): Promise<void> {
  const { cwd, signal, env } = options;
  signal.throwIfAborted();
  const label = `${program} ${args.slice(0, 3).join(" ")}`;
  let output = "";
  const child = spawn(program, args, {
    cwd,
    signal,
    ...(env && { env }),
    stdio: ["ignore", "pipe", "pipe"],
    // npm is a .cmd file there, which only a shell can start; the arguments are our own constants and paths.
    shell: process.platform === "win32",
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-OUTPUT_MAX_CHARS);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      if (signal.aborted) reject(signal.reason);
      else reject(new CommandError(`${program} cannot be started`, error.code === "ENOENT", error));
    });
    child.once("close", resolve);
  });
  signal.throwIfAborted();
  if (code !== 0) throw new CommandError(`\`${label}\` ended with code ${code}`, false, new Error(output));
}
