/**
 * A process that answers one question after the other, each a line or a message of JSON: our engine over Node's own channel, a
 * Python peer over its standard streams. It says so when it is ready; what it writes to stderr is kept for its end.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { SpeechError } from "../errors.ts";
import type { PythonEnvironment } from "./python-environment.ts";

const STDERR_MAX_CHARS = 2_000;

export class BenchProcess {
  readonly #child: ChildProcess;
  readonly #send: (question: object) => void;
  readonly #name: string;
  #waiting: { resolve(answer: unknown): void; reject(error: unknown): void } | undefined;
  #failure: unknown;
  #stderr = "";

  private constructor(name: string, child: ChildProcess, send: (question: object) => void) {
    this.#name = name;
    this.#child = child;
    this.#send = send;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_MAX_CHARS);
    });
    child.once("error", (error) => this.#fail(error));
    child.once("close", (code) => this.#fail(new Error(`ended with code ${code}: ${this.#stderr.trim()}`)));
  }

  /** @throws {SpeechError} SYNTHESIS_FAILED when it ends before it is ready; else the signal's reason. */
  static async fork(name: string, module: URL, args: readonly string[], signal: AbortSignal) {
    // Not the guard that this process may run under (lib/local/child-process-guard.ts): it lets go of the channel, which is
    // all that keeps a process open that only answers. Without its parent it ends by itself.
    const child = fork(module, args, { execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"], signal });
    const started = new BenchProcess(name, child, (question) => child.send(question));
    child.on("message", (answer) => started.#answer(answer));
    await started.#next();
    return started;
  }

  /** @throws as `fork` */
  static async python(name: string, python: PythonEnvironment, args: readonly string[], signal: AbortSignal) {
    const { command, env } = python;
    const child = spawn(command, args, { env, signal, stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.on("error", () => {}); // `close` tells
    const started = new BenchProcess(name, child, (question) => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
    });
    createInterface({ input: child.stdout }).on("line", (line) => started.#answer(JSON.parse(line)));
    await started.#next();
    return started;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** One at a time. @throws {SpeechError} SYNTHESIS_FAILED when the process ends meanwhile. */
  ask<Answer>(question: object): Promise<Answer> {
    const answer = this.#next<Answer>();
    if (this.#failure === undefined) this.#send(question);
    return answer;
  }

  /** Resolves when it has ended. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.kill("SIGKILL"); // it holds nothing that would have to be put away
    await ended;
  }

  #next<Answer>(): Promise<Answer> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#failure !== undefined) reject(this.#failure);
      else this.#waiting = { resolve, reject };
    }) as Promise<Answer>;
  }

  #answer(answer: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }

  #fail(cause: unknown): void {
    const isAbort = cause instanceof Error && cause.name === "AbortError";
    this.#failure ??= isAbort
      ? cause
      : new SpeechError("SYNTHESIS_FAILED", `${this.#name} could not be measured: its process failed`, {
          cause,
        });
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
  }
}
