import { describe, expect, it } from "vitest";
import { LEXICON_MAX_ENTRIES, readLexicon } from "../../../lib/text/lexicon.ts";

describe("readLexicon", () => {
  it("takes words and what is said for them", () => {
    const lexicon = { SQL: "sequel", Nguyen: "/wˈɪn/", Inc: "" };
    expect(readLexicon(lexicon, "words.json")).toEqual(lexicon);
  });

  it.each([null, [], "SQL", 5])("fails for %j, with an example", (value) => {
    expect(() => readLexicon(value, "words.json")).toThrow(/^words.json must be a JSON object .*sequel/);
  });

  it.each([{ " ": "x" }, { a: 5 }, { a: "x".repeat(201) }, { ["x".repeat(201)]: "a" }])(
    "fails for a wrong entry, and says which",
    (entry) => {
      expect(() => readLexicon({ fine: "fine", ...entry }, "words.json")).toThrow(/^words.json: entry 2 /);
    },
  );

  it("fails for too many", () => {
    const many = Object.fromEntries(
      Array.from({ length: LEXICON_MAX_ENTRIES + 1 }, (_, index) => [`w${index}`, "x"]),
    );
    expect(() => readLexicon(many, "words.json")).toThrow(/at most 500 words, got 501/);
  });
});
