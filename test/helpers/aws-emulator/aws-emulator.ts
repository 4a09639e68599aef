/**
 * Starts the stand-in for AWS that deployments are tested against, in a process of its own. A green run against it
 * proves the wiring and the commands' flow, not that AWS accepts a template.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { AgentEvent } from "../../../lib/protocol/agent-events.ts";
import { type PythonEnvironment, pythonTools } from "../python-venv.ts";

/** Seconds; what is left out is settings.py's. */
export interface EmulatorDelays {
  /** Any resource of a stack. */
  readonly resource?: number;
  readonly endpoint_create?: number;
  readonly endpoint_update?: number;
  readonly endpoint_delete?: number;
  readonly runtime?: number;
  /** One of a build's nine phases. */
  readonly build_phase?: number;
}

interface Counted {
  /** How often it strikes; until it is removed when absent. */
  readonly times?: number;
}

/** What goes wrong. faults.py says what each does. */
export type EmulatorFault = Counted &
  (
    | {
        readonly kind: "create" | "update" | "delete";
        readonly resourceType?: string;
        /** Or its beginning: CDK appends a hash. */
        readonly logicalId?: string;
        readonly stack?: string;
        readonly reason: string;
      }
    | {
        readonly kind: "endpoint";
        readonly name?: string;
        readonly reason: string;
        readonly afterMs?: number;
        readonly during?: "create" | "update";
        /** What a failed update leaves: the old fleet serving (default), or a Failed endpoint. */
        readonly left?: "InService" | "Failed";
      }
    | { readonly kind: "runtime"; readonly reason: string }
    /** `ml.g5.xlarge for endpoint usage` */
    | { readonly kind: "quota"; readonly quota: string; readonly value: number }
    | {
        readonly kind: "call";
        /** IAM's, with `*`: `s3:PutObject`, `sagemaker:*`. */
        readonly action: string;
        /** AccessDenied (default), ExpiredToken, or an error code of the service. */
        readonly error?: string;
        readonly message?: string;
        readonly status?: number;
      }
    | {
        readonly kind: "upload";
        readonly afterBytes?: number;
        readonly afterRequests?: number;
        readonly error?: string;
      }
    | {
        readonly kind: "build";
        readonly outcome: "failed" | "missing-label" | "oci-manifest" | "wrong-architecture";
        readonly reason?: string;
      }
    | {
        readonly kind: "model";
        readonly modelId?: string;
        readonly status: "not-authorized" | "no-agreement" | "not-in-region";
      }
  );

export interface EmulatorState {
  readonly endpoints: Readonly<Record<string, string>>;
  readonly endpointConfigs: readonly string[];
  readonly models: readonly string[];
  /** `endpoint/NAME/variant/VARIANT` */
  readonly scalableTargets: readonly string[];
  /** AgentCore runtimes' states by name. */
  readonly runtimes: Readonly<Record<string, string>>;
  /** Tags by repository. */
  readonly repositories: Readonly<Record<string, readonly string[]>>;
  /** Number of objects by bucket, without old versions. */
  readonly buckets: Readonly<Record<string, number>>;
  /** Every API call since the start or the last reset, as IAM names it: `s3:PutObject`. */
  readonly calls: readonly string[];
  /** What `allowOnly` refused. */
  readonly refused: readonly { readonly action: string; readonly resource: string }[];
}

export const EMULATED_ACCOUNT = "111122223333";
export const EMULATED_REGION = "us-east-1";

/** What a deployed agent says, whatever it is asked; the emulator fills in mode and voice. */
const AGENT_ANSWER: readonly AgentEvent[] = [
  { type: "agent_start", request_id: "emulated", mode: "bidi" },
  { type: "text_delta", seq: 0, text: "Hello. " },
  { type: "audio_stream_start", format: "pcm16", voice: "af_heart", sample_rate: 24_000 },
  { type: "audio_chunk", seq: 0, data: Buffer.alloc(4_800).toString("base64") },
  { type: "text_delta", seq: 1, text: "It works." },
  { type: "audio_chunk", seq: 1, data: Buffer.alloc(4_800).toString("base64") },
  { type: "audio_stream_end", total_chunks: 2, duration_s: 0.2 },
  { type: "agent_end" },
];

const START_LIMIT_MS = 60_000;

