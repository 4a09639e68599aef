/**
 * Splits Kokoro into an encoder (reads the sentence; fixes rhythm, pitch and energy) and a decoder (turns frames of
 * 25 ms into sound), so that a sentence can be encoded once and decoded in windows.
 *
 * The tensors between the two are found by how the network is built, since every export names them differently
 * (kokoro/istftnet.py, Decoder.forward and Generator.forward):
 *   pitch   -> Unsqueeze -> Resize by 300 (the excitation's sampling), and -> Unsqueeze -> Conv (F0_conv)
 *   energy  -> Unsqueeze -> Conv (N_conv)
 *   Concat(aligned features, F0_conv, N_conv) is where the decoder begins
 *   style   is the half of the style input that all this reads
 *   token durations are the only thing that is rounded (kokoro/model.py: round, then clamp to at least 1)
 */
import { create } from "@bufbuild/protobuf";
import {
  type ModelProto,
  type NodeProto,
  TensorProto_DataType,
  type ValueInfoProto,
  ValueInfoProtoSchema,
} from "onnx-buf";
import { GraphIndex } from "./graph-index.ts";
import { extractPart, inputsOf, renameTensors } from "./graph-part.ts";
import { isFloat, valuesOf } from "./onnx-tensor.ts";

export interface SplitGraph {
  /** tokens, style, speed -> features, pitch, energy, timbre, durations */
  readonly encoder: ModelProto;
  /** features float32[1, channels, T], pitch and energy float32[1, 2T], timbre float32[1, 128] -> waveform */
  readonly decoder: ModelProto;
}

/** Half-frames of pitch are 300 samples long: two to a frame of 25 ms. */
const SAMPLES_PER_HALF_FRAME = 300;
/** Width of a style, of which the decoder reads one half. */
const STYLE_LENGTH = 256;

/** @returns undefined when the graph is not built like that; it then works whole. */
export function splitGraph(model: ModelProto): SplitGraph | undefined {
  const graph = model.graph;
  if (graph === undefined) return undefined;
  const index = new GraphIndex(graph);
  const inputs = graphInputs(model);
  const pitch = findPitch(graph.node, index);
  const joint = pitch && findJoint(pitch, index);
  const durations = findDurations(graph.node, index);
  const waveform = graph.output[0];
  if (!inputs || !pitch || !joint || !durations || !waveform) return undefined;

  const cuts = new Set([pitch, joint.features, joint.energy]);
  const timbre = findTimbre(graph.node, waveform.name ?? "", cuts, inputs.style.name ?? "");
  if (timbre === undefined) return undefined;

  const features = floatValue(joint.features, [1, "channels", "frames"]);
  const rest = [
    floatValue(pitch, [1, "half_frames"]),
    floatValue(joint.energy, [1, "half_frames"]),
    floatValue(timbre, [1, "timbre"]),
  ];
  const decoder = extractPart(model, [features, ...rest], [waveform]);
  const encoder = extractPart(
    model,
    [inputs.tokens, inputs.style, inputs.speed],
    [features, ...rest, floatValue(durations, ["tokens"])],
  );
  if (!encoder || !decoder) return undefined;
  const names = new Map([
    [joint.features, "features"],
    [pitch, "pitch"],
    [joint.energy, "energy"],
    [timbre, "timbre"],
    [durations, "durations"],
    [waveform.name ?? "", "waveform"],
    [inputs.tokens.name ?? "", "tokens"],
    [inputs.style.name ?? "", "style"],
    [inputs.speed.name ?? "", "speed"],
  ]);
  const taken = new Set(graph.node.flatMap((node) => [...node.input, ...node.output]));
  for (const name of names.values()) if (taken.has(name) && !names.has(name)) return undefined;
  return {
    // The rank of the durations differs between exports (with or without a batch), so the encoder does not state it.
    encoder: withoutShape(renameTensors(encoder, names), "durations"),
    decoder: renameTensors(decoder, names),
  };
}

function graphInputs(model: ModelProto) {
  const weights = new Set(model.graph!.initializer.map((tensor) => tensor.name));
  const inputs = model.graph!.input.filter((input) => !weights.has(input.name));
  const tokens = inputs.find((input) => elementType(input) === TensorProto_DataType.INT64);
  const style = inputs.find((input) => input !== tokens && lastLength(input) === STYLE_LENGTH);
  const speed = inputs.find((input) => input !== tokens && input !== style);
  return inputs.length === 3 && tokens && style && speed ? { tokens, style, speed } : undefined;
}

