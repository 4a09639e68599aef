/**
 * Modes `batch` and `batch-stream`: nothing is spoken before the whole answer is written. `batch` is the baseline,
 * what a plain integration does: one synthesis that is not streamed. `batch-stream` differs only in that its one
 * synthesis is streamed, so that the two show apart what streaming and what overlapping gain.
 */
import { IncrementalSentenceChunker } from "../../lib/text/sentence-chunker.ts";
import { drainAudio } from "./bidi-turn.ts";
import { runTogether } from "./tasks.ts";
import type { TurnParts, TurnRequest } from "./turn.ts";
import type { TurnOutput } from "./turn-output.ts";
import { inWords } from "./wording.ts";

/** @throws {SpeechError} of the model or the speaker; or `signal`'s reason. */
export async function runBatchTurn(turn: TurnParts, output: TurnOutput, signal: AbortSignal): Promise<void> {
  const text = await writeWhole(turn, output, signal);
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
      const text = await writeWhole(turn, output, stop);
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
async function writeWhole(turn: TurnParts, output: TurnOutput, signal: AbortSignal): Promise<string> {
  const pieces: string[] = [];
  for await (const text of turn.textDeltas(signal)) {
    output.textDelta(text);
    pieces.push(text);
    await output.room();
  }
  return toSpokenParagraphs(pieces.join(""), turn.request);
}

/**
 * The same sentences as in `bidi`, each a paragraph of its own: the container then splits them alike, and the modes
 * differ in when they speak, not in what.
 */
function toSpokenParagraphs(answer: string, request: TurnRequest): string {
  const chunker = new IncrementalSentenceChunker();
  const sentences = [...chunker.feed(answer), chunker.flush() ?? ""];
  return sentences
    .map((sentence) => inWords(sentence, request))
    .filter((sentence) => sentence !== "")
    .join("\n\n");
}
