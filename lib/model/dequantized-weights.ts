/** Float weights from int8 ones and their scales, in the layouts that the float operators want. */
import type { NodeProto, TensorProto } from "onnx-buf";
import { fail } from "./graph-index.ts";
import { floatTensor, shapeOf, valuesOf } from "./onnx-tensor.ts";

/** (weight - zero point) * scale, where both are one number or one for each index of `axis`. */
export function scaled(
  weight: TensorProto,
  zeroPoint: TensorProto | undefined,
  scale: TensorProto,
  axis: number,
  node: NodeProto,
): TensorProto {
  const shape = shapeOf(weight);
  const values = valuesOf(weight);
  const stride = shape.slice(axis + 1).reduce((product, length) => product * length, 1);
  const scaleAt = perChannel(scale, shape[axis]!, node);
  const zeroAt = perChannel(zeroPoint, shape[axis]!, node);
  const floats = new Float32Array(values.length);
  for (let index = 0; index < values.length; index++) {
    const channel = Math.floor(index / stride) % shape[axis]!;
    floats[index] = (values[index]! - zeroAt(channel)) * scaleAt(channel);
  }
  return floatTensor(`${weight.name}_float`, shape, floats);
}

function perChannel(
  tensor: TensorProto | undefined,
  channels: number,
  node: NodeProto,
): (channel: number) => number {
  if (tensor === undefined) return () => 0;
  const values = valuesOf(tensor);
  if (values.length === 1) return () => values[0]!;
  if (values.length !== channels) fail(node, `has ${values.length} scales for ${channels} channels`);
  return (channel) => values[channel]!;
}

/**
 * DynamicQuantizeLSTM keeps [directions, inputs, 4 * hidden], LSTM wants [directions, 4 * hidden, inputs].
 * Scales and zero points: one for each direction, or [directions, 4 * hidden].
 */
export function transposedGates(
  weight: TensorProto,
  zeroPoint: TensorProto | undefined,
  scale: TensorProto,
  node: NodeProto,
): TensorProto {
  const [directions = 0, inputs = 0, gates = 0] = shapeOf(weight);
  const values = valuesOf(weight);
  const scaleAt = perGate(scale, directions, gates, node);
  const zeroAt = perGate(zeroPoint, directions, gates, node);
  const floats = new Float32Array(values.length);
  for (let direction = 0; direction < directions; direction++) {
    for (let input = 0; input < inputs; input++) {
      for (let gate = 0; gate < gates; gate++) {
        const from = (direction * inputs + input) * gates + gate;
        const to = (direction * gates + gate) * inputs + input;
        floats[to] = (values[from]! - zeroAt(direction, gate)) * scaleAt(direction, gate);
      }
    }
  }
  return floatTensor(`${weight.name}_float`, [directions, gates, inputs], floats);
}

function perGate(
  tensor: TensorProto | undefined,
  directions: number,
  gates: number,
  node: NodeProto,
): (direction: number, gate: number) => number {
  if (tensor === undefined) return () => 0;
  const values = valuesOf(tensor);
  if (values.length === directions) return (direction) => values[direction]!;
  if (values.length !== directions * gates)
    fail(node, `has ${values.length} scales for ${directions} directions`);
  return (direction, gate) => values[direction * gates + gate]!;
}
