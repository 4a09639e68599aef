import { describe, expect, it } from "vitest";
import { ourChunker } from "../../../lib/bench/text-chunkers.ts";
import { readTextCorpus, type TextCase } from "../../../lib/bench/text-corpus.ts";
import { isRight, type SplitAnswer, type SplitQuestion, trialOf } from "../../../lib/bench/text-trial.ts";

const CASE: TextCase = {
  kind: "plain",
  language: "en-us",
  text: "One is. Two\nis.",
  pieces: ["One is.", "Two\nis."],
  spoken: ["One is.", "Two is."],
};

describe("isRight", () => {
  it("compares pieces but for white space", () => {
    expect(isRight(["One is. ", "Two is."], CASE)).toBe(true);
    expect(isRight(["One is.", " ", "Two\n\nis."], CASE)).toBe(true);
    expect(isRight(["One is. Two is."], CASE)).toBe(false);
    expect(isRight(["One is.", "Two is.", "..."], CASE)).toBe(false);
  });
});

describe("trialOf", () => {
  it("counts what is right, by kind what is not, and characters by the best round", async () => {
    const asked: SplitQuestion[] = [];
    const chunker = {
      name: "cuts at every stop",
      split: async (question: SplitQuestion): Promise<SplitAnswer> => {
        asked.push(question);
        return { pieces: question.texts.map((text) => text.split(/(?<=\.)/)), cpuSeconds: 2 / asked.length };
      },
    };
    const abbreviated = { ...CASE, kind: "abbreviations", text: "Dr. Lee.", pieces: ["Dr. Lee."] };
    const result = await trialOf(chunker, [CASE, abbreviated], 100);
    const chars = asked[1]!.texts[0]!.length;
    expect(chars).toBeGreaterThanOrEqual(100);
    expect(result).toEqual({
      name: "cuts at every stop",
      right: 1,
      wrongByKind: { abbreviations: 1 },
      charactersPerSecond: Math.round(chars / (2 / asked.length)),
      megabytesPerSecond: chars / (2 / asked.length) / 1e6,
    });
  });

  it("finds every text of the corpus right with our chunker", async () => {
    const cases = readTextCorpus();
    const { right, wrongByKind } = await trialOf(ourChunker(), cases, 1);
    expect(wrongByKind).toEqual({});
    expect(right).toBe(cases.length);
  });
});
