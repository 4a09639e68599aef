import { expect, test } from "vitest";
import { chosenClips, ENGINE_CLIPS } from "../../../lib/bench/engine-clips.ts";
import { readTexts } from "../../../lib/bench/speaker-texts.ts";

const wordsOf = (clip: string) => clip.split(" ").length;

test("are 24 texts of 2 to 60 words, each longer than the one before or as long", () => {
  const lengths = ENGINE_CLIPS.map(wordsOf);
  expect(new Set(ENGINE_CLIPS).size).toBe(24);
  expect(lengths[0]).toBe(2);
  expect(lengths.at(-1)).toBe(60);
  expect(ENGINE_CLIPS.some((clip) => Math.abs(clip.length - 100) <= 5)).toBe(true);
});

test("are words and marks only, so that a recognizer can write them down", () => {
  for (const clip of ENGINE_CLIPS) expect(clip).toMatch(/^[A-Za-z ,]+\.$/);
});

test("fit the model in one piece, so that every engine speaks them alike", async () => {
  for (const { ids } of await readTexts(ENGINE_CLIPS)) expect(ids.length).toBeLessThanOrEqual(510);
});

test("a choice of them is spread over the lengths", () => {
  expect(chosenClips(24)).toEqual(ENGINE_CLIPS);
  expect(chosenClips(2)).toEqual([ENGINE_CLIPS[0], ENGINE_CLIPS[23]]);
  expect(new Set(chosenClips(7)).size).toBe(7);
});

test("fails for a text that engines would cut in different ways", async () => {
  await expect(readTexts([ENGINE_CLIPS[23]!.repeat(4)])).rejects.toThrow("one piece");
});
