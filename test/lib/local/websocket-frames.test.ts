import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  encodeClientFrame,
  encodeClose,
  OPCODE,
  WebSocketFrameReader,
} from "../../../lib/local/websocket-frames.ts";

const MAX_BYTES = 200_000;

/** A frame as a server writes it: not masked. */
function serverFrame(opcode: number, payload: Uint8Array | string, final = true): Buffer {
  const body = Buffer.from(payload as string);
  const head =
    body.length < 126
      ? Buffer.from([(final ? 0x80 : 0) | opcode, body.length])
      : body.length < 65_536
        ? Buffer.from([(final ? 0x80 : 0) | opcode, 126, body.length >> 8, body.length & 255])
        : Buffer.from([
            (final ? 0x80 : 0) | opcode,
            127,
            0,
            0,
            0,
            0,
            0,
            body.length >> 16,
            (body.length >> 8) & 255,
            body.length & 255,
          ]);
  return Buffer.concat([head, body]);
}

const read = (chunks: readonly Buffer[], maxBytes = MAX_BYTES) => {
  const reader = new WebSocketFrameReader(maxBytes);
  return chunks.flatMap((chunk) => [...reader.push(chunk)]);
};

function unmask(frame: Buffer): { opcode: number; final: boolean; payload: Buffer } {
  const length = frame[1]! & 0x7f;
  const at = length === 126 ? 4 : length === 127 ? 10 : 2;
  const payload = Buffer.from(frame.subarray(at + 4).map((byte, i) => byte ^ frame[at + (i & 3)]!));
  return { opcode: frame[0]! & 15, final: (frame[0]! & 0x80) !== 0, payload };
}

test("fragments stay apart and remember the kind of their message", () => {
  const frames = read([
    serverFrame(OPCODE.text, "one", false),
    serverFrame(OPCODE.ping, "now"),
    serverFrame(OPCODE.continuation, "two", true),
    serverFrame(OPCODE.binary, Buffer.from([0xff])),
  ]);
  expect(frames.map((f) => [f.opcode, f.final, f.text, f.payload.toString("latin1")])).toEqual([
    [OPCODE.text, false, true, "one"],
    [OPCODE.ping, true, false, "now"],
    [OPCODE.continuation, true, true, "two"],
    [OPCODE.binary, true, false, "\xff"],
  ]);
});

test("the same bytes give the same frames however they are cut", () => {
  const payload = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.constant(new Uint8Array(70_000).fill(5)));
  fc.assert(
    fc.property(fc.array(payload, { maxLength: 4 }), fc.array(fc.nat(80_000)), (payloads, cuts) => {
      const bytes = Buffer.concat(payloads.map((each) => serverFrame(OPCODE.binary, each)));
      const places = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ];
      const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
      expect(read(chunks).map((f) => f.payload.toString("hex"))).toEqual(
        payloads.map((each) => Buffer.from(each).toString("hex")),
      );
    }),
    { numRuns: 40 },
  );
});

test("a text fragment may end inside a character", () => {
  const bytes = Buffer.from("naïve");
  const frames = read([
    serverFrame(OPCODE.text, bytes.subarray(0, 3), false),
    serverFrame(OPCODE.continuation, bytes.subarray(3)),
  ]);
  expect(Buffer.concat(frames.map((f) => f.payload)).toString()).toBe("naïve");
});

describe("a server that breaks RFC 6455", () => {
  test.each<[string, Buffer, number]>([
    ["masks its frames", Buffer.from([0x81, 0x81, 0, 0, 0, 0, 65]), 1002],
    ["sets a reserved bit", Buffer.from([0xc1, 0x00]), 1002],
    ["uses an unknown opcode", Buffer.from([0x83, 0x00]), 1002],
    ["continues what never began", serverFrame(OPCODE.continuation, "x"), 1002],
    [
      "begins inside a message",
      Buffer.concat([serverFrame(OPCODE.text, "a", false), serverFrame(OPCODE.text, "b")]),
      1002,
    ],
    ["fragments a control frame", serverFrame(OPCODE.ping, "", false), 1002],
    ["sends a long control frame", serverFrame(OPCODE.ping, "x".repeat(126)), 1002],
    ["sends text that is not UTF-8", serverFrame(OPCODE.text, Buffer.from([0xff])), 1007],
    ["sends a giant frame", Buffer.from([0x82, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255]), 1009],
  ])("fails: %s", (_name, bytes, closeCode) => {
    expect(() => read([bytes])).toThrow(
      expect.objectContaining({ code: "PROTOCOL_VIOLATION", details: { closeCode } }),
    );
  });
});

test("frames written are masked and carry their length in the shortest form", () => {
  for (const bytes of [0, 125, 126, 65_535, 65_536]) {
    const payload = Buffer.alloc(bytes, "ab");
    const frame = encodeClientFrame(OPCODE.text, payload, false);
    expect(frame[1]! & 0x80).toBe(0x80);
    expect(frame.length).toBe(bytes + 4 + (bytes < 126 ? 2 : bytes < 65_536 ? 4 : 10));
    expect(unmask(frame)).toEqual({ opcode: OPCODE.text, final: false, payload });
  }
});

test("a Close's reason is cut to what a control frame holds", () => {
  expect(encodeClose(1011, "x".repeat(200)).length).toBe(125);
  expect(encodeClose(1000, "bye").toString("hex")).toBe("03e8627965");
});
