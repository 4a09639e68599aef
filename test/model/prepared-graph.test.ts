/** The prepared graph against what is promised of it, and the other export's names. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelProto } from "onnx-buf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AcousticModel } from "../../lib/kokoro/acoustic-model.ts";
import { SplitModel } from "../../lib/kokoro/split-model.ts";
import { VoicePack } from "../../lib/kokoro/voice-pack.ts";
import { matchesCatalog } from "../../lib/model/checksum.ts";
import { renameTensors } from "../../lib/model/graph-part.ts";
import { snrDb } from "../../lib/model/graph-verification.ts";
import { DECODER_FILE, ENCODER_FILE, openModelDirectory } from "../../lib/model/model-directory.ts";
import { readOnnx, writeOnnx } from "../../lib/model/onnx-file.ts";
import { MODEL_DIR } from "./model-under-test.ts";

/** "Hello world." */
const IDS = [50, 83, 54, 156, 57, 135, 16, 65, 156, 87, 158, 54, 46, 4];

const ENCODER = join(MODEL_DIR ?? "", ENCODER_FILE);
const DECODER = join(MODEL_DIR ?? "", DECODER_FILE);

describe.skipIf(!MODEL_DIR)("prepared graph", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "prepared-graph-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("is the one of its manifest, with nothing left undone", async () => {
    const model = await openModelDirectory(MODEL_DIR!, "here");
    expect(model!.manifest.graphs.map((file) => file.path)).toEqual([ENCODER_FILE, DECODER_FILE]);
    expect(model!.manifest.warnings).toEqual([]);
    for (const file of model!.manifest.graphs) {
      expect(await matchesCatalog(join(MODEL_DIR!, file.path), file)).toBe(true);
    }
  });

  it("has no quantized operator left, and the decoder is rewritten", async () => {
    const [encoder, decoder] = [await readOnnx(ENCODER), await readOnnx(DECODER)].map(
      (model) => new Set(model.graph!.node.map((node) => node.opType!)),
    );
    expect([...encoder!, ...decoder!].filter((name) => /Integer|Quantize/.test(name))).toEqual([]);
    expect(encoder).toContain("LSTM");
    expect(decoder).toContain("InstanceNormalization");
    expect(decoder).not.toContain("Pow");
  });

  it("speaks in one piece, under the other export's names, as long as in two", async () => {
    const whole = join(folder, "whole.onnx");
    await writeOnnx(whole, joined(await readOnnx(ENCODER), await readOnnx(DECODER)));
    const style = (await VoicePack.read(join(MODEL_DIR!, "voices/af_heart.bin"))).styleFor(IDS.length);
    const acousticModel = await AcousticModel.load(whole, 2);
    const splitModel = await SplitModel.load(ENCODER, DECODER, 2);
    const encoding = await splitModel.encode(IDS, style, 1);
    const parts = await splitModel.decode(encoding, 0, encoding.frames);
    expect(parts.length).toBeGreaterThan(12_000);
    expect(snrDb(await acousticModel.speak(IDS, style, 1), parts)).toBeGreaterThan(60);
    await acousticModel.close();
    await splitModel.close();
  });

  it("takes 510 ids, and fails for more or none", async () => {
    const pack = await VoicePack.read(join(MODEL_DIR!, "voices/af_heart.bin"));
    const splitModel = await SplitModel.load(ENCODER, DECODER, 2);
    const many = Array.from({ length: 510 }, (_, index) => IDS[index % IDS.length]!);
    expect((await splitModel.encode(many, pack.styleFor(510), 2)).frames).toBeGreaterThan(170);
    await expect(splitModel.encode([...many, 4], pack.styleFor(510), 1)).rejects.toThrow("1-510");
    await expect(splitModel.encode([], pack.styleFor(1), 1)).rejects.toThrow("1-510");
    await splitModel.close();
  });

  it("fails to load what is no such graph", async () => {
    const path = join(folder, "broken.onnx");
    await writeFile(path, "not a graph");
    await expect(AcousticModel.load(path, 1)).rejects.toMatchObject({ code: "WEIGHTS_UNAVAILABLE" });
    await expect(SplitModel.load(DECODER, DECODER, 1)).rejects.toMatchObject({ code: "WEIGHTS_UNAVAILABLE" });
  });
});

/** The export as it was before it was split, with the names of the other one. */
function joined(encoder: ModelProto, decoder: ModelProto): ModelProto {
  const [first, second] = [encoder.graph!, decoder.graph!];
  const known = new Set(first.initializer.map((tensor) => tensor.name));
  const model: ModelProto = {
    ...encoder,
    graph: {
      ...first,
      // Few nodes lie in both parts.
      node: [...first.node, ...second.node.filter((node) => !made(first).has(node.output[0]!))],
      initializer: [...first.initializer, ...second.initializer.filter((tensor) => !known.has(tensor.name))],
      output: second.output,
    },
  };
  return renameTensors(model, new Map([["tokens", "input_ids"]]));
}

function made(graph: NonNullable<ModelProto["graph"]>): Set<string> {
  return new Set(graph.node.flatMap((node) => node.output));
}
