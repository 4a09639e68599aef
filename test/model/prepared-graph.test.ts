/** The prepared graph against what is promised of it, and the other export's names. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { ModelProtoSchema } from "onnx-buf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AcousticModel } from "../../lib/kokoro/acoustic-model.ts";
import { VoicePack } from "../../lib/kokoro/voice-pack.ts";
import { matchesCatalog } from "../../lib/model/checksum.ts";
import { GRAPH_FILE, openModelDirectory } from "../../lib/model/model-directory.ts";
import { MODEL_DIR } from "./model-under-test.ts";

/** "Hello world." */
const IDS = [50, 83, 54, 156, 57, 135, 16, 65, 156, 87, 158, 54, 46, 4];

describe.skipIf(!MODEL_DIR)("prepared graph", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "prepared-graph-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("is the one of its manifest", async () => {
    const model = await openModelDirectory(MODEL_DIR!, "here");
    expect(await matchesCatalog(join(MODEL_DIR!, GRAPH_FILE), model!.manifest.graph)).toBe(true);
  });

  it("has no quantized operator left", async () => {
    const model = fromBinary(ModelProtoSchema, await readFile(join(MODEL_DIR!, GRAPH_FILE)));
    const operators = new Set(model.graph!.node.map((node) => node.opType!));
    expect([...operators].filter((name) => /Integer|Quantize/.test(name))).toEqual([]);
    expect(operators).toContain("LSTM");
  });

  it("speaks alike under the input and output names of the other export", async () => {
    const model = fromBinary(ModelProtoSchema, await readFile(join(MODEL_DIR!, GRAPH_FILE)));
    const renamed: Record<string, string> = {
      tokens: "input_ids",
      input_ids: "tokens",
      audio: "waveform",
      waveform: "audio",
    };
    const rename = (name: string) => renamed[name] ?? name;
    const graph = model.graph!;
    for (const value of [...graph.input, ...graph.output]) value.name = rename(value.name!);
    for (const node of graph.node) {
      node.input = node.input.map(rename);
      node.output = node.output.map(rename);
    }
    const path = join(folder, "renamed.onnx");
    await writeFile(path, toBinary(ModelProtoSchema, model));

    const style = (await VoicePack.read(join(MODEL_DIR!, "voices/af_heart.bin"))).styleFor(IDS.length);
    const lengths: number[] = [];
    for (const file of [join(MODEL_DIR!, GRAPH_FILE), path]) {
      const acousticModel = await AcousticModel.load(file, 2);
      lengths.push((await acousticModel.speak(IDS, style, 1)).length);
      await acousticModel.close();
    }
    expect(lengths[0]).toBeGreaterThan(12_000);
    expect(lengths[1]).toBe(lengths[0]);
  });

  it("takes 510 ids, and fails for more or none", async () => {
    const pack = await VoicePack.read(join(MODEL_DIR!, "voices/af_heart.bin"));
    const acousticModel = await AcousticModel.load(join(MODEL_DIR!, GRAPH_FILE), 2);
    const many = Array.from({ length: 510 }, (_, index) => IDS[index % IDS.length]!);
    expect((await acousticModel.speak(many, pack.styleFor(510), 2)).length).toBeGreaterThan(100_000);
    await expect(acousticModel.speak([...many, 4], pack.styleFor(510), 1)).rejects.toThrow("1-510");
    await expect(acousticModel.speak([], pack.styleFor(1), 1)).rejects.toThrow("1-510");
    await acousticModel.close();
  });

  it("fails to load what is no such graph", async () => {
    const path = join(folder, "broken.onnx");
    await writeFile(path, "not a graph");
    await expect(AcousticModel.load(path, 1)).rejects.toMatchObject({ code: "WEIGHTS_UNAVAILABLE" });
  });
});
