/**
 * Modes `batch` and `batch-stream`: nothing is spoken before the whole answer is written. `batch` is the baseline,
 * what a plain integration does: one synthesis that is not streamed. `batch-stream` differs only in that its one
 * synthesis is streamed, so that the two show apart what streaming and what overlapping gain.
 */
import { IncrementalSentenceChunker } from "../../lib/text/sentence-chunker.ts";
import { toSpeakableText } from "../../lib/text/speakable.ts";
import { drainAudio } from "./bidi-turn.ts";
import { runTogether } from "./tasks.ts";
import type { TurnParts } from "./turn.ts";
import type { TurnOutput } from "./turn-output.ts";

/** @throws {SpeechError} of the model or the speaker; or `signal`'s reason. */
export async function runBatchTurn(turn: TurnParts, output: TurnOutput, signal: AbortSignal): Promise<void> {
  const text = await writeWhole(turn.textDeltas(signal), output);
  if (text !== "") {
    output.sentence();
    await output.audio(await turn.speech.speakWhole(text, turn.request, signal));
  }
  await output.audioEnd();
}

/** @throws {SpeechError} of the model or the speaker; or `signal`'s reason. */
export async function runBatchStreamTurn(
  turn: TurnParts,
  output: TurnOutput,
  signal: AbortSignal,
): Promise<void> {
  const answer = turn.speech.open(turn.request);
  await runTogether(
    signal,
    async (stop) => {
      const text = await writeWhole(turn.textDeltas(stop), output);
      if (text !== "") {
        output.sentence();
        await answer.say(text);
      }
      await answer.finish();
    },
    (stop) => drainAudio(answer, output, stop),
  );
}

/** @returns the whole answer as it is to be spoken, "" when nothing of it can be heard. */
async function writeWhole(textDeltas: AsyncIterable<string>, output: TurnOutput): Promise<string> {
  const pieces: string[] = [];
  for await (const text of textDeltas) {
    output.textDelta(text);
    pieces.push(text);
    await output.room();
  }
  return toSpokenParagraphs(pieces.join(""));
}

/**
 * The same sentences as in `bidi`, each a paragraph of its own: the container then splits them alike, and the modes
 * differ in when they speak, not in what.
 */
function toSpokenParagraphs(answer: string): string {
  const chunker = new IncrementalSentenceChunker();
  const sentences = [...chunker.feed(answer), chunker.flush() ?? ""];
  return sentences
    .map((sentence) => toSpeakableText(sentence))
    .filter((sentence) => sentence !== "")
    .join("\n\n");
}
