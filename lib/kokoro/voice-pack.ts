/**
 * A voice on disk: float32[510, 256], one style vector for each possible number of tokens. The first 128 numbers
 * of a row are timbre (decoder), the last 128 prosody.
 *
 * Which row: `number of ids - 1`, pads not counted. The two reference programs differ: kokoro/pipeline.py takes
 * `pack[len(ps) - 1]`, kokoro.js takes row `number of ids`, capped at 509. The pack has rows for 1 to 510 tokens,
 * so only the first reaches every row, and it is the pipeline that the model was published with. docs/adr/0007.
 */
import { readFile } from "node:fs/promises";
import { endianness } from "node:os";
import { SpeechError } from "../errors.ts";
import { TOKENS_MAX } from "./vocabulary.ts";

export const STYLE_LENGTH = 256;
export const VOICE_PACK_BYTES = TOKENS_MAX * STYLE_LENGTH * Float32Array.BYTES_PER_ELEMENT;

export class VoicePack {
  readonly #rows: Float32Array;

  /** @param rows float32[510 * 256], kept, not copied. */
  constructor(rows: Float32Array) {
    if (rows.length !== TOKENS_MAX * STYLE_LENGTH) {
      throw new SpeechError(
        "WEIGHTS_UNAVAILABLE",
        `a voice file must hold ${TOKENS_MAX * STYLE_LENGTH} numbers, got ${rows.length}; delete it and fetch it again`,
      );
    }
    this.#rows = rows;
  }

  static async read(path: string): Promise<VoicePack> {
    const bytes = await readFile(path);
    // The files are little-endian; every platform that ONNX Runtime supports for Node is too.
    if (endianness() !== "LE")
      throw new SpeechError("CONFIGURATION", "voice files need a little-endian machine");
    const aligned = new Uint8Array(bytes); // readFile may hand out a slice that is not on a 4-byte boundary
    return new VoicePack(new Float32Array(aligned.buffer, 0, Math.floor(aligned.byteLength / 4)));
  }

  /** The mean of several, weighted by shares that add up to 1. @param parts at least one. */
  static blend(parts: readonly { readonly pack: VoicePack; readonly share: number }[]): VoicePack {
    const rows = new Float32Array(TOKENS_MAX * STYLE_LENGTH);
    for (const { pack, share } of parts) {
      for (let index = 0; index < rows.length; index++) rows[index]! += share * pack.#rows[index]!;
    }
    return new VoicePack(rows);
  }

  /**
   * float32[256], a view of the pack: not to be written to.
   * @param tokenCount ids without pads, 1-510.
   */
  styleFor(tokenCount: number): Float32Array {
    if (!Number.isInteger(tokenCount) || tokenCount < 1 || tokenCount > TOKENS_MAX) {
      throw new RangeError(`tokenCount must be 1-${TOKENS_MAX}, got ${tokenCount}`);
    }
    const start = (tokenCount - 1) * STYLE_LENGTH;
    return this.#rows.subarray(start, start + STYLE_LENGTH);
  }
}
