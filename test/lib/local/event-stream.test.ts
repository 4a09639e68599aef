import { crc32 } from "node:zlib";
import { EventStreamCodec } from "@smithy/core/event-streams";
import { fromUtf8, toUtf8 } from "@smithy/core/serde";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeEvent, EventStreamReader, encodeEvent } from "../../../lib/local/event-stream.ts";

const MAX_BYTES = 1024 * 1024;
const codec = new EventStreamCodec(toUtf8, fromUtf8);

function readAll(reader: EventStreamReader, chunks: readonly Uint8Array[]) {
  const messages = chunks.flatMap((chunk) => [...reader.push(chunk)]);
  reader.end();
  return messages.map(({ headers, payload }) => ({
    headers: [...headers],
    payload: payload.toString("hex"),
  }));
}

function withChecksums(message: Buffer): Buffer {
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

describe("messages agree with Smithy's codec", () => {
  test("one written here is read there", () => {
    const at = new Date("2026-03-04T05:06:07.008Z");
    const bytes = encodeEvent(
      { ":date": at, s: "käse", b: Buffer.from([1, 2]), yes: true, no: false },
      Buffer.from("body"),
    );
    const { headers, body } = codec.decode(bytes);
    expect(headers).toEqual({
      ":date": { type: "timestamp", value: at },
      s: { type: "string", value: "käse" },
      b: { type: "binary", value: new Uint8Array([1, 2]) },
      yes: { type: "boolean", value: true },
      no: { type: "boolean", value: false },
    });
    expect(Buffer.from(body).toString()).toBe("body");
  });

  test("one written there, of every header type, is read here", () => {
    const bytes = codec.encode({
      headers: {
        byte: { type: "byte", value: -3 },
        short: { type: "short", value: -300 },
        integer: { type: "integer", value: -70_000 },
        text: { type: "string", value: "x" },
        binary: { type: "binary", value: new Uint8Array([9]) },
        at: { type: "timestamp", value: new Date(5) },
        id: { type: "uuid", value: "01234567-89ab-cdef-0123-456789abcdef" },
        on: { type: "boolean", value: true },
      },
      body: new Uint8Array(),
    });
    const { headers } = decodeEvent(Buffer.from(bytes));
    expect(Object.fromEntries(headers)).toEqual({
      byte: -3,
      short: -300,
      integer: -70_000,
      text: "x",
      binary: Buffer.from([9]),
      at: new Date(5),
      id: Buffer.from("0123456789abcdef0123456789abcdef", "hex"),
      on: true,
    });
  });
});

test("the same bytes give the same messages however they are cut", () => {
  const message = fc.tuple(
    fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ maxLength: 40 }), { maxKeys: 4 }),
    fc.uint8Array({ maxLength: 300 }),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat(2_000)), (messages, cuts) => {
      const bytes = Buffer.concat(messages.map(([headers, payload]) => encodeEvent(headers, payload)));
      const places = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ];
      const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
      const whole = readAll(new EventStreamReader(MAX_BYTES), [bytes]);
      expect(readAll(new EventStreamReader(MAX_BYTES), chunks)).toEqual(whole);
      expect(
        readAll(
          new EventStreamReader(MAX_BYTES),
          [...bytes].map((b) => Uint8Array.of(b)),
        ),
      ).toEqual(whole);
      expect(whole.map(({ payload }) => payload)).toEqual(
        messages.map(([, p]) => Buffer.from(p).toString("hex")),
      );
    }),
    { numRuns: 60 },
  );
});

describe("a broken stream", () => {
  const good = encodeEvent({ ":event-type": "PayloadPart" }, Buffer.from("hello"));

  test("fails for any single byte that is changed", () => {
    for (let i = 0; i < good.length; i++) {
      const bad = Buffer.from(good);
      bad[i]! ^= 0x20;
      expect(() => readAll(new EventStreamReader(MAX_BYTES), [bad]), `byte ${i}`).toThrow(/event stream/);
    }
  });

  test("fails for a giant length as soon as the prelude is there, before the rest is awaited", () => {
    const bad = Buffer.from(good);
    bad.writeUInt32BE(0x7fff_ffff, 0);
    const reader = new EventStreamReader(MAX_BYTES);
    expect(() => [...reader.push(withChecksums(bad).subarray(0, 12))]).toThrow(/2147483647 bytes/);
  });

  test("fails when the headers are longer than the message", () => {
    const bad = Buffer.from(good);
    bad.writeUInt32BE(bad.length, 4);
    expect(() => decodeEvent(withChecksums(bad))).toThrow(/headers of/);
  });

  test("fails when it ends inside a message", () => {
    const reader = new EventStreamReader(MAX_BYTES);
    expect([...reader.push(good.subarray(0, -1))]).toEqual([]);
    expect(() => reader.end()).toThrow(/ended inside a message/);
  });

  test("never throws anything but a protocol violation, whatever the header block holds", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (headerBytes) => {
        const message = Buffer.alloc(16 + headerBytes.length);
        message.writeUInt32BE(message.length, 0);
        message.writeUInt32BE(headerBytes.length, 4);
        message.set(headerBytes, 12);
        try {
          decodeEvent(withChecksums(message));
        } catch (error) {
          expect(error).toMatchObject({ code: "PROTOCOL_VIOLATION" });
        }
      }),
      { numRuns: 500 },
    );
  });
});
