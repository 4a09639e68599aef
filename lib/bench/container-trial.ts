/**
 * What a TTS container does under a caller's eyes: how fast it synthesizes, how soon a paragraph is heard, whether
 * it still answers while it computes, and how its memory goes. Each figure is taken at the caller's end of a real
 * socket, except RTF and memory, which the container and the system tell.
 */
import { setTimeout as delay } from "node:timers/promises";
import { SpeechSession } from "../client/speech-session.ts";
import { connectWebSocket } from "../client/websocket-transport.ts";
import { SpeechError } from "../errors.ts";
import { RESULT_HEADERS } from "../protocol/invocations.ts";
import { BIDI_PATH, INVOCATIONS_PATH, PING_PATH } from "../protocol/limits.ts";
import { residentMiB } from "./resident-memory.ts";
import { BENCH_PARAGRAPH, BENCH_SENTENCES } from "./sentences.ts";
import { type Summary, summarize } from "./statistics.ts";

export interface ContainerTrialOptions {
  /** Base URL of the container. */
  readonly url: string;
  /** Its process, for the memory; absent when it runs elsewhere. */
  readonly pid?: number;
  /** Sessions that speak without pause while /ping and accepts are timed. */
  readonly sessions: number;
  /** Utterances after which memory is read for the last time. */
  readonly utterances: number;
  readonly signal: AbortSignal;
  readonly onPhase?: (phase: string) => void;
}

export interface ContainerReport {
  /** Synthesis time over audio time of whole sentences, each by one POST that is not streamed. */
  readonly rtf: Summary | null;
  /** One paragraph by a streamed POST: its first byte, its last, and the first as a share of the whole. */
  readonly paragraph: {
    readonly firstByteMs: Summary | null;
    readonly wholeMs: Summary | null;
    readonly share: number | null;
  };
  /** While all sessions speak. p95 and the worst are what a health check meets. */
  readonly busy: { readonly sessions: number; readonly ping: Latency; readonly accept: Latency };
  /** MiB resident after every tenth utterance; null where the system does not tell. */
  readonly residentMiB: readonly { readonly utterances: number; readonly residentMiB: number | null }[];
}

export interface Latency {
  readonly samples: number;
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
  readonly maxMs: number | null;
}

const PARAGRAPH_RUNS = 3;
const PROBES = 60;
const PROBE_PAUSE_MS = 150;
/** The sessions are speaking by then. */
const BUSY_AFTER_MS = 1_500;

export async function runContainerTrial(options: ContainerTrialOptions): Promise<ContainerReport> {
  const phase = options.onPhase ?? (() => {});
  phase("whole sentences");
  const rtf = summarize(await wholeSentences(options));
  phase("a paragraph, streamed");
  const paragraph = await paragraphs(options);
  phase(`health checks while ${options.sessions} sessions speak`);
  const busy = await probesWhileBusy(options);
  phase(`${options.utterances} utterances for the memory`);
  return { rtf, paragraph, busy, residentMiB: await memoryByUtterance(options) };
}

async function post(
  { url, signal }: ContainerTrialOptions,
  body: Record<string, unknown>,
): Promise<{ response: Response; firstByteMs: number; wholeMs: number }> {
  const startedMs = performance.now();
  const response = await fetch(new URL(INVOCATIONS_PATH, url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ format: "pcm", ...body }),
    signal,
  });
  if (!response.ok || !response.body) {
    throw new SpeechError("SYNTHESIS_FAILED", `the container answered with HTTP ${response.status}`);
  }
  let firstByteMs: number | undefined;
  for await (const _ of response.body) firstByteMs ??= performance.now() - startedMs;
  const wholeMs = performance.now() - startedMs;
  return { response, firstByteMs: firstByteMs ?? wholeMs, wholeMs };
}

async function wholeSentences(options: ContainerTrialOptions): Promise<number[]> {
  const factors: number[] = [];
  for (const text of BENCH_SENTENCES) {
    const { response } = await post(options, { text });
    factors.push(Number(response.headers.get(RESULT_HEADERS.rtf)));
  }
  return factors;
}

