import fc from "fast-check";
import { expect, test } from "vitest";
import { splitTokens } from "../../../lib/local/bedrock-tokens.ts";

test("the pieces joined are the text, whatever it holds", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      expect(splitTokens(text).join("")).toBe(text);
      expect(splitTokens(text)).not.toContain("");
    }),
  );
});

test("pieces are of a language model's size: words with their space, parts of long words, digits, marks", () => {
  expect(splitTokens("Streaming feels faster, by 1234 ms.")).toEqual([
    "Stre",
    "aming",
    " feels",
    " faster",
    ",",
    " by",
    " 123",
    "4",
    " ms",
    ".",
  ]);
});

test("English averages three to five characters a piece, as the common vocabularies do", () => {
  const text =
    "A voice agent that streams feels faster because you hear its first sentence while the second is still being written.";
  const average = text.length / splitTokens(text).length;
  expect(average).toBeGreaterThan(3);
  expect(average).toBeLessThan(6);
});
