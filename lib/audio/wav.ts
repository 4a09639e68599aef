/**
 * WAV (RIFF/WAVE) with PCM16: a header to put before samples, and a reader that also takes files of other programs
 * (LIST, fact or unknown chunks in any order, WAVE_FORMAT_EXTENSIBLE) and streamed ones, whose sizes are not known.
 * Layout: Microsoft and IBM, "Multimedia Programming Interface and Data Specifications 1.0" (1991), chapter 3.
 */
import { SpeechError } from "../errors.ts";
import { PCM16_SAMPLE_BYTES } from "./format.ts";

export const WAV_HEADER_BYTES = 44;
/** Size field of a stream whose length nobody knows yet; players then read to the end. */
const UNKNOWN_SIZE = 0xffff_ffff;
const FORMAT_PCM = 1;
const FORMAT_EXTENSIBLE = 0xfffe;
const BITS = 8 * PCM16_SAMPLE_BYTES;

/**
 * @param dataBytes bytes of PCM16 that follow; absent for a stream of unknown length (sizes 0xFFFFFFFF).
 * @throws {SpeechError} INVALID_REQUEST when they do not fit the format's 32 bit sizes.
 */
export function wavHeader(sampleRateHz: number, dataBytes?: number): Uint8Array {
  const riffBytes = dataBytes === undefined ? UNKNOWN_SIZE : dataBytes + WAV_HEADER_BYTES - 8;
  if (riffBytes > UNKNOWN_SIZE) {
    throw new SpeechError("INVALID_REQUEST", `a WAV file holds less than 4 GiB, got ${dataBytes} bytes`);
  }
  const header = new Uint8Array(WAV_HEADER_BYTES);
  const view = new DataView(header.buffer);
  setTag(header, 0, "RIFF");
  view.setUint32(4, riffBytes, true);
  setTag(header, 8, "WAVE");
  setTag(header, 12, "fmt ");
  view.setUint32(16, 16, true); // bytes of this chunk
  view.setUint16(20, FORMAT_PCM, true);
  view.setUint16(22, 1, true); // channels
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * PCM16_SAMPLE_BYTES, true); // bytes a second
  view.setUint16(32, PCM16_SAMPLE_BYTES, true); // bytes a sample frame
  view.setUint16(34, BITS, true);
  setTag(header, 36, "data");
  view.setUint32(40, dataBytes ?? UNKNOWN_SIZE, true);
  return header;
}

/** A whole file of mono PCM16. */
export function encodeWav(pcm16: Uint8Array, sampleRateHz: number): Uint8Array {
  const file = new Uint8Array(WAV_HEADER_BYTES + pcm16.length);
  file.set(wavHeader(sampleRateHz, pcm16.length));
  file.set(pcm16, WAV_HEADER_BYTES);
  return file;
}

export interface WavAudio {
  readonly sampleRateHz: number;
  readonly channels: number;
  /** PCM16 little-endian, channels interleaved; a view into the file, nothing is copied. */
  readonly pcm16: Uint8Array;
}

/** @throws {SpeechError} PROTOCOL_VIOLATION when it is no WAV, not PCM16, or ends before its data does. */
export function readWav(file: Uint8Array): WavAudio {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 12 || tagAt(file, 0) !== "RIFF" || tagAt(file, 8) !== "WAVE") {
    throw notWav("it does not begin with RIFF ... WAVE");
  }
  let format: { sampleRateHz: number; channels: number } | undefined;
  let pcm16: Uint8Array | undefined;
  let at = 12;
  while (at + 8 <= file.length && (format === undefined || pcm16 === undefined)) {
    const tag = tagAt(file, at);
    const declaredBytes = view.getUint32(at + 4, true);
    const bodyAt = at + 8;
    // Only data may be open-ended; any other chunk of that size is damage and fails below.
    const isStreamed = tag === "data" && declaredBytes === UNKNOWN_SIZE;
    const bodyBytes = isStreamed ? file.length - bodyAt : declaredBytes;
    if (bodyAt + bodyBytes > file.length) throw notWav(`its ${printable(tag)} chunk is cut short`);
    if (tag === "fmt ") format = readFormat(view, bodyAt, bodyBytes);
    else if (tag === "data") pcm16 = file.subarray(bodyAt, bodyAt + bodyBytes);
    at = bodyAt + bodyBytes + (bodyBytes % 2); // chunks begin at even offsets
  }
  if (format === undefined) throw notWav("it has no fmt chunk");
  if (pcm16 === undefined) throw notWav("it has no data chunk");
  return { ...format, pcm16 };
}

function readFormat(view: DataView, at: number, bytes: number): { sampleRateHz: number; channels: number } {
  if (bytes < 16) throw notWav("its fmt chunk is too short");
  const tag = view.getUint16(at, true);
  // The extensible form keeps the real format in the first two bytes of its sub-format GUID, at offset 24.
  const format = tag === FORMAT_EXTENSIBLE && bytes >= 26 ? view.getUint16(at + 24, true) : tag;
  const bits = view.getUint16(at + 14, true);
  if (format !== FORMAT_PCM || bits !== BITS) {
    throw notWav(`only PCM with ${BITS} bits is read, got format ${format} with ${bits} bits`);
  }
  const channels = view.getUint16(at + 2, true);
  const sampleRateHz = view.getUint32(at + 4, true);
  if (channels === 0 || sampleRateHz === 0) throw notWav("its fmt chunk has no channels or no rate");
  return { sampleRateHz, channels };
}

function notWav(reason: string): SpeechError {
  return new SpeechError("PROTOCOL_VIOLATION", `this WAV file cannot be read: ${reason}`);
}

function setTag(bytes: Uint8Array, at: number, tag: string): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = tag.charCodeAt(i);
}

function tagAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!);
}

function printable(tag: string): string {
  return /^[\x20-\x7e]{4}$/.test(tag) ? tag.trim() : "unknown";
}
