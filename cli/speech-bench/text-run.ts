/** Has every chunker split the corpus, and shows who gets how much right and how fast. */
import { describeMachine, describeVersions } from "../../lib/bench/machine.ts";
import { ourChunker, startPeerChunkers } from "../../lib/bench/text-chunkers.ts";
import { readTextCorpus } from "../../lib/bench/text-corpus.ts";
import { type ChunkerResult, trialOf } from "../../lib/bench/text-trial.ts";
import type { CliContext } from "../run.ts";
import { textTable } from "../text-table.ts";

export interface TextBenchOptions {
  readonly compare: boolean;
}

/** Ours reads so much in a tenth of a second; the others take seconds for the corpus alone. */
const OUR_TIMED_CHARS = 2_000_000;

export async function benchText(options: TextBenchOptions, context: CliContext): Promise<void> {
  const { output, signal } = context;
  const cases = readTextCorpus();
  output.status("Splitting with our chunker ...");
  const results: ChunkerResult[] = [await trialOf(ourChunker(), cases, OUR_TIMED_CHARS)];
  if (options.compare) {
    const peers = await startPeerChunkers({
      signal,
      onInstall: (what) => output.status(`Installing ${what} ...`),
    });
    try {
      for (const chunker of peers.chunkers) {
        output.status(`Splitting with ${chunker.name} ...`);
        results.push(await trialOf(chunker, cases, 1));
      }
    } finally {
      await peers.close();
    }
  }
  const machine = describeMachine();
  output.result({
    text: { cases: cases.length, chunkers: results },
    machine,
    versions: await describeVersions(),
  });
  for (const line of chunkerTable(results, cases.length)) output.line(line);
  output.line();
  output.line(`Measured on ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB.`);
}

export function chunkerTable(results: readonly ChunkerResult[], cases: number): string[] {
  return textTable([
    ["", `right of ${cases}`, "characters/s", "MB/s"],
    ...results.map(({ name, right, charactersPerSecond, megabytesPerSecond }) => [
      name,
      String(right),
      charactersPerSecond.toLocaleString("en-US"),
      megabytesPerSecond < 1 ? megabytesPerSecond.toFixed(3) : megabytesPerSecond.toFixed(1),
    ]),
  ]);
}
