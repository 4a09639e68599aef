/** The one rule that is easy to get wrong: control is what parses as a JSON object as a whole; the rest is audio. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readContainerPart } from "../../../lib/protocol/messages.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const utf8Around = (before: string, byte: number, after: string): Uint8Array =>
  Uint8Array.from([...utf8(before), byte, ...utf8(after)]);

function expectAudio(bytes: Uint8Array): void {
  const part = readContainerPart(bytes);
  expect(part.kind).toBe("audio");
  // The very buffer: nothing is copied.
  if (part.kind === "audio") expect(part.bytes).toBe(bytes);
}

describe("audio is not taken for control", () => {
  it.each([
    ["begins with 0x7b", Uint8Array.of(0x7b, 0x00, 0x01, 0x02)],
    ["begins like a message", Uint8Array.from([...utf8('{"type": "synthesis_start"'), 0x00, 0x80])],
    ["begins with 0x7b and ends with 0x7d", Uint8Array.of(0x7b, 0x00, 0xff, 0x7d)],
    ["is 0x7b 0x7d with a sample between", Uint8Array.of(0x7b, 0x01, 0x02, 0x7d)],
    ["ends with 0x7d", Uint8Array.of(0x00, 0x01, 0x02, 0x7d)],
    ["is empty", new Uint8Array(0)],
    ["is one byte, 0x7b", Uint8Array.of(0x7b)],
    ["is white space only", utf8(" \n\t ")],
    ["is silence", new Uint8Array(4_800)],
    ["holds a message and one sample more", Uint8Array.from([...utf8('{"type": "x"}'), 0, 0])],
    ["is a message save for one byte that is no UTF-8", utf8Around('{"type": "x", "p": "', 0xff, '"}')],
    ["holds two messages", utf8('{"type": "x"}{"type": "y"}')],
  ])("audio that %s", (_name, bytes) => {
    expectAudio(bytes);
  });

  it.each(["[1, 2, 3]", '["{}"]', "12345678", '"{}"', "null", "true", "-1.5e3"])(
    "valid JSON that is no object: %s",
    (json) => {
      expectAudio(utf8(json));
    },
  );

  it("a text frame that is no object is audio, too", () => {
    expect(readContainerPart("[1]")).toEqual({ kind: "audio", bytes: Buffer.from("[1]") });
  });

  it("any PCM, also between braces, is audio unless it really is an object", () => {
    const pcm = fc.uint8Array({ maxLength: 200 });
    const braced = pcm.map((bytes) => Uint8Array.of(0x7b, ...bytes, 0x7d));
    fc.assert(
      fc.property(
        fc.oneof(
          pcm,
          braced,
          braced.map((b) => b.subarray(0, -1)),
          braced.map((b) => b.subarray(1)),
        ),
        (bytes) => {
          const part = readContainerPart(bytes);
          if (part.kind !== "audio") {
            const parsed: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
            expect(typeof parsed).toBe("object");
          } else expect(part.bytes).toBe(bytes);
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe("control is not taken for audio", () => {
  it("white space around an object is allowed", () => {
    expect(readContainerPart(utf8(' \r\n\t{"type": "x"}\n')).kind).toBe("unknown");
  });

  it("any JSON object is control, in either kind of frame", () => {
    const object = fc.dictionary(
      fc.string().filter((key) => key !== "type" && key !== "ModelStreamError"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(object, fc.nat({ max: 2 }), (value, indent) => {
        const json = JSON.stringify(value, undefined, indent);
        expect(readContainerPart(utf8(json)).kind).toBe("unknown");
        expect(readContainerPart(json).kind).toBe("unknown");
      }),
    );
  });

  it("a view into a larger buffer is read by its own bounds", () => {
    const buffer = utf8('xx{"type": "y"}xx');
    expect(readContainerPart(buffer.subarray(2, -2))).toEqual({ kind: "unknown", type: "y" });
    expectAudio(buffer.subarray(3, -2));
  });
});
