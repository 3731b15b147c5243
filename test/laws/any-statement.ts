/** @file The kinds of statements that random programs are made of. Ops come from the registry, so that a new one joins in. */
import { broadcastShapes, sizeOf, type DType, type Shape } from "../../src/fusion/ir";
import { allComposites, allOps, type CompositeDef, type OpDef } from "../../src/fusion/ops";
import { call } from "./any-call";
import { bits, forms, infinite } from "./any-form";
import { attention, channels, loss, tuples } from "./any-layer";
import type { Dice, Proposal, Value, Writing } from "./any-program";

export type Writer = (writing: Writing, x: Value, second: number, dice: Dice) => Proposal | null;

type Def = OpDef | CompositeDef;
const tensors = ({ params }: Def): number => params.filter(({ kind }) => kind === "tensor").length;
const needsOnly = (def: Def, count: number): boolean =>
  tensors(def) === count &&
  def.params.every(({ kind, default: value }) => kind === "tensor" || (kind !== "tensors" && value !== undefined));

const elementwise = allOps.filter(({ kind }) => kind === "elementwise");
const hasAxes = ({ params }: Def): boolean => params.some(({ kind }) => kind === "axis" || kind === "axes");
const closed = allOps.filter(({ kind }) => kind === "opaque");
const UNARY: readonly Def[] = [...elementwise, ...closed, ...allComposites].filter(
  (def) => needsOnly(def, 1) && !hasAxes(def),
);
const BINARY = elementwise.filter((def) => needsOnly(def, 2));
const FOLDS = [...allOps.filter(({ kind }) => kind === "reduce"), ...allComposites].filter(
  (def) => needsOnly(def, 1) && def.params.some(({ names }) => names[0] === "keepdims"),
);
/** softmax, cumsum, sort …: one tensor and an axis of it. */
const SCANS = allOps.filter(({ kind }) => kind === "scan");
const ALONG = [...SCANS, ...allComposites].filter(
  (def) => needsOnly(def, 1) && def.params.some(({ kind }) => kind === "axis"),
);

const byName = <T extends Def>(list: readonly T[], name: string): T => list.find((def) => def.name === name)!;

/** Where a rounding apart is a whole step apart. */
const JUMPS = new Set([
  "floor",
  "ceil",
  "round",
  "sign",
  "mod",
  "floor_div",
  "argmax",
  "argmin",
  "cast",
  "argsort",
  "cummax_indices",
  "cummin_indices",
  "topk_indices",
  "trunc",
  "frac",
  "hardshrink",
  "count_nonzero",
]);
const jumps = ({ name }: Def): boolean => JUMPS.has(name) || isTest(name);
const isTest = (name: string): boolean =>
  [
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "and",
    "or",
    "xor",
    "not",
    "is_nan",
    "is_inf",
    "isfinite",
    "any",
    "all",
  ].includes(name);

/** An operand such that these ops stay defined, and grow no faster than their operand. */
const DOMAINS: Readonly<Record<string, string>> = {
  acos: "tanh($) * 0.9",
  acosh: "abs($) + 1.5",
  asin: "tanh($) * 0.9",
  log: "abs($) + 0.5",
  log2: "abs($) + 0.5",
  log10: "abs($) + 0.5",
  sinc: "abs($) + 0.25",
  log1p: "abs($)",
  sqrt: "abs($)",
  rsqrt: "abs($) + 0.5",
  reciprocal: "abs($) + 0.5",
  exp: "tanh($)",
  exp2: "tanh($)",
  expm1: "tanh($)",
  sinh: "tanh($)",
  cosh: "tanh($)",
  square: "tanh($) * 3",
  tan: "tanh($)",
  sin: "tanh($) * 5",
  cos: "tanh($) * 5",
};

/** The operand of an op that needs it in its domain; most of the time, where numbers may be anything. */
function inDomain(def: Def, operand: string, tame: boolean, dice: Dice): string {
  const domain = DOMAINS[def.name];
  return domain && (tame || dice.roll(4) > 0) ? domain.replaceAll("$", operand) : operand;
}

