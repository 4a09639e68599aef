import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeWav, readWav, WAV_HEADER_BYTES, wavHeader } from "../../../lib/audio/wav.ts";

const damaged = expect.objectContaining({ code: "PROTOCOL_VIOLATION" });

describe("wavHeader", () => {
  test("names rate, width and sizes", () => {
    const header = Buffer.from(wavHeader(24_000, 480));
    expect(header).toHaveLength(WAV_HEADER_BYTES);
    expect(header.toString("latin1", 0, 4)).toBe("RIFF");
    expect(header.readUInt32LE(4)).toBe(36 + 480);
    expect(header.toString("latin1", 8, 16)).toBe("WAVEfmt ");
    expect(header.readUInt16LE(20)).toBe(1);
    expect(header.readUInt16LE(22)).toBe(1);
    expect(header.readUInt32LE(24)).toBe(24_000);
    expect(header.readUInt32LE(28)).toBe(48_000);
    expect(header.readUInt16LE(32)).toBe(2);
    expect(header.readUInt16LE(34)).toBe(16);
    expect(header.toString("latin1", 36, 40)).toBe("data");
    expect(header.readUInt32LE(40)).toBe(480);
  });

  test("leaves both sizes open for a stream", () => {
    const header = Buffer.from(wavHeader(24_000));
    expect(header.readUInt32LE(4)).toBe(0xffffffff);
    expect(header.readUInt32LE(40)).toBe(0xffffffff);
  });

  test("fails beyond the format's 4 GiB", () => {
    expect(() => wavHeader(24_000, 2 ** 32)).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  });
});

describe("readWav", () => {
  test("reads what encodeWav made", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom(8_000, 24_000, 48_000), (bytes, rate) => {
        const pcm16 = bytes.subarray(0, bytes.length & ~1);
        const wav = readWav(encodeWav(pcm16, rate));
        expect(wav).toMatchObject({ sampleRateHz: rate, channels: 1 });
        expect(Buffer.from(wav.pcm16).equals(Buffer.from(pcm16))).toBe(true);
      }),
    );
  });

  test("reads a stream of unknown length to its end", () => {
    const file = Buffer.concat([wavHeader(24_000), Buffer.from([1, 2, 3, 4])]);
    expect(Array.from(readWav(file).pcm16)).toEqual([1, 2, 3, 4]);
  });

  test("passes over other chunks wherever they stand, also of odd size and after the data", () => {
    const chunks = { fmt: chunk("fmt ", format()), data: chunk("data", [1, 2, 3, 4]) };
    const other = fc.record({
      tag: fc.constantFrom("LIST", "fact", "bext", "junk"),
      body: fc.uint8Array({ maxLength: 9 }),
    });
    fc.assert(
      fc.property(
        fc.array(other, { maxLength: 5 }),
        fc.boolean(),
        fc.infiniteStream(fc.nat(99)),
        (others, dataFirst, places) => {
          const list = dataFirst ? [chunks.data, chunks.fmt] : [chunks.fmt, chunks.data];
          for (const { tag, body } of others) {
            list.splice(places.next().value! % (list.length + 1), 0, chunk(tag, Array.from(body)));
          }
          const wav = readWav(riff(list));
          expect(wav).toMatchObject({ sampleRateHz: 24_000, channels: 1 });
          expect(Array.from(wav.pcm16)).toEqual([1, 2, 3, 4]);
        },
      ),
    );
  });

  test("reads the extensible format when its sub-format is PCM", () => {
    const body = Buffer.alloc(40);
    format().copy(body);
    body.writeUInt16LE(0xfffe, 0);
    body.writeUInt16LE(22, 16);
    body.writeUInt16LE(1, 24);
    expect(readWav(riff([chunk("fmt ", body), chunk("data", [5, 6])])).sampleRateHz).toBe(24_000);
  });

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["another file", Buffer.from("ID3 an mp3 perhaps")],
    ["no format", riff([chunk("data", [1, 2])])],
    ["no data", riff([chunk("fmt ", format())])],
    ["a short format", riff([chunk("fmt ", [1, 0]), chunk("data", [1, 2])])],
    ["float samples", riff([chunk("fmt ", format({ tag: 3, bits: 32 })), chunk("data", [1, 2])])],
    ["8 bits", riff([chunk("fmt ", format({ bits: 8 })), chunk("data", [1, 2])])],
    ["no channels", riff([chunk("fmt ", format({ channels: 0 })), chunk("data", [1, 2])])],
    ["data cut short", encodeWav(new Uint8Array(100), 24_000).subarray(0, 99)],
  ])("fails on %s", (_, file) => {
    expect(() => readWav(file)).toThrow(damaged);
  });

  test("never throws anything but PROTOCOL_VIOLATION, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (tail) => {
        try {
          readWav(Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVE"), tail]));
        } catch (error) {
          expect(error).toEqual(damaged);
        }
      }),
    );
  });
});

function format({ tag = 1, channels = 1, bits = 16 } = {}): Buffer {
  const body = Buffer.alloc(16);
  body.writeUInt16LE(tag, 0);
  body.writeUInt16LE(channels, 2);
  body.writeUInt32LE(24_000, 4);
  body.writeUInt32LE(48_000, 8);
  body.writeUInt16LE(2, 12);
  body.writeUInt16LE(bits, 14);
  return body;
}

function chunk(tag: string, body: Uint8Array | number[]): Buffer {
  const head = Buffer.alloc(8);
  head.write(tag, "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, Buffer.from(body), Buffer.alloc(body.length % 2)]);
}

function riff(chunks: Buffer[]): Buffer {
  const body = Buffer.concat(chunks);
  const head = Buffer.from("RIFF\0\0\0\0WAVE", "latin1");
  head.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([head, body]);
}
