import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasSpeakableText, toSpeakableText } from "../../../lib/text/speakable.ts";

const CASES: { text: string; spoken: string }[] = JSON.parse(
  readFileSync(new URL("../../fixtures/text/speakable.json", import.meta.url), "utf8"),
);

const markdownText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."* ** *** _ __ ` ``` ~~ # ## - > | [ ] ( ) ! < > . , 😀 👍🏽 ~ = 1. [1] <b>".split(" "),
      ),
      fc.constantFrom(" ", "\n", "\n\n", "word", "a_b", "3*4", "https://a.example/x_y"),
      fc.string({ unit: "grapheme", maxLength: 4 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

describe("toSpeakableText", () => {
  it.each(CASES)("$text", ({ text, spoken }) => {
    expect(toSpeakableText(text)).toBe(spoken);
  });

  it("leaves plain words alone", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 20, mode: "sentences" }), (text) => {
        expect(toSpeakableText(text)).toBe(text.trim());
      }),
    );
  });

  it("gives no doubled space, no space around, and nothing that cannot be heard", () => {
    fc.assert(
      fc.property(markdownText, (text) => {
        const spoken = toSpeakableText(text);
        expect(spoken).toBe(spoken.trim());
        expect(spoken).not.toMatch(/\s\s|\n|\p{Extended_Pictographic}/u);
        expect(spoken === "" || hasSpeakableText(spoken)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(["*", "_", "`", "[", "(", "<a", "<!--", "|", "- ", "> ", "[a](", "😀", " ", "~~", "#"])(
    "reads a long run of %j in reasonable time",
    (unit) => {
      // No clock is read: a pattern that backtracks would run into the test's own time limit.
      toSpeakableText(unit.repeat(4_000));
      toSpeakableText(`${unit.repeat(4_000)}x`);
    },
  );
});

describe("hasSpeakableText", () => {
  it.each(["a", "7", "é", "中", "न", "  x  ", "**b**"])("hears %j", (text) => {
    expect(hasSpeakableText(text)).toBe(true);
  });
  it.each(["", " ", "...", "—", "😀", "\n", "$%&", "*_*"])("hears nothing in %j", (text) => {
    expect(hasSpeakableText(text)).toBe(false);
  });
});