/** Away from the ties that symmetric programs have (sums of a softmax, differences of equals). */
const offGrid = (operand: string, { exact, type }: Value): string =>
  exact || type.dtype !== "f32" ? operand : `(${operand} * 0.731 + 0.317)`;

const dim = (dice: Dice, { type }: Value): number => dice.roll(Math.max(1, type.shape.length));
const shapeOf = (value: Value): Shape => value.type.shape;

const unary: Writer = ({ demands }, x, second, dice) => {
  const def = second < 3 ? byName(UNARY, ["relu", "abs", "tanh"][second]!) : dice.pick(UNARY);
  if (jumps(def)) {
    if (demands.tame && !x.exact) return null;
    return { text: `${def.name}(${offGrid("$0", x)})`, operands: [x], exact: true };
  }
  return { text: `${def.name}(${inDomain(def, "$0", demands.tame, dice)})`, operands: [x] };
};

/** A shape that broadcasts against `shape`: the same, trailing axes, or some extents of 1. */
function narrowed(shape: Shape, dice: Dice): Shape {
  const way = dice.roll(4);
  if (way === 0) return shape;
  return way === 1 ? shape.slice(-1) : shape.map((extent, i) => (i % 2 === way % 2 ? 1 : extent));
}

/** Another operand: one that fits, or a fresh input. */
function partner(writing: Writing, x: Value, second: number, dice: Dice, dtype: DType = "f32"): Value {
  const fits = writing.valueAt(second, ({ type }) => broadcastShapes(type.shape, shapeOf(x)) !== null);
  if (fits && dice.roll(3) > 0) return fits;
  return writing.input(narrowed(shapeOf(x), dice), dtype);
}

const SIGNS: Readonly<Record<string, string>> = { add: "+", sub: "-", mul: "*", gt: ">", le: "<=" };

const binary: Writer = (writing, x, second, dice) => {
  const { tame } = writing.demands;
  const common = dice.roll(3) > 0;
  const def = common ? byName(BINARY, dice.pick(["add", "sub", "mul", "maximum", "minimum"])) : dice.pick(BINARY);
  const y = partner(writing, x, second, dice, dice.roll(9) === 8 ? dice.pick(["i32", "bool"]) : "f32");
  const operands = [x, y];
  if (jumps(def)) {
    if (tame && !(x.exact && y.exact)) return null;
    // A remainder by zero is nobody's promise.
    if (["mod", "floor_div"].includes(def.name))
      return { text: `${def.name}(${offGrid("$0", x)}, 2.5)`, operands: [x] };
    const sign = SIGNS[def.name];
    return {
      text: sign ? `${offGrid("$0", x)} ${sign} $1` : `${def.name}(${offGrid("$0", x)}, $1)`,
      operands,
      exact: true,
    };
  }
  if (def.name === "div") return { text: "$0 / (abs($1) + 1)", operands };
  if (def.name === "pow") return { text: "(abs($0) + 0.5) ** tanh($1)", operands };
  if (def.name === "atan2") return { text: "atan2($0, abs($1) + 0.5)", operands };
  if (def.name === "mul" && tame) return { text: "$0 * tanh($1)", operands };
  const sign = SIGNS[def.name];
  return { text: sign ? `$0 ${sign} $1` : `${def.name}($0, $1)`, operands };
};

const scalarOperand: Writer = (_, x, __, dice) => {
  const way = dice.pick(["* 0.5", "+ 1.5", "* 1", "+ 0", "- 0", "/ 1", "- 0.25", "/ 3", "** 2", "* 0"]);
  return way === "* 0" ? { text: "0.5 - $0", operands: [x] } : { text: `$0 ${way}`, operands: [x] };
};