async function paragraphs(options: ContainerTrialOptions): Promise<ContainerReport["paragraph"]> {
  const runs = [];
  for (let run = 0; run < PARAGRAPH_RUNS; run++) {
    runs.push(await post(options, { text: BENCH_PARAGRAPH, stream: true }));
  }
  const firstByteMs = summarize(runs.map((run) => run.firstByteMs));
  const wholeMs = summarize(runs.map((run) => run.wholeMs));
  return { firstByteMs, wholeMs, share: firstByteMs && wholeMs && firstByteMs.median / wholeMs.median };
}

async function probesWhileBusy(options: ContainerTrialOptions): Promise<ContainerReport["busy"]> {
  const leave = new AbortController();
  const signal = AbortSignal.any([options.signal, leave.signal]);
  const speakers = Array.from({ length: options.sessions }, () => speakUntil(options.url, signal));
  // Awaited below; until then a fault of one must not end this process.
  for (const speaker of speakers) speaker.catch(() => {});
  try {
    await pause(BUSY_AFTER_MS, options.signal);
    const pings: number[] = [];
    const accepts: number[] = [];
    for (let probe = 0; probe < PROBES; probe++) {
      pings.push(await timed(() => ping(options)));
      accepts.push(await timed(() => accept(options.url)));
      await pause(PROBE_PAUSE_MS, options.signal);
    }
    return { sessions: options.sessions, ping: latency(pings), accept: latency(accepts) };
  } finally {
    leave.abort();
    await Promise.all(speakers);
  }
}

/** Speaks sentence after sentence, two ahead, until the signal. Its end is no failure; a fault before it is. */
async function speakUntil(url: string, signal: AbortSignal): Promise<void> {
  const session = new SpeechSession(connectWebSocket({ url: new URL(url), signal }), { signal });
  let next = 0;
  const speak = () => session.speak(BENCH_SENTENCES[next++ % BENCH_SENTENCES.length]!).catch(() => {});
  void speak();
  void speak();
  try {
    for await (const event of session) if (event.type === "utterance-complete") void speak();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function ping({ url, signal }: ContainerTrialOptions): Promise<void> {
  const response = await fetch(new URL(PING_PATH, url), { signal });
  await response.arrayBuffer();
}

/** One handshake. Node's own WebSocket, so that nothing of ours is timed but the container. */
function accept(url: string): Promise<void> {
  const target = new URL(BIDI_PATH, url);
  target.protocol = "ws:";
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(target);
    socket.onopen = () => {
      resolve();
      socket.close();
    };
    socket.onerror = () => reject(new SpeechError("TRANSPORT_FAILED", "a WebSocket was not accepted"));
  });
}

async function memoryByUtterance(options: ContainerTrialOptions): Promise<ContainerReport["residentMiB"]> {
  const { pid, signal, utterances } = options;
  const readings: { utterances: number; residentMiB: number | null }[] = [];
  if (pid === undefined) return readings;
  for (let spoken = 1; spoken <= utterances; spoken++) {
    // Every length the model meets: from one word to a whole sentence.
    const words = BENCH_SENTENCES[spoken % BENCH_SENTENCES.length]!.split(" ");
    const text = words.slice(0, 1 + ((spoken * 7) % words.length)).join(" ");
    await post({ ...options, signal }, { text });
    if (spoken % 10 === 0) readings.push({ utterances: spoken, residentMiB: await residentMiB(pid) });
  }
  return readings;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** @param valuesMs at least one. The p95 is the nearest rank. */
export function latency(valuesMs: readonly number[]): Latency {
  const sorted = [...valuesMs].sort((a, b) => a - b);
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { samples: sorted.length, medianMs: rank(0.5), p95Ms: rank(0.95), maxMs: sorted.at(-1) ?? null };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal });
