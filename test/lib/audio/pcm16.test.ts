import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromPcm16, Pcm16Reader, toPcm16 } from "../../../lib/audio/pcm16.ts";
import { readContainerPart } from "../../../lib/protocol/messages.ts";

const steps = (bytes: Uint8Array) => Array.from(new Int16Array(bytes.slice().buffer));

describe("toPcm16", () => {
  test("rounds to the nearest step and clips at both ends", () => {
    const samples = Float32Array.of(0, 1, -1, 2, -7, 0.5, 1.4 / 32768, 1.6 / 32768, -1.6 / 32768);
    expect(steps(toPcm16(samples))).toEqual([0, 32767, -32768, 32767, -32768, 16384, 1, 2, -2]);
  });

  test("is little-endian", () => {
    expect(Array.from(toPcm16(Float32Array.of(0x0123 / 32768)))).toEqual([0x23, 0x01]);
  });

  test("makes silence of what is no number, and clips infinities", () => {
    expect(steps(toPcm16(Float32Array.of(Number.NaN, Infinity, -Infinity)))).toEqual([0, 32767, -32768]);
  });

  test("gives back every step that fromPcm16 read", () => {
    const all = new Int16Array(65_536).map((_, i) => i - 32_768);
    const bytes = new Uint8Array(all.buffer);
    expect(Buffer.from(toPcm16(fromPcm16(bytes))).equals(Buffer.from(bytes))).toBe(true);
  });
});

describe("fromPcm16", () => {
  test("fails on half a sample", () => {
    expect(() => fromPcm16(new Uint8Array(3))).toThrow(
      expect.objectContaining({ code: "PROTOCOL_VIOLATION" }),
    );
  });

  test("reads a view that begins at an odd offset of its buffer", () => {
    const bytes = Uint8Array.of(9, 0x00, 0x40, 9).subarray(1, 3);
    expect(Array.from(fromPcm16(bytes))).toEqual([0.5]);
  });
});

describe("Pcm16Reader", () => {
  test("gives the same samples however the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 80 }),
        fc.array(fc.nat(80), { maxLength: 12 }),
        (bytes, cuts) => {
          const reader = new Pcm16Reader();
          const got = cutAt(bytes, cuts).flatMap((part) => Array.from(reader.push(part)));
          expect(got).toEqual(Array.from(fromPcm16(bytes.subarray(0, bytes.length & ~1))));
          expect(reader.pendingBytes).toBe(bytes.length % 2);
        },
      ),
    );
  });
});

describe("PCM16 on the wire", () => {
  test("is audio also when its first byte is an opening brace", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.boolean(), (rest, closes) => {
        const bytes = Uint8Array.from([0x7b, ...rest, ...(closes ? [0x7d] : [])]);
        fc.pre(!parsesAsObject(bytes));
        expect(readContainerPart(bytes)).toEqual({ kind: "audio", bytes });
      }),
    );
  });

  test("keeps every sample through a part, whatever the sound", () => {
    fc.assert(
      fc.property(
        fc.float32Array({ min: -1, max: 1, noNaN: true, minLength: 1, maxLength: 64 }),
        (samples) => {
          samples[0] = 0x017b / 32768; // little-endian: 0x7b comes first
          const part = readContainerPart(toPcm16(samples));
          expect(part.kind).toBe("audio");
          if (part.kind !== "audio") return;
          expect(part.bytes[0]).toBe(0x7b);
          fromPcm16(part.bytes).forEach((sample, i) => {
            expect(Math.abs(sample - samples[i]!)).toBeLessThanOrEqual(1 / 32768);
          });
        },
      ),
    );
  });
});

function cutAt(bytes: Uint8Array, cuts: number[]): Uint8Array[] {
  const places = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
  return places.map((end, i) => bytes.subarray(places[i - 1] ?? 0, end));
}

function parsesAsObject(bytes: Uint8Array): boolean {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