const fold: Writer = ({ demands }, x, second, dice) => {
  const common = dice.roll(2) === 0;
  const def = common ? byName(FOLDS, dice.pick(["sum", "max", "mean"])) : dice.pick(FOLDS);
  const rank = shapeOf(x).length;
  if (sizeOf(shapeOf(x)) === 0 && demands.tame) return null;
  if (jumps(def) && demands.tame && !x.exact) return null;
  // A product of a thousand normal numbers is nothing; of numbers near 1 it is one.
  const operand = def.name === "prod" ? "(tanh($0) * 0.1 + 1)" : jumps(def) ? offGrid("$0", x) : "$0";
  const keep = `keepdim=${dice.roll(2) === 0 ? "True" : "False"}`;
  const axis = dim(dice, x);
  const other = (axis + 1) % Math.max(1, rank);
  const way = rank === 0 || second === 7 ? 2 : second === 6 && rank > 1 && !def.name.startsWith("arg") ? 1 : 0;
  const args = [keep, `dim=${axis}, ${keep}`, `dim=(${axis}, ${other}), ${keep}`][way === 0 ? 1 : way === 1 ? 2 : 0]!;
  const text = `${def.name}(${operand}, ${args})`;
  return { text: def.name.startsWith("arg") ? `${text} * 0.5` : text, operands: [x], exact: jumps(def) };
};

const along: Writer = ({ demands }, x, _, dice) => {
  if (shapeOf(x).length === 0 || x.type.dtype === "bool") return null;
  const def =
    dice.roll(3) < 2
      ? byName(ALONG, dice.pick(["softmax", "log_softmax", "l2_normalize", "cumsum"]))
      : dice.pick(ALONG);
  // Sorting swaps neighbours that are a rounding apart: the values stay near, the indices don't.
  const heavy = /^(arg)?sort$|^topk/.test(def.name);
  const axis = dim(dice, x);
  if (heavy && (sizeOf(shapeOf(x)) * shapeOf(x)[axis]! > demands.mostProducts || (jumps(def) && !x.exact))) return null;
  const operand = def.name === "cumprod" ? "(tanh($0) * 0.1 + 1)" : def.name === "l2_normalize" ? "($0 + 0.25)" : "$0";
  return { text: `${def.name}(${operand}, dim=${axis})`, operands: [x] };
};

const normalised: Writer = (writing, x, _, dice) => {
  const last = shapeOf(x).at(-1);
  if (last === undefined || last === 0) return null;
  const [w, b] = [writing.input([last]), writing.input([last])];
  const way = dice.roll(5);
  if (way === 0) return { text: "layer_norm($0, $1, $2)", operands: [x, w, b] };
  if (way === 1) return { text: `layer_norm($0, (${last},))`, operands: [x] };
  if (way === 2) return { text: "rms_norm($0, $1)", operands: [x, w] };
  return { text: way === 3 ? "swiglu($0, $0 * 0.5)" : "mse_loss($0, $0 * 0.5)", operands: [x] };
};

/** Same elements in the same order. */
const view: Writer = (_, x, second, dice) => {
  const shape = shapeOf(x);
  const [rank, flat] = [shape.length, sizeOf(shape)];
  const exact = true;
  const operands = [x];
  switch (second % 4) {
    case 0: {
      const divisor = [3, 31, 5, 2, 13].find((d) => flat % d === 0 && flat > d);
      const ways = divisor === undefined ? [[flat]] : [[flat / divisor, divisor], [divisor, flat / divisor], [flat]];
      return { text: `$0.reshape(${dice.pick(ways).join(", ")})`, operands, exact };
    }
    case 1:
      return { text: `unsqueeze($0, ${dice.roll(rank + 1)})`, operands, exact };
    case 2:
      return { text: "flatten($0)", operands, exact };
    default:
      return shape.includes(1) ? { text: `squeeze($0, ${shape.indexOf(1)})`, operands, exact } : null;
  }
};

