import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { readTextCorpus } from "../../../lib/bench/text-corpus.ts";
import type { ChunkerOptions } from "../../../lib/text/chunker-options.ts";
import { IncrementalSentenceChunker } from "../../../lib/text/sentence-chunker.ts";
import { hasSpeakableText } from "../../../lib/text/speakable.ts";

const CASES = readTextCorpus();

function chunk(fragments: Iterable<string>, options?: ChunkerOptions): string[] {
  const chunker = new IncrementalSentenceChunker(options);
  const pieces: string[] = [];
  for (const fragment of fragments) pieces.push(...chunker.feed(fragment));
  const rest = chunker.flush();
  return rest === null ? pieces : [...pieces, rest];
}

/** UTF-16 units one by one: surrogate pairs come in halves. */
const units = (text: string): string[] => text.split("");

/** Cuts at the given fractions of the text's length. */
function cutAt(text: string, fractions: readonly number[]): string[] {
  const places = fractions.map((part) => Math.floor(part * (text.length + 1))).sort((a, b) => a - b);
  return [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length));
}

const withoutSpace = (text: string): string => text.replace(/\s+/gu, "");

describe("corpus", () => {
  it("is rich", () => {
    expect(CASES.length).toBeGreaterThanOrEqual(300);
  });

  it.each(CASES)("$kind: $text", ({ text, pieces }) => {
    expect(chunk([text]), "fed whole").toEqual(pieces);
    expect(chunk(units(text)), "fed one unit at a time").toEqual(pieces);
  });

  it("is the same in random cuts", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CASES),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
        ({ text, pieces }, fractions) => {
          expect(chunk(cutAt(text, fractions))).toEqual(pieces);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("when a piece is released", () => {
  const feedEach = (...fragments: string[]) => {
    const chunker = new IncrementalSentenceChunker();
    return fragments.map((fragment) => chunker.feed(fragment));
  };

  it("releases a sentence at the space, before the next word is known", () => {
    expect(feedEach("Hello there", ".", " ")).toEqual([[], [], ["Hello there."]]);
    expect(feedEach("Really", "?", "\n")).toEqual([[], [], ["Really?"]]);
  });

  it("releases at once where no space is set and no mark can follow", () => {
    expect(feedEach("你好。")).toEqual([["你好。"]]);
    expect(feedEach("नमस्ते।")).toEqual([["नमस्ते।"]]);
    expect(feedEach("真的吗？", "太")).toEqual([[], ["真的吗？"]]);
  });

  it("waits for the next character after a number, a quotation and an ellipsis", () => {
    expect(feedEach("It was 1999. ", "W")).toEqual([[], ["It was 1999."]]);
    expect(feedEach('She said "no." ', "W")).toEqual([[], ['She said "no."']]);
    expect(feedEach("Well... ", "W")).toEqual([[], ["Well..."]]);
  });

  it("waits for the whole next word after an abbreviation", () => {
    expect(feedEach("In the U.S. ", "The", " ")).toEqual([[], [], ["In the U.S."]]);
  });

  it("releases several sentences of one fragment", () => {
    expect(feedEach("One. Two. Three. Fo")).toEqual([["One.", "Two.", "Three."]]);
  });

  it("releases a heading and an item at the end of its line", () => {
    expect(feedEach("# Title", "\n")).toEqual([[], ["# Title"]]);
    expect(feedEach("- one\n", "- ")).toEqual([[], ["- one"]]);
  });
});

describe("releaseStalled", () => {
  const stalledAfter = (...fragments: string[]) => {
    const chunker = new IncrementalSentenceChunker();
    const fed = fragments.flatMap((fragment) => chunker.feed(fragment));
    return { fed, stalled: chunker.releaseStalled(), rest: chunker.flush() };
  };

  it("gives a clause that is finished, and keeps the rest", () => {
    expect(stalledAfter("When it rains, the chil")).toEqual({
      fed: [],
      stalled: ["When it rains,"],
      rest: "the chil",
    });
  });

  it("gives a sentence whose end only waits to be confirmed", () => {
    expect(stalledAfter("It was 1999. ")).toEqual({ fed: [], stalled: ["It was 1999."], rest: null });
    expect(stalledAfter("Wait... ")).toMatchObject({ stalled: ["Wait..."] });
  });

  it.each(["", "Half a wor", "It was 3.", "See Dr. ", "(a remark, and", '"Stop! ', "<b", "1, 2"])(
    "gives nothing after %j",
    (text) => {
      const { stalled, rest } = stalledAfter(text);
      expect(stalled).toEqual([]);
      expect(rest ?? "").toBe(text.trim());
    },
  );

  it("loses nothing, and cuts no word, whenever it is called", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CASES),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ text, language }, part) => {
          const chunker = new IncrementalSentenceChunker();
          const at = Math.floor(part * text.length);
          const pieces = [...chunker.feed(text.slice(0, at)), ...chunker.releaseStalled()];
          pieces.push(...chunker.feed(text.slice(at)), chunker.flush() ?? "");
          const source = withoutSpace(text);
          const joined = withoutSpace(pieces.join(""));
          expect(source.startsWith(joined)).toBe(true);
          expect(hasSpeakableText(source.slice(joined.length))).toBe(false);
          if (language === "zh" || language === "ja") return;
          const words = new Set(text.match(/\p{L}+/gu));
          for (const word of pieces.join(" ").match(/\p{L}+/gu) ?? []) expect(words).toContain(word);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("flush and reset", () => {
  it("gives what is left and starts anew", () => {
    const chunker = new IncrementalSentenceChunker();
    expect(chunker.feed('He said "half')).toEqual([]);
    expect(chunker.flush()).toBe('He said "half');
    expect(chunker.feed("New. Turn")).toEqual(["New."]);
    expect(chunker.flush()).toBe("Turn");
    expect(chunker.flush()).toBeNull();
  });

  it("gives null when no letter or digit is left", () => {
    for (const text of ["", "   ", "...", "—", "😀", "**", "\n\n"]) expect(chunk([text]), text).toEqual([]);
  });

  it("forgets all at reset", () => {
    const chunker = new IncrementalSentenceChunker();
    chunker.feed("- Half (a sentence");
    chunker.reset();
    expect(chunker.feed("Whole. ")).toEqual(["Whole."]);
    expect(chunker.flush()).toBeNull();
  });
});

describe("maxChars", () => {
  const cut = (text: string, maxChars: number) => chunk([text], { maxChars });

  it("cuts at a clause mark, then a dash, a bracket, a space", () => {
    expect(cut("one two three four, five six seven eight", 30)).toEqual([
      "one two three four,",
      "five six seven eight",
    ]);
    expect(cut("one two three four — five six seven eight", 30)).toEqual([
      "one two three four —",
      "five six seven eight",
    ]);
    expect(cut("one two three four (five six seven eight)", 30)).toEqual([
      "one two three four",
      "(five six seven eight)",
    ]);
    expect(cut("one two three four five six seven eight", 30)).toEqual([
      "one two three four five six",
      "seven eight",
    ]);
  });

  it("never cuts in a word or a number", () => {
    const text = "pneumonoultramicroscopic 1 234 567 890 electroencephalograph 1,234,567.89 abc".repeat(20);
    const words = new Set(text.split(" "));
    for (const piece of cut(text, 40)) {
      for (const word of piece.split(" ")) expect(words, word).toContain(word);
      expect(piece).not.toMatch(/\b1$|\b1 234$|\b1 234 567$/);
    }
  });

  it("cuts Chinese without marks between characters", () => {
    const pieces = cut("天".repeat(100), 40);
    expect(pieces.map((piece) => piece.length)).toEqual([39, 39, 22]);
  });

  it("cuts a word that never ends, never inside a character", () => {
    const pieces = cut(`x${"é\u0301𝒜".repeat(200)}`, 40);
    expect(pieces.join("")).toBe(`x${"é\u0301𝒜".repeat(200)}`);
    for (const piece of pieces) {
      expect(piece.isWellFormed()).toBe(true);
      expect(piece).not.toMatch(/^\u0301/);
      expect(piece.length).toBeLessThanOrEqual(84);
    }
  });

  it("leaves a sentence that just fits whole", () => {
    const sentence = "It is thirty chars long today.";
    expect(sentence.length).toBe(30);
    expect(cut(`${sentence} Next.`, 30)).toEqual([sentence, "Next."]);
  });

  it("takes a quotation that is never closed as none", () => {
    const text = `He said "${"It goes on. ".repeat(60)}`;
    const pieces = chunk([text]);
    expect(pieces[0]).toBe('He said "It goes on.');
    expect(pieces.length).toBe(60);
  });
});

describe("firstPieceMaxChars", () => {
  const text = "When the rain began, the children ran home, and the dog followed. Then it stopped, at last.";

  it("releases the first piece at a clause mark when the sentence is long", () => {
    expect(chunk([text], { firstPieceMaxChars: 30 })).toEqual([
      "When the rain began,",
      "the children ran home, and the dog followed.",
      "Then it stopped, at last.",
    ]);
  });

  it("leaves a short first sentence whole", () => {
    expect(chunk(["Yes, I do. Then, no."], { firstPieceMaxChars: 30 })).toEqual(["Yes, I do.", "Then, no."]);
  });

  it("does not cut inside a number", () => {
    expect(chunk(["It is about 1,234,567 in all today. So."], { firstPieceMaxChars: 10 })[0]).toBe(
      "It is about 1,234,567 in all today.",
    );
  });
});

describe("minChars", () => {
  it("joins a short sentence to the next, unless it is all there is", () => {
    expect(chunk(["Yes. I do like it. No."], { minChars: 10 })).toEqual(["Yes. I do like it.", "No."]);
    expect(chunk(["Yes."], { minChars: 10 })).toEqual(["Yes."]);
    expect(chunk(["Yes.\n\nNo."], { minChars: 10 })).toEqual(["Yes.", "No."]);
  });
});

/** Text made of what chunkers stumble over. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."a B 7 . ! ? … 。 ！ ， , ; : ( ) [ ] \" ' “ ” ‘ ’ 「 」 « » * _ ` ~ # - — | < > / @ $ 中".split(
          " ",
        ),
      ),
      fc.constantFrom(
        " ",
        "  ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "\u00a0",
        "\ud83d",
        "😀",
        "👩‍👧",
        "é",
        "é",
        "न",
        "।",
      ),
      fc.constantFrom(
        "Dr.",
        "e.g.",
        "U.S.",
        "p.m.",
        "etc.",
        "Inc. ",
        "1. ",
        "3.14",
        "- ",
        "# ",
        "```",
        "<b>",
        "[1]",
        "The ",
      ),
      fc.string({ unit: "grapheme", maxLength: 6 }),
      fc.lorem({ maxCount: 4 }),
    ),
    { maxLength: 80 },
  )
  .map((parts) => parts.join(""));

const anyOptions: fc.Arbitrary<ChunkerOptions> = fc.record(
  {
    maxChars: fc.integer({ min: 16, max: 400 }),
    firstPieceMaxChars: fc.integer({ min: 1, max: 60 }),
    minChars: fc.integer({ min: 0, max: 30 }),
  },
  { requiredKeys: [] },
);

describe("properties", () => {
  it("gives the same pieces however the text is cut", () => {
    fc.assert(
      fc.property(
        hostileText,
        anyOptions,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
        (text, options, fractions) => {
          const whole = chunk([text], options);
          expect(chunk(cutAt(text, fractions), options)).toEqual(whole);
          expect(chunk(units(text), options)).toEqual(whole);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("loses nothing but white space and marks that no word follows", () => {
    fc.assert(
      fc.property(hostileText, anyOptions, (text, options) => {
        const joined = withoutSpace(chunk([text], options).join(""));
        const source = withoutSpace(text);
        expect(source.startsWith(joined)).toBe(true);
        expect(hasSpeakableText(source.slice(joined.length))).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  it("never gives a piece of marks only, nor one with space around it", () => {
    fc.assert(
      fc.property(hostileText, anyOptions, (text, options) => {
        for (const piece of chunk([text], options)) {
          expect(hasSpeakableText(piece)).toBe(true);
          expect(piece).toBe(piece.trim());
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("work and memory", () => {
  const RUNS = {
    digits: "1",
    dots: ".",
    brackets: "(",
    quotes: '"',
    letters: "a",
    spaces: " ",
    newlines: "\n",
    words: "word ",
    sentences: "It is so. ",
    abbreviations: "e.g. U.S. p.m. ",
    "quotes never closed": '"a. B ',
    "tags never closed": "<a ",
    citations: "a.[1",
    items: "- a\n",
    "Chinese without marks": "天",
    emoji: "😀",
    "combining marks": "e\u0301\u0301\u0301",
  };

  /** Characters looked at, counted where the text is read. */
  function steps(text: string, fragmentChars: number): number {
    const spy = vi.spyOn(String.prototype, "codePointAt");
    try {
      const chunker = new IncrementalSentenceChunker();
      for (let at = 0; at < text.length; at += fragmentChars)
        chunker.feed(text.slice(at, at + fragmentChars));
      chunker.flush();
      return spy.mock.calls.length;
    } finally {
      spy.mockRestore();
    }
  }

  it.each(Object.entries(RUNS))("reads %s in linear time", (_kind, unit) => {
    const few = steps(unit.repeat(2_000 / unit.length), 7);
    const many = steps(unit.repeat(20_000 / unit.length), 7);
    expect(many / few).toBeLessThan(12);
    expect(many).toBeLessThan(20_000 * 6);
  });

  it.each(Object.entries(RUNS))("holds a bounded text of %s", (_kind, unit) => {
    const chunker = new IncrementalSentenceChunker();
    for (let fed = 0; fed < 50_000; fed += unit.length) chunker.feed(unit);
    expect((chunker.flush() ?? "").length).toBeLessThanOrEqual(800 + 2 * unit.length);
  });
});
