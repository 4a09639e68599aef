import { expect, test } from "vitest";
import { BUILT_IN_ANSWERS, chooseAnswer } from "../../../lib/local/bedrock-answers.ts";

test("the demo's own question gets the answer of six sentences", () => {
  const answer = chooseAnswer("Why does a voice agent that streams feel faster?");
  expect(answer).toBe(BUILT_IN_ANSWERS.find(({ sentences }) => sentences.length === 6)!.sentences.join(" "));
});

test("answers have 2 to 12 sentences", () => {
  const lengths = BUILT_IN_ANSWERS.map(({ sentences }) => sentences.length);
  expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([2, 12]);
});

test("a word of the prompt chooses; without one the prompt's hash does, always the same way", () => {
  expect(chooseAnswer("How do I brew coffee?")).toContain("60 grams");
  const others = Array.from({ length: 40 }, (_, i) => `qqq ${i}`);
  expect(others.map(chooseAnswer)).toEqual(others.map(chooseAnswer));
  expect(new Set(others.map(chooseAnswer)).size).toBeGreaterThan(2);
});