const moved: Writer = (_, x, second, dice) => {
  const shape = shapeOf(x);
  const rank = shape.length;
  if (rank === 0) return null;
  const [operands, exact] = [[x], true];
  const axis = dim(dice, x);
  const extent = shape[axis]!;
  const at = (part: string): string => shape.map((_e, i) => (i === axis ? part : ":")).join(", ");
  const text = ((): string => {
    switch ((second + 8 * dice.roll(2)) % 14) {
      case 0:
      case 1:
        return rank < 2 ? "flip($0, 0)" : `transpose($0, ${axis}, ${(axis + 1) % rank})`;
      case 2:
        return `$0[${at(`${dice.roll(Math.max(1, extent - 1))}:${extent}:${1 + dice.roll(2)}`)}]`;
      case 3:
        return `$0[${at("::-1")}]`;
      case 4:
        return `pad($0, (${dice.roll(3)}, ${dice.roll(3)}), value=${dice.pick(["0", "1.5"])})`;
      case 5:
        return `pad($0, (${dice.roll(3)}, ${dice.roll(3)}), mode="${dice.pick(["edge", "reflect", "wrap"])}")`;
      case 6:
        return `flip($0, ${axis})`;
      case 7:
        return `roll($0, ${1 + dice.roll(5)}, ${axis})`;
      case 8:
        return `permute($0, ${shape.map((_e, i) => (i + 1 + dice.roll(2)) % rank).join(", ")})`;
      case 9:
        return `tile($0, (${shape.map((_e, i) => (i === axis ? 2 : 1)).join(", ")}))`;
      case 10:
        return `repeat_interleave($0, 2, ${axis})`;
      case 11:
        return `expand($0, (2, ${shape.join(", ")}))`;
      case 12:
        return `${dice.pick(["tril", "triu"])}($0, ${dice.roll(3) - 1})`;
      default:
        return `broadcast_in_dim($0, (${shape.join(", ")}, 3), (${shape.map((_e, i) => i).join(", ")}))`;
    }
  })();
  return { text, operands, exact };
};

const joined: Writer = (writing, x, second, dice) => {
  const shape = shapeOf(x);
  if (shape.length === 0) return null;
  const axis = dim(dice, x);
  const same = (value: Value): boolean => value.type.dtype === x.type.dtype && shapeOf(value).length === shape.length;
  const y = writing.valueAt(second, (v) => same(v) && shapeOf(v).every((e, i) => i === axis || e === shape[i]))!;
  const twin = writing.valueAt(second, (v) => same(v) && shapeOf(v).join() === shape.join())!;
  return dice.roll(4) === 3
    ? { text: `stack([$0, $1], ${axis})`, operands: [x, twin], exact: true }
    : { text: `concat([$0, $1], dim=${axis})`, operands: [x, y], exact: true };
};

const COLUMNS = [3, 1, 31, 33, 65, 16, 64];

const product: Writer = (writing, x, second, dice) => {
  const shape = shapeOf(x);
  if (shape.length === 0) return null;
  const k = shape.at(-1)!;
  const budget = writing.demands.mostProducts / Math.max(1, sizeOf(shape));
  const n = COLUMNS[dice.roll(COLUMNS.length)]!;
  const columns = n <= budget ? n : 1;
  const fits = writing.valueAt(
    second,
    ({ type }) => type.shape.length === 2 && type.shape[0] === k && type.shape[1]! <= budget && type.dtype === "f32",
  );
  switch (dice.roll(8)) {
    case 0:
    case 1:
      return fits && { text: "$0 @ $1", operands: [x, fits] };
    case 2:
      return { text: "$0 @ $1.T", operands: [x, writing.input([columns, k])] };
    case 3:
      return { text: "linear($0, $1, $2)", operands: [x, writing.input([columns, k]), writing.input([columns])] };
    case 4:
      return { text: "$0 @ $1", operands: [x, writing.input([k])] };
    case 5:
      return shape.length < 3
        ? { text: "$1 @ $0", operands: [x, writing.input([3, shape[0]!])] }
        : { text: "$0 @ $1", operands: [x, writing.input([...shape.slice(0, -2), k, columns])] };
    default:
      return { text: "$0 @ $1", operands: [x, writing.input([k, columns])] };
  }
};

