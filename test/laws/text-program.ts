/** @file Random programs as people write them: nested, commented, rebound, with defs and loops; and graphs compared by structure alone. */
import fc from "fast-check";
import { broadcastShapes, hashText, showType, type Graph, type NodeId, type Shape } from "../../src/fusion/ir";
import { allOps, withDefaults } from "../../src/fusion/ops";

/** Elementwise ops of one float operand that need nothing else and answer floats: of truths, PyTorch refuses softmax and its like. */
const UNARY = allOps.filter((def) => {
  const [first, ...others] = def.params;
  const isAlone = others.every((param) => param.default !== undefined && param.kind !== "tensor");
  if (def.kind !== "elementwise" || first?.kind !== "tensor" || !isAlone) return false;
  const found = def.infer([{ dtype: "f32", shape: [] }], withDefaults(def, {}));
  return found.ok && found.value.dtype === "f32";
});
const BINARY = ["+", "-", "*", "/", "**", "%", "//"];
const CALLS = ["maximum", "minimum", "add", "logaddexp"];
const ROWWISE = ["softmax", "log_softmax", "layer_norm", "rms_norm", "l2_normalize", "silu"];
const FOLDS = ["sum", "mean", "max", "min", "prod", "sum_square"];

interface Known {
  readonly text: string;
  readonly shape: Shape;
}

/** Draws from a list of numbers, around and around. */
class Dice {
  private at = 0;
  private readonly numbers: readonly number[];
  constructor(numbers: readonly number[]) {
    this.numbers = numbers;
  }
  roll(sides: number): number {
    return this.numbers[this.at++ % this.numbers.length]! % sides;
  }
  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)]!;
  }
}

function leaf(dice: Dice, values: readonly Known[]): Known {
  return dice.pick(values);
}

const wrapped = ({ text }: Known): string => (/^[\w.()]+$/.test(text) && !/^\d/.test(text) ? text : `(${text})`);

/** An expression over `values`, at most `depth` deep. */
function expression(dice: Dice, values: readonly Known[], depth: number): Known {
  const x = depth <= 1 ? leaf(dice, values) : expression(dice, values, depth - 1 - dice.roll(2));
  switch (dice.roll(8)) {
    case 0:
    case 1: {
      const op = dice.pick(UNARY);
      const method = dice.roll(3) === 0;
      return {
        text: method ? `${wrapped(x)}.${op.name}()` : `${dice.pick(["", "", "torch.", "F."])}${op.name}(${x.text})`,
        shape: x.shape,
      };
    }
    case 2:
    case 3: {
      const y = leaf(dice, values);
      const shape = broadcastShapes(x.shape, y.shape);
      if (!shape) return { text: `-${wrapped(x)}`, shape: x.shape };
      const text =
        dice.roll(3) === 0
          ? `${dice.pick(CALLS)}(${x.text}, ${y.text})`
          : `${wrapped(x)} ${dice.pick(BINARY)} ${wrapped(y)}`;
      return { text, shape };
    }
    case 4:
      return { text: `${wrapped(x)} ${dice.pick(BINARY)} ${dice.pick(["2", "0.5", "3.0"])}`, shape: x.shape };
    case 5:
      return x.shape.length === 0 ? x : { text: `${dice.pick(ROWWISE)}(${x.text})`, shape: x.shape };
    case 6:
      if (x.shape.length === 0) return x;
      return {
        text: `${wrapped(x)}.${dice.pick(FOLDS)}(${dice.pick(["dim", "axis"])}=-1, keepdim=True)`,
        shape: [...x.shape.slice(0, -1), 1],
      };
    default:
      return x.shape.length === 2 ? { text: `${wrapped(x)}.T`, shape: x.shape.toReversed() } : x;
  }
}

const NOTES = ["", "", "", "  # a remark", "  # β ≠ ∅, `x`"];

