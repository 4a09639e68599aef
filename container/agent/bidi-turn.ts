/**
 * Mode `bidi`: each sentence is spoken as soon as it is finished. One task drains the language model into the
 * chunker and hands over sentences, another drains the audio; both feed the turn's one queue, so that audio of
 * the first sentence leaves while the second is being written.
 */
import { IncrementalSentenceChunker } from "../../lib/text/sentence-chunker.ts";
import { STALL, withStalls } from "../../lib/text/stalls.ts";
import { runTogether } from "./tasks.ts";
import type { SpokenAnswer, TurnParts } from "./turn.ts";
import type { TurnOutput } from "./turn-output.ts";
import { inWords } from "./wording.ts";

/** @throws {SpeechError} of the model or the speaker; or `signal`'s reason. Nothing runs on after it settled. */
export async function runBidiTurn(turn: TurnParts, output: TurnOutput, signal: AbortSignal): Promise<void> {
  const answer = turn.speech.open(turn.request);
  await runTogether(
    signal,
    (stop) => sayWhileWriting(turn, answer, output, stop),
    (stop) => drainAudio(answer, output, stop),
  );
}

async function sayWhileWriting(
  turn: TurnParts,
  answer: SpokenAnswer,
  output: TurnOutput,
  stop: AbortSignal,
): Promise<void> {
  const say = async (sentence: string): Promise<void> => {
    const words = inWords(sentence, turn.request);
    if (words === "") return;
    output.sentence();
    await answer.say(words);
  };
  const { firstPieceChars = 0, stallMs = 0 } = turn.haste ?? {};
  const chunker = new IncrementalSentenceChunker(
    firstPieceChars > 0 ? { firstPieceMaxChars: firstPieceChars } : {},
  );
  const deltas = turn.textDeltas(stop);
  for await (const text of stallMs > 0 ? withStalls(deltas, stallMs) : deltas) {
    if (text === STALL) {
      for (const sentence of chunker.releaseStalled()) await say(sentence);
      continue;
    }
    output.textDelta(text);
    // Before waiting for room: a caller who reads slowly must not delay the sentence.
    for (const sentence of chunker.feed(text)) await say(sentence);
    await output.room();
  }
  const rest = chunker.flush();
  if (rest !== null) await say(rest);
  await answer.finish();
}

/** Shared with `batch-stream`. Destroys the answer when `stop` fires: nothing is synthesized for one who left. */
export async function drainAudio(answer: SpokenAnswer, output: TurnOutput, stop: AbortSignal): Promise<void> {
  const onStop = () => answer.destroy(asError(stop.reason));
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) onStop();
  try {
    for await (const part of answer.audio) await output.audio(part);
    await output.audioEnd();
  } finally {
    stop.removeEventListener("abort", onStop);
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("cancelled");
}