const selected: Writer = (writing, x, second, dice) => {
  const condition = writing.valueAt(
    second,
    ({ type }) => type.dtype === "bool" && broadcastShapes(type.shape, shapeOf(x)) !== null,
  );
  const other = dice.pick(["0.5", "$0 * 2", "abs($0)"]);
  if (condition && dice.roll(2) === 0) return { text: `where($1, $0, ${other})`, operands: [x, condition] };
  if (writing.demands.tame && !x.exact) return null;
  return { text: `where(${offGrid("$0", x)} > 0, $0, ${other})`, operands: [x] };
};

const random: Writer = (_, x, __, dice) => ({ text: `dropout($0, p=0.25, seed=${dice.roll(3)})`, operands: [x] });

const cast: Writer = ({ demands }, x, _, dice) => {
  const to = dice.pick(["f32", "i32", "bool"]);
  if (to !== "f32" && !x.exact && (demands.tame || to === "bool")) return null;
  return { text: `cast(${to === "i32" ? offGrid("$0", x) : "$0"}, ${to})`, operands: [x], exact: true };
};

/** Windows over images: the newest value becomes one if it is not. */
const image: Writer = (writing, x, second, dice) => {
  if (shapeOf(x).length !== 4 || sizeOf(shapeOf(x)) === 0) {
    return {
      text: "$0 * 1.25",
      operands: [writing.input([1 + dice.roll(2), dice.pick([4, 2, 3]), dice.pick([7, 5, 8]), dice.pick([6, 9])])],
    };
  }
  const c = shapeOf(x)[1]!;
  const k = 2 + dice.roll(2);
  const how = `stride=${1 + dice.roll(2)}, padding=${dice.roll(2)}`;
  switch (second) {
    case 0:
      return { text: `max_pool2d($0, ${k}, ${how})`, operands: [x] };
    case 1:
      return { text: `avg_pool2d($0, ${k}, ${how})`, operands: [x] };
    case 2:
      return { text: `unfold($0, (${k}, 2), ${how})`, operands: [x], exact: true };
    case 3:
      return { text: `conv2d($0, $1, ${how}, groups=${c})`, operands: [x, writing.input([c, 1, k, k])] };
    case 4:
      return { text: `conv_transpose2d($0, $1, stride=2)`, operands: [x, writing.input([c, 2, k, k])] };
    default:
      return { text: `conv2d($0, $1, $2, ${how})`, operands: [x, writing.input([3, c, k, k]), writing.input([3])] };
  }
};

/** Reads and writes at computed indices. */
const indexed: Writer = (writing, x, second, dice) => {
  const shape = shapeOf(x);
  const axis = dim(dice, x);
  const extent = shape[axis];
  if (extent === undefined || extent === 0) return null;
  const indices = (of: Shape): Value => writing.input(of, "i32", `uniform(0, ${extent})`);
  const whole = x.exact;
  switch (second) {
    case 0:
    case 1:
      return { text: `gather($0, $1, axis=${axis})`, operands: [x, indices([dice.pick([3, 1, 5])])], exact: whole };
    case 2:
      return { text: `gather($0, $1, axis=${axis})`, operands: [x, indices([2, 3])], exact: whole };
    case 3:
      return shape.length === 2 && axis === 0
        ? { text: "embedding($1, $0)", operands: [x, indices([4])], exact: whole }
        : null;
    case 4:
      return dice.roll(3) === 0
        ? {
            text: `take_along_axis($0, $1, axis=${axis})`,
            operands: [x, indices(shape.map((each, i) => (i === axis ? 2 : dice.pick([1, each]))))],
            exact: whole,
          }
        : { text: `gather_elements($0, $1, axis=${axis})`, operands: [x, indices(shape)], exact: whole };
    case 5:
      return { text: `one_hot($1, ${extent}) + $0.sum()`, operands: [x, indices([3])] };
    case 6:
      return extent > 65
        ? null
        : { text: `scatter_add($0, $1, tanh($0), axis=${axis})`, operands: [x, indices(shape)] };
    default:
      return dice.roll(3) === 0
        ? { text: `scatter_elements($0, $1, tanh($0), axis=${axis}, reduction="add")`, operands: [x, indices(shape)] }
        : { text: `topk($0, ${Math.min(2, extent)}, dim=${axis})`, operands: [x] };
  }
};

