import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeServiceEvent,
  encodePayloadPart,
  FrameReader,
  type ServiceEvent,
} from "../../../../lib/client/sagemaker/event-stream.ts";
import { decodeEvent, encodeEvent } from "../../../../lib/local/event-stream.ts";

const PART = {
  ":message-type": "event",
  ":event-type": "PayloadPart",
  ":content-type": "application/octet-stream",
};

function part(bytes: Uint8Array, extra: Record<string, string> = {}): Buffer {
  return encodeEvent({ ...PART, ...extra }, bytes);
}

function readAll(chunks: Uint8Array[], frameMaxBytes?: number): ServiceEvent[] {
  const reader = new FrameReader(frameMaxBytes);
  const events = chunks.flatMap((chunk) => [...reader.feed(chunk)].map(decodeServiceEvent));
  reader.end();
  return events;
}

/** Cuts at the given places; a place may repeat, which makes an empty chunk. */
function cut(bytes: Buffer, places: number[]): Buffer[] {
  const bounds = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  return bounds.slice(1).map((end, i) => bytes.subarray(bounds[i], end));
}

describe("FrameReader", () => {
  it("gives the same events however the bytes are cut", () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 });
    const places = fc.array(fc.nat(5_000), { maxLength: 30 });
    fc.assert(
      fc.property(payloads, places, (bodies, cuts) => {
        const bytes = Buffer.concat(bodies.map((body) => part(body, { DataType: "BINARY" })));
        const whole = readAll([bytes]);
        expect(whole).toHaveLength(bodies.length);
        expect(readAll(cut(bytes, cuts))).toEqual(whole);
      }),
    );
  });

  it("gives the same events byte by byte", () => {
    const bytes = Buffer.concat([part(Buffer.from("one")), part(Buffer.alloc(0)), part(Buffer.from("two"))]);
    expect(readAll([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(readAll([bytes]));
  });

  it("fails at the end when the stream was cut inside an event, wherever", () => {
    const bytes = part(Buffer.from("some audio"));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: bytes.length - 1 }), (keptBytes) => {
        expect(() => readAll([bytes.subarray(0, keptBytes)])).toThrow(
          expect.objectContaining({ code: "TRANSPORT_FAILED" }),
        );
      }),
    );
  });

  it("fails on any flipped bit", () => {
    const bytes = part(Buffer.from("some audio"), { DataType: "BINARY" });
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const damaged = Buffer.from(bytes);
        damaged[bit >> 3]! ^= 1 << (bit & 7);
        expect(() => readAll([damaged])).toThrow(expect.objectContaining({ name: "SpeechError" }));
      }),
    );
  });

  it("fails on an event larger than the limit before its bytes have come", () => {
    const reader = new FrameReader(1_000);
    const prelude = part(Buffer.alloc(2_000)).subarray(0, 12);
    expect(() => [...reader.feed(prelude)]).toThrow(/of \d+ bytes, allowed are 1000/);
  });

  it.each([0, 15])("fails on a claimed length of %d bytes", (length) => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt32BE(length);
    expect(() => [...new FrameReader().feed(bytes)]).toThrow(/impossible length/);
  });

  it("fails when the headers claim more than the event holds", () => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt32BE(64);
    bytes.writeUInt32BE(60, 4);
    expect(() => [...new FrameReader().feed(bytes)]).toThrow(/impossible length/);
  });
});

describe("decodeServiceEvent", () => {
  it("reads a part with its optional headers", () => {
    const headers = { DataType: "UTF8", CompletionState: "PARTIAL" };
    expect(decodeServiceEvent(part(Buffer.from("{}"), headers))).toEqual({
      kind: "part",
      part: { bytes: new Uint8Array(Buffer.from("{}")), dataType: "UTF8", completionState: "PARTIAL" },
    });
    expect(decodeServiceEvent(part(Buffer.from("x")))).toMatchObject({
      part: expect.not.objectContaining({ dataType: "UTF8" }),
    });
  });

  it("reads a modeled exception and an unmodeled error", () => {
    const exception = encodeEvent(
      {
        ":message-type": "exception",
        ":exception-type": "ModelStreamError",
        ":content-type": "application/json",
      },
      Buffer.from('{"Message":"m"}'),
    );
    expect(decodeServiceEvent(exception)).toEqual({
      kind: "exception",
      name: "ModelStreamError",
      body: '{"Message":"m"}',
    });
    const error = encodeEvent({ ":message-type": "error", ":error-code": "Oops", ":error-message": "told" });
    expect(decodeServiceEvent(error)).toEqual({
      kind: "exception",
      name: "Oops",
      body: '{"Message":"told"}',
    });
  });

  it("leaves events it does not know to be ignored", () => {
    const event = encodeEvent({ ":message-type": "event", ":event-type": "initial-response" });
    expect(decodeServiceEvent(event)).toEqual({ kind: "unknown", name: "initial-response" });
  });

  it("fails on a part of another content type, as official clients do", () => {
    expect(() => decodeServiceEvent(part(Buffer.from("x"), { ":content-type": "text/plain" }))).toThrow(
      /text\/plain/,
    );
  });
});

describe("encodePayloadPart", () => {
  it("sets exactly the headers that are set", () => {
    const full = decodeEvent(
      Buffer.from(
        encodePayloadPart({ bytes: Buffer.from("x"), dataType: "UTF8", completionState: "COMPLETE" }),
      ),
    );
    expect(Object.fromEntries(full.headers)).toEqual({
      ...PART,
      DataType: "UTF8",
      CompletionState: "COMPLETE",
    });
    expect(full.payload.toString()).toBe("x");
    const bare = decodeEvent(Buffer.from(encodePayloadPart({ bytes: Buffer.from("x") })));
    expect([...bare.headers.keys()]).toEqual(Object.keys(PART));
  });
});
