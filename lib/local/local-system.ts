/**
 * The whole system on one machine: the containers' own code and the stand-ins for AWS, each a process of its own,
 * joined by the real wires on loopback. Starts only what is asked for, in parallel where one part does not need
 * the other's address, and stops it in reverse order: nobody loses a peer that it still talks to.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isAbortError } from "../errors.ts";
import type { Service } from "./child-process.ts";
import { untilReady } from "./local-readiness.ts";
import {
  type AgentServiceOptions,
  type LanguageModelOptions,
  type ServiceContext,
  type ServicePort,
  startAgentService,
  startFrontDoorService,
  startLanguageModelService,
  startTtsService,
} from "./local-services.ts";

export interface LocalSystemOptions extends ServiceContext {
  /** Finds the model's directory, while parts that need no model start. Absent: no speech here. */
  readonly modelDir?: (signal: AbortSignal) => Promise<string>;
  readonly tts?: ServicePort;
  /** SageMaker's front door, before the TTS container. */
  readonly frontDoor?: ServicePort & { readonly endpointName: string };
  /** The Bedrock stand-in. */
  readonly languageModel?: LanguageModelOptions;
  readonly agent?: Omit<AgentServiceOptions, "frontDoorUrl" | "languageModelUrl">;
  readonly signal: AbortSignal;
  /** A part became ready. */
  readonly onReady?: (title: string) => void;
}

/** Base URLs of what was started. */
export interface LocalSystemUrls {
  readonly tts?: string;
  readonly frontDoor?: string;
  readonly languageModel?: string;
  readonly agent?: string;
}

export interface LocalSystem {
  readonly urls: LocalSystemUrls;
  /** Process of the TTS container, for whoever measures it. */
  readonly ttsPid: number | undefined;
  /** Aborted, with the reason, when a part ends that nobody stopped. */
  readonly failure: AbortSignal;
  /** Of an error met while talking to a part: that part's death when that was the reason, else the error itself. */
  explain(error: unknown): Promise<unknown>;
  /** Stops every part; resolves when all have gone. May be called twice. */
  stop(): Promise<void>;
}

const DEATH_SEEN_WITHIN_MS = 500;

/**
 * Resolves when every part answers.
 * @throws {SpeechError} why a part could not start; by then all others have been stopped.
 */
export async function startLocalSystem(options: LocalSystemOptions): Promise<LocalSystem> {
  const parts = new Parts(options.signal);
  try {
    const { urls, ttsPid } = await startParts(options, parts);
    return {
      urls,
      ttsPid,
      failure: parts.failure,
      explain: (error) => parts.explain(error),
      stop: () => parts.stop(),
    };
  } catch (error) {
    const reason = await parts.explain(error);
    await parts.stop();
    throw reason;
  }
}

async function startParts(
  options: LocalSystemOptions,
  parts: Parts,
): Promise<{ urls: LocalSystemUrls; ttsPid: number | undefined }> {
  // Both branches at once: finding and loading the model takes longest.
  const [languageModelUrl, speech] = await Promise.all([
    startLanguageModel(options, parts),
    startSpeech(options, parts),
  ]);
  const [agentUrl] = await Promise.all([
    startAgent(options, parts, { languageModelUrl, frontDoorUrl: speech?.frontDoorUrl }),
    speech && parts.ready(speech.service, speech.ttsUrl, options),
  ]);
  const urls = {
    ...(speech && { tts: speech.ttsUrl }),
    ...(speech?.frontDoorUrl && { frontDoor: speech.frontDoorUrl }),
    ...(languageModelUrl && { languageModel: languageModelUrl }),
    ...(agentUrl && { agent: agentUrl }),
  };
  return { urls, ttsPid: speech?.service.pid };
}

async function startLanguageModel(options: LocalSystemOptions, parts: Parts): Promise<string | undefined> {
  const { languageModel } = options;
  if (!languageModel) return undefined;
  return parts.listening(parts.start(() => startLanguageModelService(options, languageModel)));
}

async function startSpeech(
  options: LocalSystemOptions,
  parts: Parts,
): Promise<{ service: Service; ttsUrl: string; frontDoorUrl?: string } | undefined> {
  const { tts = { port: 0 }, frontDoor } = options;
  const modelDir = await options.modelDir?.(parts.signal);
  if (modelDir === undefined) return undefined;
  const service = parts.start(() => startTtsService(options, { ...tts, modelDir }));
  const ttsUrl = await parts.listening(service);
  if (!frontDoor) return { service, ttsUrl };
  const door = parts.start(() => startFrontDoorService(options, { ...frontDoor, ttsUrl }));
  return { service, ttsUrl, frontDoorUrl: await parts.listening(door) };
}

async function startAgent(
  options: LocalSystemOptions,
  parts: Parts,
  peers: { languageModelUrl: string | undefined; frontDoorUrl: string | undefined },
): Promise<string | undefined> {
  const { agent } = options;
  if (!agent) return undefined;
  const service = parts.start(() => startAgentService(options, { ...agent, ...peers }));
  const url = await parts.listening(service);
  await parts.ready(service, url, options);
  return url;
}

/** What has been started, in that order. */
class Parts {
  readonly #services: Service[] = [];
  readonly #failure = new AbortController();
  /** Aborted by the owner, when a part has ended, and when all are being stopped. */
  readonly signal: AbortSignal;
  readonly #stopped = new AbortController();
  #stopping: Promise<void> | undefined;

  constructor(owner: AbortSignal) {
    this.signal = AbortSignal.any([owner, this.#failure.signal, this.#stopped.signal]);
  }

  get failure(): AbortSignal {
    return this.#failure.signal;
  }

  /** Starts a service and takes it into care; nothing is started once the others are being stopped. */
  start(spawn: () => Service): Service {
    this.signal.throwIfAborted();
    const service = spawn();
    this.#services.push(service);
    void service.ended.then((error) => {
      if (!this.#stopping) this.#failure.abort(error);
    });
    return service;
  }

  /** Resolves to the service's base URL. */
  async listening(service: Service): Promise<string> {
    const { host, port } = await unlessAborted(service.listening, this.signal);
    return baseUrl(host, port);
  }

  async ready(service: Service, url: string, { onReady }: LocalSystemOptions): Promise<void> {
    await untilReady(service, url, this.signal);
    onReady?.(service.title);
  }

  /** A closed socket is seen a little before the end of the process behind it. */
  async explain(error: unknown): Promise<unknown> {
    if (!this.signal.aborted && !isAbortError(error)) {
      await delay(DEATH_SEEN_WITHIN_MS, undefined, { signal: this.failure }).catch(() => {});
    }
    return this.failure.aborted ? this.failure.reason : error;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopInReverse();
    return this.#stopping;
  }

  async #stopInReverse(): Promise<void> {
    this.#stopped.abort(new DOMException("the local system was stopped", "AbortError"));
    for (const service of this.#services.toReversed()) await service.stop();
  }
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** An address that listens on everything is reached by loopback. */
function baseUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
