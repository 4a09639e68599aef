/**
 * One service of the local system as a process of its own. It says on stdout, in JSON log lines, when it listens;
 * it is stopped by SIGTERM, and by SIGKILL when that takes too long. It holds one end of an IPC channel to us, and
 * ends when that closes (child-process-guard.ts): nothing stays behind even if this process is killed outright.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { SpeechError } from "../errors.ts";
import { LogTail, type ServiceLog } from "./child-process-log.ts";

export interface ServiceOptions {
  /** For messages: "the TTS container". */
  readonly title: string;
  /** Absolute path of the .ts file to run. */
  readonly file: string;
  readonly args: readonly string[];
  /** Flags of Node itself. */
  readonly nodeFlags?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where it was told to listen, and the flag that chose that, for the message when it cannot. */
  readonly place?: { readonly host: string; readonly port: number; readonly portFlag?: string };
  /** Between SIGTERM and SIGKILL. @default 5000 */
  readonly stopLimitMs?: number;
  /** Each JSON log line as it comes, e.g. for `--verbose`. */
  readonly onLog?: (title: string, line: ServiceLog) => void;
}

/** A service that drains its last turn within this time is not killed. SageMaker itself allows 30 s. */
const STOP_LIMIT_MS_DEFAULT = 5_000;

const GUARD = new URL("./child-process-guard.ts", import.meta.url).href;

export class Service {
  readonly title: string;
  /** Address it listens on. Rejects when it ends, or cannot start, before it listens. */
  readonly listening: Promise<{ host: string; port: number }>;
  /** Resolves when the process has gone, to why it did. Never rejects. */
  readonly ended: Promise<SpeechError>;
  readonly #child: ChildProcess;
  readonly #tail = new LogTail();
  readonly #stopLimitMs: number;
  #stopping = false;

  constructor(options: ServiceOptions) {
    this.title = options.title;
    this.#stopLimitMs = options.stopLimitMs ?? STOP_LIMIT_MS_DEFAULT;
    const child = spawn(
      process.execPath,
      [...(options.nodeFlags ?? []), "--import", GUARD, options.file, ...options.args],
      {
        env: { ...options.env } as NodeJS.ProcessEnv,
        stdio: ["ignore", "pipe", "pipe", "ipc"],
        // Its own process group: a terminal's Ctrl-C reaches us alone, and we stop the services in order.
        detached: process.platform !== "win32",
        windowsHide: true,
      },
    );
    this.#child = child;
    const listening = Promise.withResolvers<{ host: string; port: number }>();
    const ended = Promise.withResolvers<SpeechError>();
    child.on("error", (cause) => {
      ended.resolve(new SpeechError("CONFIGURATION", `${options.title} could not be started`, { cause }));
    });
    // `close`, not `exit`: by then its last words have been read.
    child.on("close", (code, signal) => ended.resolve(this.#whyEnded(options, code, signal)));
    this.#tail.read(child.stdout!, (line) => {
      if (line.event === "listening" && typeof line.port === "number") {
        listening.resolve({ host: String(line.host ?? "127.0.0.1"), port: line.port });
      }
      options.onLog?.(options.title, line);
    });
    this.#tail.read(child.stderr!, (line) => options.onLog?.(options.title, line));
    this.ended = ended.promise;
    void this.ended.then((error) => listening.reject(error));
    this.listening = listening.promise;
    // Whoever awaits it gets the rejection; until then it must not end this process.
    this.listening.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Asks it to end, then makes it. Resolves when the process has gone; may be called twice. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), this.#stopLimitMs);
      await this.ended;
      clearTimeout(timer);
    }
    if (child.connected) child.disconnect();
  }

  #whyEnded(options: ServiceOptions, code: number | null, signal: NodeJS.Signals | null): SpeechError {
    const { title, place } = options;
    if (this.#stopping) return new SpeechError("INTERNAL", `${title} was stopped`);
    const failure = this.#tail.listenFailure();
    if (place && failure) return cannotListen(title, place, failure);
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
    const last = this.#tail.lastError();
    return new SpeechError(last?.code ?? "INTERNAL", `${title} ${how}${last ? `: ${last.message}` : ""}`, {
      details: { exitCode: code, signal },
    });
  }
}

function cannotListen(
  title: string,
  { host, port, portFlag }: NonNullable<ServiceOptions["place"]>,
  failure: string,
): SpeechError {
  const choose = portFlag ? `choose another with ${portFlag}` : "choose another";
  const words: Record<string, string> = {
    EADDRINUSE: `port ${port} is taken, ${title} cannot listen on it; free it or ${choose}`,
    EACCES: `${title} may not listen on port ${port}; ${choose} above 1023`,
  };
  return new SpeechError(
    "CONFIGURATION",
    words[failure] ??
      `${host} is not an address of this machine, ${title} cannot listen on it; choose another --host`,
    { details: { host, port, ...(portFlag && { flag: portFlag }) } },
  );
}
