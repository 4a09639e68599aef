/**
 * From the graph that was fetched to those that the engine loads: float weights (dequantize.ts), two parts
 * (graph-split.ts), a faster decoder (graph-rewrites.ts). The encoder is 8 % of the time and won nothing by the rewrites
 * (110 ms before and after for 5 s of speech), so it stays as it was exported.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ModelProto } from "onnx-buf";
import type { GraphOrigin } from "./catalog.ts";
import { dequantize } from "./dequantize.ts";
import { GRAPH_REWRITES, type GraphRewrite } from "./graph-rewrites.ts";
import { splitGraph } from "./graph-split.ts";
import {
  type DecoderInputs,
  decodeSample,
  encodeSample,
  snrDb,
  VERIFIED_SNR_DB,
  withFixedNoise,
} from "./graph-verification.ts";
import { DECODER_FILE, ENCODER_FILE, GRAPH_FILE } from "./model-directory.ts";
import { readOnnx, writeOnnx } from "./onnx-file.ts";

export interface PreparationJob {
  readonly source: string;
  readonly origin: GraphOrigin;
  /** A folder; what it holds after a failure is not to be used, so it is a scratch folder. */
  readonly destination: string;
  /** A voice, in whose style rewritten graphs are compared. */
  readonly stylePath: string;
  /** Only undo the quantization: one graph, nothing split or rewritten, to measure against. */
  readonly isWhole?: boolean;
}

export interface MadeGraphs {
  /** Names in the destination. */
  readonly files: readonly string[];
  /** What could not be done, in words for people; the model works all the same. */
  readonly warnings: readonly string[];
}

/** Of the voice that speaks for the comparison. Row 13 is for texts of 14 tokens. */
const STYLE_ROW = 13;
const STYLE_LENGTH = 256;

/**
 * @param isCancelled asked between steps, none of which takes longer than a few seconds.
 * @throws {SpeechError} WEIGHTS_UNAVAILABLE when the graph is not built as expected.
 */
export async function makeGraphs(job: PreparationJob, isCancelled: () => boolean): Promise<MadeGraphs> {
  const step = () => {
    if (isCancelled()) throw new Error("cancelled");
  };
  const model = await readOnnx(job.source);
  step();
  if (job.origin === "int8") dequantize(model);
  step();
  if (job.isWhole) {
    await writeOnnx(join(job.destination, GRAPH_FILE), model);
    return { files: [GRAPH_FILE], warnings: [] };
  }
  const parts = splitGraph(model);
  if (parts === undefined) {
    await writeOnnx(join(job.destination, GRAPH_FILE), model);
    return {
      files: [GRAPH_FILE],
      warnings: ["the model cannot be split, so a sentence is heard only when all of it is synthesized"],
    };
  }
  await writeOnnx(join(job.destination, ENCODER_FILE), parts.encoder);
  step();
  const warnings = await writeFasterDecoder(parts.decoder, job, step);
  return { files: [ENCODER_FILE, DECODER_FILE], warnings };
}

async function writeFasterDecoder(
  plain: ModelProto,
  job: PreparationJob,
  step: () => void,
): Promise<string[]> {
  const path = join(job.destination, DECODER_FILE);
  const inputs = await encodeSample(join(job.destination, ENCODER_FILE), await readStyle(job.stylePath));
  step();
  const expected = await speak(plain, path, inputs);
  step();
  const isAlike = async (candidate: ModelProto) => {
    const actual = await speak(candidate, path, inputs).catch(() => undefined);
    step();
    return actual !== undefined && snrDb(expected, actual) >= VERIFIED_SNR_DB;
  };
  const { model, refused } = await applyVerified(plain, GRAPH_REWRITES, isAlike);
  await rm(path, { force: true });
  await writeOnnx(path, model);
  return refused.map(({ name }) => `not used, since it would change the sound: ${name}`);
}

/** All of them if that is verified (the rule), else one after the other, each on what was verified before it. */
export async function applyVerified(
  plain: ModelProto,
  rewrites: readonly GraphRewrite[],
  isAlike: (candidate: ModelProto) => Promise<boolean>,
): Promise<{ model: ModelProto; refused: GraphRewrite[] }> {
  const all = rewrites.reduce((model, rewrite) => rewrite.apply(model), plain);
  if (all === plain || (await isAlike(all))) return { model: all, refused: [] };
  let model = plain;
  const refused: GraphRewrite[] = [];
  for (const rewrite of rewrites) {
    const candidate = rewrite.apply(model);
    if (candidate === model) continue;
    if (await isAlike(candidate)) model = candidate;
    else refused.push(rewrite);
  }
  return { model, refused };
}

/** Through a file: given as bytes, ONNX Runtime would hold the graph twice. */
async function speak(model: ModelProto, path: string, inputs: DecoderInputs): Promise<Float32Array> {
  await rm(path, { force: true });
  await writeOnnx(path, withFixedNoise(model));
  return await decodeSample(path, inputs);
}

async function readStyle(path: string): Promise<Float32Array> {
  const bytes = await readFile(path);
  const start = STYLE_ROW * STYLE_LENGTH * Float32Array.BYTES_PER_ELEMENT;
  const row = new Uint8Array(bytes.subarray(start, start + STYLE_LENGTH * Float32Array.BYTES_PER_ELEMENT));
  return new Float32Array(row.buffer);
}
