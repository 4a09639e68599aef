import { describe, expect, it } from "vitest";
import { TOKENS_MAX, tokenIdOf, toTokenIds, VOCABULARY_SYMBOLS } from "../../../lib/kokoro/vocabulary.ts";

describe("vocabulary", () => {
  it("has the ids of hexgrad/Kokoro-82M's config.json", () => {
    // First and last of its groups, and the symbols that a shifted group would get wrong.
    const published = {
      ";": 1,
      "?": 6,
      "—": 9,
      " ": 16,
      "\u0303": 17,
      ʣ: 18,
      I: 25,
      O: 31,
      Q: 33,
      S: 35,
      T: 36,
      W: 39,
      Y: 41,
      ᵊ: 42,
      a: 43,
      f: 48,
      h: 50,
      z: 68,
      ɑ: 69,
      æ: 72,
      ç: 78,
      ð: 81,
      ə: 83,
      ɚ: 85,
      ɜ: 87,
      ɡ: 92,
      ɪ: 102,
      ŋ: 112,
      ɹ: 123,
      ɾ: 125,
      ʃ: 131,
      ʧ: 133,
      ʊ: 135,
      ʌ: 138,
      ʒ: 147,
      ʔ: 148,
      ˈ: 156,
      ː: 158,
      ʲ: 164,
      "↘": 173,
      ᵻ: 177,
    };
    expect(Object.fromEntries(Object.keys(published).map((symbol) => [symbol, tokenIdOf(symbol)]))).toEqual(
      published,
    );
  });

  it("has 114 symbols, each with an id of its own, and none has the pad's", () => {
    const ids = VOCABULARY_SYMBOLS.map(tokenIdOf);
    expect(ids).toHaveLength(114);
    expect(new Set(ids).size).toBe(114);
    expect(ids).not.toContain(0);
  });

  it("leaves out what the model does not know, also outside the basic plane", () => {
    expect(toTokenIds("hˈi\u0329😀g!")).toEqual([50, 156, 51, 5]);
  });

  it("takes 510 ids at once", () => expect(TOKENS_MAX).toBe(510));
});
