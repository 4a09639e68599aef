/**
 * One stand-in as a process of its own: `node lib/local/child.ts front-door|bedrock|agentcore '{...options}'`.
 * Options are those of its start function, as JSON; log lines go to stdout, the first says where it listens.
 * SIGTERM, Ctrl-C and the loss of the parent's IPC channel end it, so that nothing is left behind.
 */
import { readFileSync } from "node:fs";
import { processEnvironment } from "../config/environment.ts";
import { LOCAL_CREDENTIALS } from "../config/names.ts";
import { isSpeechError, SpeechError } from "../errors.ts";
import { type AgentCoreFrontDoorOptions, startAgentCoreFrontDoor } from "./agentcore-front-door.ts";
import { type BedrockStandInOptions, startBedrockStandIn } from "./bedrock-stand-in.ts";
import {
  type RunningStandIn,
  type SageMakerFrontDoorOptions,
  startSageMakerFrontDoor,
} from "./sagemaker-front-door.ts";
import type { SecretFor } from "./signature.ts";

/** What JSON can carry instead of a function or a text of many lines. */
interface ChildOptions {
  /** Access key id -> secret, of callers whose signatures are taken. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Path of a file whose text is every answer. */
  readonly answerFile?: string;
  readonly tlsFiles?: { readonly key: string; readonly cert: string };
}

const [kind = "", json = "{}"] = process.argv.slice(2);
try {
  const options = parseOptions(json);
  const standIn = await start(kind, options);
  log("info", { event: "listening", kind, host: standIn.host, port: standIn.port, url: standIn.url });
  let closing = false;
  const end = () => {
    if (closing) return;
    closing = true;
    void standIn.close().then(() => {
      if (process.connected) process.disconnect();
    });
  };
  process.on("SIGTERM", end).on("SIGINT", end).on("disconnect", end);
} catch (error) {
  // Of an unknown error only the name is told: its message may hold paths.
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  log("error", {
    event: "start_failed",
    kind,
    code: isSpeechError(error) ? error.code : "INTERNAL",
    message: isSpeechError(error) ? error.message : `could not start (${(error as Error).name})`,
    ...(cause?.code !== undefined && { cause: cause.code }),
  });
  process.exitCode = isSpeechError(error) ? error.exitCode : 1;
  if (process.connected) process.disconnect();
}

function parseOptions(text: string): ChildOptions & { host: string; port: number } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SpeechError("CONFIGURATION", "the options must be a JSON object", { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SpeechError("CONFIGURATION", "the options must be a JSON object");
  }
  const options = value as ChildOptions & { host?: string; port?: number };
  const tls = options.tlsFiles && {
    key: readText(options.tlsFiles.key),
    cert: readText(options.tlsFiles.cert),
  };
  return { ...options, host: options.host ?? "127.0.0.1", port: options.port ?? 0, ...(tls && { tls }) };
}

function start(
  which: string,
  options: ChildOptions & { host: string; port: number },
): Promise<RunningStandIn> {
  const known = options.credentials ?? ownCredentials();
  const secretFor: SecretFor = (id) => (Object.hasOwn(known, id) ? known[id] : undefined);
  const onEvent = (event: object) => log("info", event);
  if (which === "front-door") {
    const given = options as unknown as SageMakerFrontDoorOptions;
    return startSageMakerFrontDoor({ ...given, endpoints: given.endpoints ?? {}, secretFor, onEvent });
  }
  if (which === "bedrock") {
    const answer = options.answerFile === undefined ? undefined : readText(options.answerFile).trim();
    const given = options as unknown as BedrockStandInOptions;
    return startBedrockStandIn({ ...given, ...(answer !== undefined && { answer }), onEvent });
  }
  if (which === "agentcore") {
    const given = options as unknown as AgentCoreFrontDoorOptions;
    return startAgentCoreFrontDoor({ ...given, runtimes: given.runtimes ?? {}, secretFor });
  }
  throw new SpeechError(
    "CONFIGURATION",
    `unknown stand-in "${which}"; there are front-door, bedrock and agentcore`,
  );
}

/** The dummies, and this process's own: an agent that also calls the real Bedrock signs everything with those. */
function ownCredentials(): Record<string, string> {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = processEnvironment();
  return {
    [LOCAL_CREDENTIALS.accessKeyId]: LOCAL_CREDENTIALS.secretAccessKey,
    ...(id && secret && { [id]: secret }),
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new SpeechError("CONFIGURATION", `cannot read the file ${path}`, { cause });
  }
}

function log(level: "info" | "error", fields: object): void {
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), ...fields })}\n`);
}