function findPitch(nodes: readonly NodeProto[], index: GraphIndex): string | undefined {
  for (const node of nodes) {
    if (node.opType !== "Resize" && node.opType !== "Upsample") continue;
    const scales = node.input.slice(1).flatMap((name) => {
      const tensor = index.initializer(name);
      return tensor !== undefined && isFloat(tensor) ? [...valuesOf(tensor)] : [];
    });
    if (scales.at(-1) !== SAMPLES_PER_HALF_FRAME) continue;
    const unsqueeze = index.producerOf(node.input[0]!);
    if (unsqueeze?.opType === "Unsqueeze") return unsqueeze.input[0];
  }
  return undefined;
}

function findJoint(pitch: string, index: GraphIndex): { features: string; energy: string } | undefined {
  const convolutions = index
    .consumersOf(pitch)
    .filter((node) => node.opType === "Unsqueeze")
    .flatMap((node) => index.consumersOf(node.output[0]!))
    .filter((node) => node.opType === "Conv");
  for (const convolution of convolutions) {
    for (const concat of index.consumersOf(convolution.output[0]!)) {
      const [features, pitchBranch, energyBranch, ...others] = concat.input;
      if (concat.opType !== "Concat" || others.length > 0 || pitchBranch !== convolution.output[0]) continue;
      const energyConvolution = index.producerOf(energyBranch ?? "");
      const energyUnsqueeze = index.producerOf(energyConvolution?.input[0] ?? "");
      if (energyConvolution?.opType !== "Conv" || energyUnsqueeze?.opType !== "Unsqueeze") continue;
      return { features: features!, energy: energyUnsqueeze.input[0]! };
    }
  }
  return undefined;
}

function findDurations(nodes: readonly NodeProto[], index: GraphIndex): string | undefined {
  const rounds = nodes.filter((node) => node.opType === "Round");
  if (rounds.length !== 1) return undefined;
  const clamped = index
    .consumersOf(rounds[0]!.output[0]!)
    .find((node) => node.opType === "Clip" || node.opType === "Max");
  return clamped?.output[0];
}

/** What the decoder reads right below the style input: one tensor, or the graph cannot be cut there. */
function findTimbre(
  nodes: readonly NodeProto[],
  waveform: string,
  cuts: ReadonlySet<string>,
  style: string,
): string | undefined {
  const needed = new Set([waveform]);
  const found = new Set<string>();
  for (const node of nodes.toReversed()) {
    const used = node.output.filter((output) => needed.has(output) && !cuts.has(output));
    if (used.length === 0) continue;
    if (node.input.includes(style)) for (const output of used) found.add(output);
    else for (const input of inputsOf(node)) needed.add(input);
  }
  return found.size === 1 ? [...found][0] : undefined;
}

function floatValue(name: string, shape: readonly (number | string)[]): ValueInfoProto {
  const dim = shape.map((length) => ({
    value:
      typeof length === "number"
        ? { case: "dimValue" as const, value: BigInt(length) }
        : { case: "dimParam" as const, value: length },
  }));
  return create(ValueInfoProtoSchema, {
    name,
    type: {
      value: { case: "tensorType", value: { elemType: TensorProto_DataType.FLOAT, shape: { dim } } },
    },
  });
}

function withoutShape(model: ModelProto, output: string): ModelProto {
  const graph = model.graph!;
  const bare = create(ValueInfoProtoSchema, {
    name: output,
    type: { value: { case: "tensorType", value: { elemType: TensorProto_DataType.FLOAT } } },
  });
  return {
    ...model,
    graph: { ...graph, output: graph.output.map((value) => (value.name === output ? bare : value)) },
  };
}

function tensorType(value: ValueInfoProto) {
  return value.type?.value.case === "tensorType" ? value.type.value.value : undefined;
}

function elementType(value: ValueInfoProto): number | undefined {
  return tensorType(value)?.elemType;
}

function lastLength(value: ValueInfoProto): number | undefined {
  const last = tensorType(value)?.shape?.dim.at(-1)?.value;
  return last?.case === "dimValue" ? Number(last.value) : undefined;
}