function programOf(numbers: readonly number[]): string {
  const dice = new Dice(numbers);
  const lines: string[] = dice.roll(2) === 0 ? ["# what it does", "N = 4"] : ["N = 4"];
  const values: Known[] = [];
  const shapes: readonly (readonly [string, Shape])[] = [
    ["N, 3", [4, 3]],
    ["3", [3]],
    ["N, 1", [4, 1]],
  ];
  for (let i = 0; i < 1 + dice.roll(3); i++) {
    const [sizes, shape] = dice.pick(shapes);
    lines.push(`x${i}: f32[${sizes}]${dice.pick(["", " = param()", " = uniform(-1, 1, seed=3)"])}${dice.pick(NOTES)}`);
    values.push({ text: `x${i}`, shape });
  }
  const withDef = dice.roll(3) === 0;
  if (withDef) lines.push("def block(p, q):", "  t = relu(p)  # inside", "  return t * q + t", "");
  const count = 1 + dice.roll(6);
  for (let i = 0; i < count; i++) {
    const made = expression(dice, values, 1 + dice.roll(3));
    const again =
      dice.roll(4) === 0
        ? values.findIndex(({ shape, text }) => text.startsWith("v") && shape.join() === made.shape.join())
        : -1;
    const name = again >= 0 ? values[again]!.text : `v${i}`;
    if (dice.roll(8) === 0) lines.push("", "# next");
    const kind = dice.roll(9);
    if (kind === 0 && withDef) lines.push(`${name} = block(${made.text}, ${dice.pick(["2.0", made.text])})`);
    else if (kind === 1 && again >= 0) lines.push(`${name} += ${made.text}`);
    else if (kind === 2)
      lines.push(`${name} = ${made.text}`, `for i in range(2):`, `  ${name} = tanh(${name})${dice.pick(NOTES)}`);
    else lines.push(`${name} = ${made.text}${dice.pick(NOTES)}`);
    if (again < 0) values.push({ text: name, shape: made.shape });
  }
  const made = values.filter(({ text }) => text.startsWith("v"));
  if (dice.roll(3) === 0)
    lines.push(
      `return ${made
        .slice(0, 1 + dice.roll(made.length))
        .map(({ text }) => text)
        .join(", ")}`,
    );
  return `${lines.join("\n")}${dice.roll(4) === 0 ? "" : "\n"}`;
}

/** A valid program; a counterexample can be pasted into the page. */
export const textProgram: fc.Arbitrary<string> = fc
  .array(fc.nat({ max: 5039 }), { minLength: 40, maxLength: 40 })
  .map(programOf);

export interface ShapeOfGraph {
  /** One digest a node, sorted: equal exactly when the graphs are, but for names. */
  readonly nodes: readonly string[];
  readonly outputs: readonly string[];
}

/** A graph without its names. `ops`: for graphs with holes, where types and the axes that follow from them are guesses. */
export function structure(graph: Graph, detail: "types" | "attrs" | "ops"): ShapeOfGraph {
  const digests = new Map<NodeId, string>();
  const order: NodeId[] = [];
  const left = [...graph.nodes.keys()].reverse();
  while (left.length > 0) {
    const id = left.at(-1)!;
    const node = graph.nodes.get(id)!;
    const waiting = node.inputs.filter((input) => !digests.has(input));
    if (waiting.length > 0 && !digests.has(id)) {
      if (left.length > 100_000) throw new Error("the graph has a cycle");
      left.push(...waiting);
      continue;
    }
    left.pop();
    if (digests.has(id)) continue;
    const attrs =
      detail === "ops" && node.op !== "const"
        ? []
        : Object.keys(node.attrs)
            .sort()
            .map((name) => [name, String(node.attrs[name])]);
    const own =
      node.op === "input" ? `${node.label} ${showType(node.type)}` : detail === "types" ? showType(node.type) : "";
    digests.set(id, hashText(JSON.stringify([node.op, attrs, own, node.inputs.map((input) => digests.get(input))])));
    order.push(id);
  }
  const nodes = order.filter((id) => graph.nodes.get(id)!.op !== "const" && graph.nodes.get(id)!.op !== "hole");
  return {
    nodes: nodes.map((id) => digests.get(id)!).sort(),
    outputs: graph.outputs.map((id) => digests.get(id)!).sort(),
  };
}

/** Outputs of a program without `return`: computed values that nobody reads. */
export function unread(graph: Graph): readonly NodeId[] {
  const read = new Set([...graph.nodes.values()].flatMap(({ inputs }) => inputs));
  return [...graph.nodes.values()]
    .filter(({ id, op }) => !read.has(id) && !["input", "const", "hole"].includes(op))
    .map(({ id }) => id);
}
