import { describe, expect, it } from "vitest";
import { integerParser, modesParser, numberParser, requireHttpUrl, wordsParser } from "../../cli/options.ts";

describe("integerParser", () => {
  const parse = integerParser("--runs", 1, 100);
  it.each([
    ["1", 1],
    ["100", 100],
    [" 7 ", 7],
  ])("takes %j", (text, value) => expect(parse(text)).toBe(value));

  it.each(["0", "101", "", " ", "-1", "1.5", "1e2", "0x10", "many", "9".repeat(400)])(
    "fails on %j",
    (text) => {
      expect(() => parse(text)).toThrow(/^--runs must be a whole number from 1 to 100, got "/);
    },
  );
});

describe("numberParser", () => {
  const parse = numberParser("--speed", 0.5, 2);
  it.each([
    ["0.5", 0.5],
    ["2", 2],
    ["1.25", 1.25],
  ])("takes %j", (text, value) => expect(parse(text)).toBe(value));

  it.each(["0.49", "2.01", "", " ", "fast", "NaN", "Infinity", "1,5"])("fails on %j", (text) => {
    expect(() => parse(text)).toThrow(/^--speed must be a number from 0\.5 to 2, got "/);
  });
});

describe("modesParser", () => {
  it("keeps the order given, each mode once", () => {
    expect(modesParser("batch,bidi, batch")).toEqual(["batch", "bidi"]);
  });

  it.each(["", "bidi,", "Bidi", "bidi batch", "all"])("fails on %j", (text) => {
    expect(() => modesParser(text)).toThrow(/--modes must be one or more of bidi, batch-stream, batch/);
  });
});

describe("wordsParser", () => {
  it("takes words as they are, and fails white space alone", () => {
    expect(wordsParser("--prompt")(" Why? ")).toBe(" Why? ");
    expect(() => wordsParser("--prompt")(" \n")).toThrow(/--prompt must be a text that is not empty/);
  });
});

describe("requireHttpUrl", () => {
  it("takes http and https", () => {
    expect(requireHttpUrl("--endpoint-url", "https://example.org/x").host).toBe("example.org");
  });

  it.each(["localhost:8080", "", "ftp://x", "8080"])("fails on %j", (text) => {
    expect(() => requireHttpUrl("--endpoint-url", text)).toThrow(/--endpoint-url must be a URL such as/);
  });
});
