/** What the tests of the turns share: a request, and a turn run to its end over fakes. */
import { EventQueue } from "../../../container/agent/event-queue.ts";
import type { TurnEvent, TurnHaste, TurnParts, TurnRequest } from "../../../container/agent/turn.ts";
import { TurnOutput } from "../../../container/agent/turn-output.ts";
import type { FakeSpeech } from "./fake-speech.ts";

export const REQUEST: TurnRequest = {
  requestId: "r1",
  mode: "bidi",
  prompt: "hello",
  voice: "af_heart",
  speed: 1,
  wording: {},
  endpointName: "speech-kokoro-82m",
};

export interface RunResult {
  readonly events: TurnEvent[];
  readonly failure: unknown;
}

/** @param deltas each string is one text delta; a promise is awaited in between. */
export async function runOver(
  run: (turn: TurnParts, output: TurnOutput, signal: AbortSignal) => Promise<void>,
  speech: FakeSpeech,
  deltas: AsyncIterable<string>,
  {
    signal = new AbortController().signal,
    capacity = 1_000,
    request = {},
    haste,
  }: { signal?: AbortSignal; capacity?: number; request?: Partial<TurnRequest>; haste?: TurnHaste } = {},
): Promise<RunResult> {
  const queue = new EventQueue<TurnEvent>({ capacity, starvedAfterMs: 60_000 });
  const output = new TurnOutput(queue, REQUEST.voice, () => 0);
  let failure: unknown;
  const work = run(
    { request: { ...REQUEST, ...request }, speech, ...(haste && { haste }), textDeltas: () => deltas },
    output,
    signal,
  ).then(
    () => queue.end(),
    (error) => {
      failure = error;
      queue.end();
    },
  );
  const events: TurnEvent[] = [];
  for await (const event of queue) events.push(event);
  await work;
  return { events, failure };
}

export async function* deltasOf(...deltas: (string | Promise<unknown>)[]): AsyncGenerator<string> {
  for (const delta of deltas) {
    if (typeof delta === "string") yield delta;
    else await delta;
  }
}

/** "text:Hi " and "audio:3" (samples), so that an order can be read at a glance. */
export function shorthand(events: readonly TurnEvent[]): string[] {
  return events.map((event) => {
    if (event.type === "text_delta") return `text:${event.text}`;
    if (event.type === "audio_chunk") return `audio:${event.pcm.length / 2}`;
    return event.type;
  });
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
