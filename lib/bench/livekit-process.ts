/**
 * LiveKit's tokenizer in a process of its own, which text-chunkers.ts starts with the module's address. It keeps its
 * own settings but for the lengths, so that a short sentence counts as one, as it does in the corpus.
 */
import { cpuSecondsSince, type SplitAnswer, type SplitQuestion } from "./text-trial.ts";

interface SentenceStream extends AsyncIterable<{ readonly token: string }> {
  pushText(text: string): void;
  endInput(): void;
}

interface LiveKitModule {
  readonly SentenceTokenizer: new (options: {
    minSentenceLength: number;
    streamContextLength: number;
  }) => {
    stream(): SentenceStream;
  };
}

const { SentenceTokenizer } = (await import(process.argv[2]!)) as LiveKitModule;
const tokenizer = new SentenceTokenizer({ minSentenceLength: 1, streamContextLength: 1 });

async function split(text: string, fragmentChars: number): Promise<string[]> {
  const stream = tokenizer.stream();
  const reading = tokensOf(stream);
  for (let at = 0; at < text.length; at += fragmentChars) {
    stream.pushText(text.slice(at, at + fragmentChars));
  }
  stream.endInput();
  return reading;
}

async function tokensOf(stream: SentenceStream): Promise<string[]> {
  const tokens: string[] = [];
  for await (const { token } of stream) tokens.push(token);
  return tokens;
}

process.on("message", async ({ texts, fragmentChars }: SplitQuestion) => {
  const before = process.cpuUsage();
  const pieces: string[][] = [];
  for (const text of texts) pieces.push(await split(text, fragmentChars));
  const answer: SplitAnswer = { pieces, cpuSeconds: cpuSecondsSince(before) };
  process.send!(answer);
});
process.send!({ ready: true });
