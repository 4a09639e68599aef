import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TrackedText } from "../../../lib/text/tracked-text.ts";

describe("TrackedText", () => {
  it("knows where each word comes from, through several steps", () => {
    const text = new TrackedText("a 12 b").replace(/12/g, "twelve apples").replace(/apples/g, "big pears");
    expect(text.text).toBe("a twelve big pears b");
    expect(text.words()).toEqual([
      { word: "a", from: 0, to: 1 },
      { word: "twelve", from: 2, to: 4 },
      { word: "big", from: 2, to: 4 },
      { word: "pears", from: 2, to: 4 },
      { word: "b", from: 5, to: 6 },
    ]);
  });

  it("leaves a match for which there is nothing to say instead", () => {
    expect(new TrackedText("a1 b2").replace(/\d/g, (digit) => (digit === "1" ? undefined : "two")).text).toBe(
      "a1 btwo",
    );
  });

  it("rewrites as String.replace does", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", " ", "1") }),
        fc.string({ maxLength: 3 }),
        (text, said) => {
          const tracked = new TrackedText(text).replace(/a+|1/g, said).replace(/b /g, "");
          expect(tracked.text).toBe(text.replace(/a+|1/g, () => said).replace(/b /g, ""));
          for (const { from, to } of tracked.words()) expect(from <= to && to <= text.length).toBe(true);
        },
      ),
    );
  });
});
