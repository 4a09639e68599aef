import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitTokens } from "../../../lib/kokoro/token-splitter.ts";
import { tokenIdOf, toTokenIds, VOCABULARY_SYMBOLS } from "../../../lib/kokoro/vocabulary.ts";

const SYMBOL_BY_ID = new Map(VOCABULARY_SYMBOLS.map((symbol) => [tokenIdOf(symbol)!, symbol]));
const spelled = (ids: number[]) => ids.map((id) => SYMBOL_BY_ID.get(id)!).join("");
const split = (phonemes: string, tokensMax?: number) => splitTokens(phonemes, tokensMax).map(spelled);
const isMark = (symbol: string) => !/[\p{L}\p{M}]/u.test(symbol);

describe("splitTokens", () => {
  it("leaves a text that fits whole", () => {
    expect(split("həlˈoʊ wˈɜːld!")).toEqual(["həlˈoʊ wˈɜːld!"]);
    expect(splitTokens("a".repeat(510))).toEqual([toTokenIds("a".repeat(510))]);
  });

  it.each(["", " ", "...", "?! —", "😀"])("gives nothing for %j, which has no phoneme", (phonemes) => {
    expect(splitTokens(phonemes)).toEqual([]);
  });

  it("cuts after a sentence rather than a clause, a clause rather than a word", () => {
    expect(split("aa bb. cc, dd ee", 12)).toEqual(["aa bb.", "cc, dd ee"]);
    expect(split("aaa bb, cc dd ee", 12)).toEqual(["aaa bb,", "cc dd ee"]);
    expect(split("aaa bb cc dd ee", 12)).toEqual(["aaa bb cc", "dd ee"]);
    expect(split("a".repeat(25), 10)).toEqual(["a".repeat(10), "a".repeat(10), "a".repeat(5)]);
  });

  it("does not waste a window on a mark near its start", () => {
    expect(split("a. bbb bbb bbb bbb", 15)[0]).toBe("a. bbb bbb bbb");
  });

  it("drops a lone mark at the end instead of speaking it", () => {
    expect(split(`${"a".repeat(10)}.`, 10)).toEqual(["a".repeat(10)]);
  });

  it("keeps every phoneme in order, in pieces that fit", () => {
    const symbol = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...VOCABULARY_SYMBOLS) },
      { weight: 2, arbitrary: fc.constant(" ") },
      { weight: 1, arbitrary: fc.constantFrom("😀", "g", "\n", "\u0329") },
    );
    fc.assert(
      fc.property(
        fc.array(symbol, { maxLength: 400 }),
        fc.integer({ min: 1, max: 60 }),
        (symbols, tokensMax) => {
          const pieces = splitTokens(symbols.join(""), tokensMax);
          for (const piece of pieces) {
            expect(piece.length).toBeGreaterThan(0);
            expect(piece.length).toBeLessThanOrEqual(tokensMax);
          }
          const phonemesOnly = (text: string) => [...text].filter((one) => !isMark(one)).join("");
          const known = symbols.filter((one) => tokenIdOf(one) !== undefined).join("");
          expect(phonemesOnly(pieces.map(spelled).join(""))).toBe(phonemesOnly(known));
        },
      ),
    );
  });
});
