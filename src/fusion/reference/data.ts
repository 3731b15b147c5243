/** @file The data that a run feeds to an input: a function of its attributes and name alone, so every machine has the same. */
import { bug, hashText, sizeOf, type Node } from "../ir";
import { examplesData, examplesOf } from "../datasets";
import { numberOf, numbersOf, roundToHalf } from "../ops";
import { drawer, drawing, uniformDraw, type Draw, type Drawing } from "./draws";

/** Ready to upload: bool as u32, f16 as f32 values that an f16 holds exactly. */
export type InputData = Float32Array | Int32Array | Uint32Array;

/** Random integers of an input that names no range. */
const INTEGERS = 10;

/** Under which name an input draws: its own, or that of the input that it begins like. */
export const drawnAs = ({ id, attrs }: Node): string => (typeof attrs["like"] === "string" ? attrs["like"] : id);

/** The seed that is stated, or one from the node's name. */
const seedOf = (node: Node): number => {
  const { seed } = node.attrs;
  return typeof seed === "number" ? seed >>> 0 : Number.parseInt(hashText(drawnAs(node)), 16);
};

/** How an input's elements are drawn; null where they are no random numbers. */
function drawOf(node: Node): Draw | null {
  const { dtype } = node.type;
  const seed = seedOf(node);
  if (node.attrs["source"] === "uniform") {
    if (dtype === "bool") return uniformDraw(seed, 0, 2, true);
    return uniformDraw(seed, numberOf(node.attrs["lo"], 0), numberOf(node.attrs["hi"], 1), dtype === "i32");
  }
  if (["zeros", "ones", "arange", "values", "data"].includes(String(node.attrs["source"]))) return null;
  if (dtype === "bool" || dtype === "i32") return uniformDraw(seed, 0, dtype === "bool" ? 2 : INTEGERS, true);
  const [std, mean] = [numberOf(node.attrs["std"], 1), numberOf(node.attrs["mean"], 0)];
  return { kind: "normal", seed, std, mean };
}

/** What a device is fed for an `input` node: how it draws the numbers itself, or the numbers where they are not random. */
export function inputFeed(node: Node): InputData | Drawing {
  const draw = drawOf(node);
  return draw ? drawing(draw, node.type.dtype, sizeOf(node.type.shape)) : inputData(node);
}

/** One element of an `input` node at a time, as `inputData` has it, without the others. */
export function inputElement(node: Node): (flat: number) => number {
  const draw = node.recipe ? null : drawOf(node);
  if (draw) return drawer(draw, node.type.dtype);
  const data = inputData(node);
  return (flat) => data[flat]!;
}

/**
 * What an input that reads a data set holds at step `step` of training, row-major.
 * @param seed of the batches; the examples' own is part of the input
 */
export function batchData(node: Node, seed: number, step: number): Float32Array | Int32Array {
  const { set, part, seed: own } = node.attrs;
  const [name, tensor] = [String(set), String(part)];
  const examples = examplesOf(name, node.type.shape[0]!, seed, step);
  return examplesData({ set: name, part: tensor, type: node.type, seed: numberOf(own, 0) }, examples);
}

/**
 * Values of an `input` node, row-major, each exactly representable in its dtype.
 * `randn` gives i32 whole numbers from 0 to 9, and bool fair coins.
 */
export function inputData(node: Node): InputData {
  if (node.recipe) throw bug(`${node.id} is folded from other inputs: ask for foldedData`);
  const { dtype, shape } = node.type;
  const size = sizeOf(shape);
  const data =
    dtype === "i32" ? new Int32Array(size) : dtype === "bool" ? new Uint32Array(size) : new Float32Array(size);
  const draw = drawOf(node);
  if (draw) {
    const next = drawer(draw, dtype);
    for (let i = 0; i < size; i++) data[i] = next(i);
    return data;
  }
  switch (String(node.attrs["source"])) {
    case "zeros":
      break;
    case "ones":
      data.fill(1);
      break;
    case "data":
      return batchData(node, 0, 0);
    case "arange":
      for (let i = 0; i < size; i++) data[i] = dtype === "bool" ? i & 1 : i;
      break;
    case "values": {
      const values = numbersOf(node.attrs["values"]);
      for (let i = 0; i < size; i++)
        data[i] = dtype === "bool" ? Number(values[i % values.length] !== 0) : values[i % values.length]!;
      break;
    }
  }
  if (dtype === "f16") for (let i = 0; i < size; i++) data[i] = roundToHalf(data[i]!);
  return data;
}