export class AwsEmulator {
  readonly url: string;
  /** For a command's process, or by vi.stubEnv for this one. undefined removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly #child: ChildProcess;
  readonly #cdkHome: string;

  constructor(child: ChildProcess, port: number, cdkHome: string) {
    this.#child = child;
    this.#cdkHome = cdkHome;
    // By this name CDK addresses buckets by path, not by host.
    this.url = `http://localhost:${port}`;
    this.env = {
      AWS_ENDPOINT_URL: this.url,
      // An access key of twelve digits names its account; another one stands for another account.
      AWS_ACCESS_KEY_ID: EMULATED_ACCOUNT,
      AWS_SECRET_ACCESS_KEY: "emulated",
      AWS_SESSION_TOKEN: undefined,
      AWS_PROFILE: undefined,
      AWS_REGION: EMULATED_REGION,
      AWS_DEFAULT_REGION: EMULATED_REGION,
      AWS_CONFIG_FILE: "/nonexistent",
      AWS_SHARED_CREDENTIALS_FILE: "/nonexistent",
      AWS_EC2_METADATA_DISABLED: "true",
      // CDK remembers accounts in there: it must not outlive this emulator.
      CDK_HOME: cdkHome,
      CDK_DISABLE_CLI_TELEMETRY: "true",
    };
  }

  /** As new: no resources, no faults, the delays of the start. */
  async reset(): Promise<void> {
    await this.#control("POST", "/_ministack/reset");
  }

  /**
   * Keeps the account as it is now, for tests that begin alike: much quicker than to deploy again. Nothing may be under
   * way at either end.
   * @returns puts it back, as often as wanted; faults, delays, policy and calls are then as after a reset.
   */
  async snapshot(): Promise<() => Promise<void>> {
    const { id } = (await this.#control("POST", "/_emulator/snapshots")) as { id: number };
    return async () => {
      await this.#control("POST", `/_emulator/snapshots/${id}`);
    };
  }

  /** @returns takes the fault away again. */
  async inject(fault: EmulatorFault): Promise<() => Promise<void>> {
    const { id } = (await this.#control("POST", "/_emulator/faults", fault)) as { id: number };
    return async () => {
      await this.#control("DELETE", `/_emulator/faults/${id}`);
    };
  }

  /**
   * From now on the credentials may do only what this IAM policy allows; roles that they assume may do anything.
   * @param policy undefined lifts it.
   */
  async allowOnly(policy: object | undefined): Promise<void> {
    await this.#control("POST", "/_emulator/policy", { policy: policy ?? null });
  }

  /** Changes them until the next reset. */
  async delay(delays: EmulatorDelays): Promise<void> {
    await this.#control("POST", "/_emulator/delays", delays);
  }

  async state(): Promise<EmulatorState> {
    return (await this.#control("GET", "/_emulator/state")) as EmulatorState;
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      // It ends with its standard input.
      child.stdin!.end();
      await ended;
    }
    await rm(this.#cdkHome, { recursive: true, force: true });
  }

  async #control(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the emulator refused ${method} ${path}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }
}

/**
 * For `describe.skipIf(python === undefined)`: @returns undefined where Python is absent, said aloud.
 * @throws the same where CI=true.
 */
export function emulatorPython(): Promise<PythonEnvironment | undefined> {
  return pythonTools("aws-emulator");
}

/** Two seconds, on a free port. Close it in afterAll; it ends with this process in any case. */
export async function startAwsEmulator(
  python: PythonEnvironment,
  delays: EmulatorDelays = {},
): Promise<AwsEmulator> {
  const child = spawn(python.command, [...python.module], {
    env: {
      ...python.env,
      // Whose the registry is for a push, which names no account.
      MINISTACK_ACCOUNT_ID: EMULATED_ACCOUNT,
      EMULATOR_DELAYS: JSON.stringify(delays),
      EMULATOR_AGENT_ANSWER: JSON.stringify(AGENT_ANSWER),
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-4_000);
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), START_LIMIT_MS);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { port } = JSON.parse(line) as { port: number };
      return new AwsEmulator(child, port, await mkdtemp(join(tmpdir(), "emulated-cdk-home-")));
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error(`the AWS emulator ended before it listened: ${stderr}`);
}
