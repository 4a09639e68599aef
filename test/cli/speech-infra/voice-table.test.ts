import { expect, it } from "vitest";
import { voiceTable } from "../../../cli/speech-infra/voice-table.ts";
import { VOICES } from "../../../lib/kokoro/voices.ts";

it("lists every voice with language and gender in aligned columns", () => {
  const lines = voiceTable(VOICES);
  expect(lines).toHaveLength(1 + 54 + 2);
  expect(lines[0]).toBe("voice          language                      gender");
  expect(lines.find((line) => line.startsWith("af_heart"))).toBe(
    "af_heart *     American English (en-us)      female",
  );
  expect(lines.find((line) => line.startsWith("bm_george"))).toMatch(/British English \(en-gb\) +male$/);
  expect(new Set(lines.slice(0, 55).map((line) => line.search(/(fe)?male$|gender$/))).size).toBe(1);
});
