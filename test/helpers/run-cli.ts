/**
 * A command as a user runs it: a real process of bin/*.ts. The exit code comes first in every assertion, then
 * stdout; nothing is mocked.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface CliResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly stdin?: string | Uint8Array;
  /** On top of this process's own; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export type Program = "speech-infra" | "agent-infra";

/** No account, no profile, and no instance metadata of the machine that runs the tests. */
const NO_AWS = {
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_SESSION_TOKEN: undefined,
  AWS_PROFILE: undefined,
  AWS_REGION: undefined,
  AWS_DEFAULT_REGION: undefined,
  AWS_CONFIG_FILE: "/nonexistent",
  AWS_SHARED_CREDENTIALS_FILE: "/nonexistent",
  AWS_EC2_METADATA_DISABLED: "true",
};

const running = new Set<ChildProcess>();

/** For afterEach: a test that failed half-way must not leave a server running. */
export function killCommands(): void {
  for (const child of running) child.kill("SIGKILL");
}

export class RunningCli {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  readonly ended: Promise<CliResult>;

  constructor(program: Program, args: readonly string[], { stdin, env, cwd }: CliOptions = {}) {
    const file = fileURLToPath(new URL(`../../bin/${program}.ts`, import.meta.url));
    this.child = spawn(process.execPath, [file, ...args], {
      env: { ...process.env, ...NO_AWS, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      ...(cwd !== undefined && { cwd }),
    });
    this.child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    // A command that refuses its arguments does not wait for its input.
    this.child.stdin!.on("error", () => {});
    this.child.stdin!.end(stdin ?? "");
    running.add(this.child);
    this.ended = new Promise((resolve) => {
      this.child.on("close", (exitCode) => resolve({ exitCode, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  /** Resolves when stdout holds the text. @throws when the command ends before. */
  async untilPrinted(text: string): Promise<void> {
    const seen = Promise.withResolvers<void>();
    const look = () => this.stdout.includes(text) && seen.resolve();
    this.child.stdout!.on("data", look);
    look();
    const early = this.ended.then(({ exitCode, stderr }) => {
      throw new Error(`the command ended with ${exitCode} before it printed "${text}": ${stderr}`);
    });
    await Promise.race([seen.promise, early]);
  }
}

export function runCli(program: Program, args: readonly string[], options?: CliOptions): Promise<CliResult> {
  return new RunningCli(program, args, options).ended;
}
