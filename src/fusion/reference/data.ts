/** @file The data that a run feeds to an input: a function of its attributes and name alone, so every machine has the same. */
import { bug, hashText, sizeOf, type Node } from "../ir";
import { numberOf, numbersOf, philox, roundToHalf } from "../ops";

/** Ready to upload: bool as u32, f16 as f32 values that an f16 holds exactly. */
export type InputData = Float32Array | Int32Array | Uint32Array;

/** Second word of the key: keeps data apart from dropout's masks of the same seed. */
const STREAM = 1;
/** Random integers of an input that names no range. */
const INTEGERS = 10;

/** The seed that is stated, or one from the node's name. */
const seedOf = (node: Node): number => {
  const { seed } = node.attrs;
  return typeof seed === "number" ? seed >>> 0 : Number.parseInt(hashText(node.id), 16);
};

/** Fills four elements at a time: `draw` turns four random words into four values. */
function fillRandom(data: InputData, seed: number, draw: (words: Uint32Array, four: Float64Array) => void): void {
  const words = new Uint32Array(4);
  const four = new Float64Array(4);
  for (let i = 0; i < data.length; i += 4) {
    philox([i / 4, 0, 0, 0], [seed, STREAM], words);
    draw(words, four);
    for (let k = 0; k < 4 && i + k < data.length; k++) data[i + k] = four[k]!;
  }
}

/** In (0, 1), never an end. */
const unit = (word: number): number => (word + 0.5) / 2 ** 32;

/** Box and Muller: two uniform numbers make two normal ones. */
function normals(words: Uint32Array, four: Float64Array): void {
  for (let pair = 0; pair < 4; pair += 2) {
    const radius = Math.sqrt(-2 * Math.log(unit(words[pair]!)));
    const angle = 2 * Math.PI * unit(words[pair + 1]!);
    four[pair] = radius * Math.cos(angle);
    four[pair + 1] = radius * Math.sin(angle);
  }
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
  const [lo, hi] = [numberOf(node.attrs["lo"], 0), numberOf(node.attrs["hi"], 1)];
  const seed = seedOf(node);
  const isWhole = dtype === "i32" || dtype === "bool";
  const [from, below] = dtype === "bool" ? [0, 2] : node.attrs["source"] === "uniform" ? [lo, hi] : [0, INTEGERS];
  switch (String(node.attrs["source"])) {
    case "zeros":
      break;
    case "ones":
      data.fill(1);
      break;
    case "arange":
      for (let i = 0; i < size; i++) data[i] = dtype === "bool" ? i & 1 : i;
      break;
    case "values": {
      const values = numbersOf(node.attrs["values"]);
      for (let i = 0; i < size; i++)
        data[i] = dtype === "bool" ? Number(values[i % values.length] !== 0) : values[i % values.length]!;
      break;
    }
    case "uniform":
      fillRandom(data, seed, (words, four) => {
        for (let k = 0; k < 4; k++)
          four[k] = isWhole ? Math.floor(from + unit(words[k]!) * (below - from)) : lo + unit(words[k]!) * (hi - lo);
      });
      break;
    default:
      fillRandom(
        data,
        seed,
        isWhole ? (words, four) => words.forEach((word, k) => (four[k] = Math.floor(unit(word) * below))) : normals,
      );
  }
  if (dtype === "f16") for (let i = 0; i < size; i++) data[i] = roundToHalf(data[i]!);
  return data;
}