/** The very same call again: for common subexpressions. */
const repeated: Writer = (writing, _, second) => writing.again(second);

/** What a softmax or a norm looks like when it is written out. */
const byHand: Writer = (_, x, second, dice) => {
  if (shapeOf(x).length === 0) return null;
  const way = `dim=${dim(dice, x)}, keepdim=True`;
  const text = [
    `$0 - $0.mean(${way})`,
    `$0 / ($0.abs().sum(${way}) + 1)`,
    `exp($0 - $0.max(${way}))`,
    `$0 - $0.max(${way})`,
  ][second % 4]!;
  return { text, operands: [x] };
};

/** What algebra may rewrite: constants in a row, permutations in a row, scales behind a product of weights, factors before a fold. */
const algebraic: Writer = (writing, x, second, dice) => {
  const shape = shapeOf(x);
  const rank = shape.length;
  if (x.type.dtype !== "f32") return null;
  const [a, way] = [dim(dice, x), `dim=${dim(dice, x)}, keepdim=True`];
  const turned = (by: number): string => shape.map((_e, i) => (i + by) % rank).join(", ");
  // Turning and swapping, unlike turning twice, depend on their order.
  const swapped = [1, 0, ...shape.map((_e, i) => i).slice(2)].join(", ");
  const columns = COLUMNS[dice.roll(3)]!;
  const fits = sizeOf(shape) * columns <= writing.demands.mostProducts;
  const weight = (of: Shape): Value => writing.input(of, "f32", "param()");
  switch (second) {
    case 0:
      return { text: "$0 * 2 * 3 + 1 + 2", operands: [x] };
    case 1:
      return rank < 2
        ? null
        : {
            text: `relu(permute(permute($0, ${turned(1)}), ${dice.pick([swapped, turned(1), turned(2)])}))`,
            operands: [x],
          };
    case 2:
      return rank < 2
        ? null
        : {
            text: `permute(tanh(permute($0, ${turned(1)})), ${dice.pick([swapped, turned(0), turned(1), turned(2)])})`,
            operands: [x],
          };
    case 3:
    case 4: {
      if (rank < 2 || !fits) return null;
      const [w, s] = [weight([shape.at(-1)!, columns]), weight([columns])];
      return { text: second === 3 ? "($0 @ $1) * $2 + $2" : "relu(($0 @ $1 + $2) * 0.5)", operands: [x, w, s] };
    }
    case 5:
      return rank === 0 ? null : { text: `($0 * 3).sum(${way})`, operands: [x] };
    case 6:
      return rank === 0 ? null : { text: `relu($0 + 0.5).max(${way})`, operands: [x] };
    default:
      return rank < 2
        ? null
        : {
            text: `transpose(transpose($0, ${a}, ${(a + 1) % rank}), ${(a + 1) % rank}, ${(a + 2) % rank})`,
            operands: [x],
          };
  }
};

/** Simple ones first: shrinking goes that way. */
export const writers: readonly Writer[] = [
  unary,
  unary,
  binary,
  binary,
  fold,
  scalarOperand,
  moved,
  view,
  byHand,
  product,
  joined,
  along,
  unary,
  binary,
  fold,
  moved,
  view,
  normalised,
  selected,
  random,
  repeated,
  cast,
  fold,
  product,
  along,
  image,
  indexed,
  byHand,
  attention,
  channels,
  loss,
  tuples,
  attention,
  algebraic,
  algebraic,
  call,
  call,
  call,
];

/** These and what only the soak writes. */
export const wideWriters: readonly Writer[] = [...writers, forms, bits, infinite];
