import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTextCorpus } from "../../../lib/bench/text-corpus.ts";
import { hasSpeakableText, mapSpeakableText, toSpeakableText } from "../../../lib/text/speakable.ts";

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
        expect(spoken).not.toMatch(/\s\s|\n|(?![©®™])\p{Extended_Pictographic}/u);
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

describe("spoken form of the corpus", () => {
  it.each(readTextCorpus())("$kind ($language): $text", ({ language, pieces, spoken }) => {
    expect(pieces.map((piece) => toSpeakableText(piece, { language }))).toEqual(spoken);
    for (const said of spoken) expect(toSpeakableText(said, { language }), "said again").toBe(said);
  });
});

describe("options", () => {
  it("says the words as written when it shall not normalize, with marks and lexicon", () => {
    const text = "**It** costs $5 [pause:1s] per SQL seat.";
    expect(toSpeakableText(text, { normalize: false, lexicon: { SQL: "sequel" } })).toBe(
      "**It** costs $5 [pause:1s] per sequel seat.",
    );
  });

  it("names emoji, once each, or drops them", () => {
    expect(toSpeakableText("Done 🎉🎉 now 👍🏽!", { emoji: "name" })).toBe(
      "Done party popper now thumbs up!",
    );
    expect(toSpeakableText("🎉", { emoji: "name" })).toBe("party popper");
    expect(toSpeakableText("🎉", { emoji: "name", language: "fr" })).toBe("");
  });

  it("says a lexicon's words, the longest first, and touches them no more", () => {
    const lexicon = { sql: "sequel", "SQL Server": "S Q L server", Nguyen: "/wˈɪn/", "C++": "C plus plus" };
    const said = (text: string) => toSpeakableText(text, { lexicon });
    expect(said("SQL and Sql on SQL Server 5.")).toBe("sequel and sequel on S Q L server five.");
    expect(said("Mr. Nguyen, not nguyen.")).toBe("Mr. [Nguyen](/wˈɪn/), not nguyen.");
    expect(said("MySQL and C++.")).toBe("MySQL and C plus plus.");
  });
});

describe("mapSpeakableText", () => {
  const written = (text: string) =>
    mapSpeakableText(text).words.map(({ word, from, to }) => [word, text.slice(from, to)]);

  it("finds the written part of each word said", () => {
    expect(written("**Pay** $5.50 by 5pm.")).toEqual([
      ["Pay", "Pay"],
      ["five", "$5.50"],
      ["dollars", "$5.50"],
      ["and", "$5.50"],
      ["fifty", "$5.50"],
      ["cents", "$5.50"],
      ["by", "by"],
      ["five", "5pm."],
      ["p.m.", "5pm."],
    ]);
  });

  it("goes through marks and markdown", () => {
    expect(written("See [the docs](https://a.example) [pause:1s] and *go*")).toEqual([
      ["See", "See"],
      ["the", "the"],
      ["docs", "docs"],
      ["[pause:1s]", "[pause:1s]"],
      ["and", "and"],
      ["go", "go"],
    ]);
  });

  it("keeps the order of the text and stays inside it", () => {
    fc.assert(
      fc.property(
        fc.oneof(markdownText, fc.constantFrom(...readTextCorpus().map(({ text }) => text))),
        (text) => {
          let before = 0;
          for (const { from, to } of mapSpeakableText(text).words) {
            expect(from).toBeGreaterThanOrEqual(before);
            expect(to).toBeGreaterThanOrEqual(from);
            expect(to).toBeLessThanOrEqual(text.length);
            before = from;
          }
        },
      ),
    );
  });
});
