import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SpeechError } from "../../../lib/errors.ts";
import { encodeSse, type SseEvent, SseReader } from "../../../lib/protocol/sse.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function readAll(chunks: Iterable<Uint8Array>, eventMaxChars?: number): SseEvent[] {
  const reader = new SseReader(eventMaxChars);
  return Array.from(chunks).flatMap((chunk) => reader.feed(chunk));
}

const byByte = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (byte) => Uint8Array.of(byte));

function cutAt(bytes: Uint8Array, fractions: readonly number[]): Uint8Array[] {
  const places = fractions.map((part) => Math.floor(part * (bytes.length + 1))).sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const CASES: [name: string, stream: string, events: SseEvent[]][] = [
  ["a plain event", "data: a\n\n", [{ data: "a" }]],
  ["no space after the colon", "data:a\n\n", [{ data: "a" }]],
  ["only the first space goes", "data:  a \n\n", [{ data: " a " }]],
  ["lines joined", "data: a\ndata: b\n\n", [{ data: "a\nb" }]],
  ["CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", [{ data: "a" }, { data: "b" }]],
  ["CR alone", "data: a\r\rdata: b\r\r", [{ data: "a" }, { data: "b" }]],
  ["ends of lines mixed", "data: a\r\n\ndata: b\n\r\n", [{ data: "a" }, { data: "b" }]],
  ["a name", "event: audio_chunk\ndata: a\n\n", [{ data: "a", event: "audio_chunk" }]],
  [
    "a name counts for one event only",
    "event: x\ndata: a\n\ndata: b\n\n",
    [{ data: "a", event: "x" }, { data: "b" }],
  ],
  ["comments, ids, retries", ": keep-alive\n\nid: 7\nretry: 10\ndata: a\n\n", [{ data: "a" }]],
  ["a field without a colon", "data\n\n", [{ data: "" }]],
  ["empty data", "data:\n\n", [{ data: "" }]],
  ["a name without data", "event: x\n\ndata: a\n\n", [{ data: "a" }]],
  ["blank lines in between", "\n\n\ndata: a\n\n\n\n", [{ data: "a" }]],
  ["a byte order mark", "\ufeffdata: a\n\n", [{ data: "a" }]],
  ["characters of 1 to 4 bytes", "data: aé中😀\n\n", [{ data: "aé中😀" }]],
  ["an event that never ended", "data: a\n\ndata: b\n", [{ data: "a" }]],
  ["colons in the data", 'data: {"a": "b:c"}\n\n', [{ data: '{"a": "b:c"}' }]],
];

describe("SseReader", () => {
  it.each(CASES)("%s", (_name, stream, events) => {
    expect(readAll([utf8(stream)])).toEqual(events);
    expect(readAll(byByte(utf8(stream)))).toEqual(events);
  });

  it("acts only on the blank line", () => {
    const reader = new SseReader();
    expect(reader.feed(utf8("data: a"))).toEqual([]);
    expect(reader.feed(utf8("\n"))).toEqual([]);
    expect(reader.feed(utf8("\n"))).toEqual([{ data: "a" }]);
  });

  it("acts on a blank line that ends in CR without waiting for what follows", () => {
    const reader = new SseReader();
    expect(reader.feed(utf8("data: a\r\n\r"))).toEqual([{ data: "a" }]);
    expect(reader.feed(utf8("\ndata: b\r\n\r\n"))).toEqual([{ data: "b" }]);
  });

  it("gives the same events however the bytes are cut", () => {
    const part = fc.oneof(
      fc.constantFrom(
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "data: ",
        "data:",
        "event: ",
        ":",
        " ",
        "é",
        "中",
        "😀",
        "id: 1",
      ),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    );
    const bytes = fc.oneof(
      fc.array(part, { maxLength: 60 }).map((parts) => utf8(parts.join(""))),
      // Bytes that are no UTF-8 become replacement characters, the same ones wherever they are cut.
      fc.tuple(fc.array(part, { maxLength: 20 }), fc.uint8Array({ maxLength: 20 })).map(([parts, wild]) => {
        const text = utf8(parts.join(""));
        return Uint8Array.from([...text, ...wild, ...text]);
      }),
    );
    const fractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
    fc.assert(
      fc.property(bytes, fractions, (stream, cuts) => {
        const whole = readAll([stream]);
        expect(readAll(cutAt(stream, cuts))).toEqual(whole);
        expect(readAll(byByte(stream))).toEqual(whole);
      }),
      { numRuns: 3000 },
    );
  });

  it("gives back what encodeSse wrote", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), (values) => {
        const stream = values.map((value) => encodeSse(JSON.stringify(value))).join("");
        expect(readAll(byByte(utf8(stream))).map(({ data }) => JSON.parse(data))).toEqual(
          JSON.parse(JSON.stringify(values)),
        );
      }),
    );
  });
});

describe("limit", () => {
  const LIMIT = 100;
  const fails = (chunks: Uint8Array[]) => {
    try {
      readAll(chunks, LIMIT);
    } catch (error) {
      expect(error).toBeInstanceOf(SpeechError);
      expect((error as SpeechError).code).toBe("PROTOCOL_VIOLATION");
      expect((error as SpeechError).message).toBe("an SSE event is longer than 100 characters");
      return true;
    }
    return false;
  };

  it.each([
    ["one long line", `data: ${"x".repeat(LIMIT)}\n\n`],
    ["a line that never ends", "x".repeat(LIMIT + 1)],
    ["many lines", "data: xxxxxxxxx\n".repeat(11)],
    ["many lines without text", "data:\n".repeat(LIMIT + 1)],
    ["a long comment", `:${"x".repeat(LIMIT)}`],
  ])("fails on %s", (_name, stream) => {
    expect(fails([utf8(stream)])).toBe(true);
    expect(fails(byByte(utf8(stream)))).toBe(true);
  });

  it("counts each event by itself", () => {
    const stream = utf8(`data: ${"x".repeat(90)}\n\n`.repeat(50));
    expect(fails([stream])).toBe(false);
    expect(fails(byByte(stream))).toBe(false);
  });
});
