/** @file What loops mean: types, one element through all iterations of a body that works element by element, FLOP. */
import {
  sameShape,
  showShape,
  showType,
  sizeOf,
  type Attrs,
  type Checked,
  type DType,
  type Shape,
  type TensorType,
} from "../ir";
import type { Along, LoopMeaning, OpDef, Param, RowAccess, ScalarMeaning } from "./define";
import {
  neededFor,
  ownShape,
  rankAround,
  readBody,
  resultAt,
  rowAt,
  type BodyArg,
  type BodyValue,
  type LoopBody,
  type Result,
} from "./loop-body";
import { broadcastAll, fine, numberOf, numbersOf, wrong } from "./shapes";

/** Ops by name, null where there is none: the list of all of them is made from this one too. */
export type Find = (name: string) => OpDef | null;

/** Every iteration has the same code. */
const MAX_ITERATIONS = 1e6;

/** What becomes of each value that an iteration computes. */
type Change = (value: number, dtype: DType) => number;

type Run = (
  args: readonly number[],
  iterations: number,
  result: number,
  change: Change | null,
  rows: RowAccess | null,
) => number;

const rounded: Record<DType, (value: number) => number> = {
  f32: (value) => value,
  f16: (value) => value,
  i32: (value) => value | 0,
  bool: (value) => (value === 0 ? 0 : 1),
};

/** Types of the body's values in one run of it, or the first that has none. */
function typed(find: Find, body: LoopBody): readonly TensorType[] | string {
  const known: TensorType[] = [];
  for (const { name, op, args, attrs } of body.values) {
    const def = find(op);
    const types = args.map((arg) => typeOf(body, known, arg));
    const type = def?.infer(types, attrs);
    if (!def || !mayStand(def, types, attrs)) return `\`${op}\` mixes elements of what stands beside one another`;
    if (!type!.ok) return `${name}: ${type!.text}`;
    known.push(type!.value);
  }
  return known;
}

/** More than any axis of a program is likely to have. */
const MANY = 7919;

/**
 * Whether the op does the same to each run of the body when all runs lie in one tensor, with axes of their own in front: it works
 * element by element, or on axes that are counted from the end.
 */
function mayStand(def: OpDef, types: readonly TensorType[], attrs: Attrs): boolean {
  if (def.kind === "elementwise") return !def.scalar?.usesIndex;
  if (def.kind === "contraction") return true;
  if (def.kind !== "movement" && (def.kind !== "reduce" || def.reduce!.arg)) return false;
  const fromTheEnd = def.params.every(({ names: [name], kind }) => {
    const axes = numbersOf(attrs[name!]);
    return (kind !== "axis" && kind !== "axes") || (axes.length > 0 && axes.every((axis) => axis < 0));
  });
  if (!fromTheEnd) return false;
  const one = def.infer(types, attrs);
  const all = def.infer(
    types.map(({ dtype, shape }) => ({ dtype, shape: [MANY, ...shape] })),
    attrs,
  );
  return one.ok && all.ok && sameShape(all.value.shape, [MANY, ...one.value.shape]);
}

const typeOf = ({ params }: LoopBody, known: readonly TensorType[], arg: BodyArg): TensorType =>
  arg.kind === "param"
    ? { dtype: params[arg.at]!.dtype, shape: ownShape(params[arg.at]!) }
    : arg.kind === "value"
      ? known[arg.at]!
      : { dtype: arg.kind === "iteration" ? "i32" : arg.dtype, shape: [] };

/** What one call takes in one run of the body. */
function flopsOf(
  find: Find,
  { op, attrs, args }: BodyValue,
  types: readonly TensorType[],
  type: TensorType,
  each: (def: OpDef, literals: readonly (number | null)[]) => number,
): number {
  const def = find(op)!;
  const size = sizeOf(type.shape);
  if (def.loop) return size * def.loop.flops(attrs, [def.loop.result(attrs)], each);
  if (def.kind === "contraction") return 2 * size * types[0]!.shape.at(-1)!;
  const literals = args.map((arg) => (arg.kind === "literal" ? arg.value : null));
  return each(def, literals) * (def.kind === "reduce" ? sizeOf(types[0]!.shape) : size);
}

/** All iterations of a body for one element. Every number has its slot in one list: parameters, values, the iteration's number, literals. */
function runOf(find: Find, body: LoopBody, types: readonly TensorType[]): Run {
  const { params, values, next, rows: given } = body;
  const iteration = params.length + values.length;
  const literals: number[] = [];
  const slotOf = (arg: BodyArg): number => {
    if (arg.kind === "literal") return iteration + literals.push(arg.value);
    return arg.kind === "iteration" ? iteration : arg.kind === "param" ? arg.at : params.length + arg.at;
  };
  const steps = values.map(({ op, args, attrs }, at) => {
    const scalar = find(op)!.scalar!;
    const { dtype } = types[at]!;
    const rule = dtype === "i32" && scalar.int ? scalar.int.bind(scalar) : scalar.js.bind(scalar);
    return { rule, round: rounded[dtype], dtype, attrs, from: args.map(slotOf), given: args.map(() => 0) };
  });
  const ends = next.map(slotOf);
  const shown = given.map(slotOf);
  const after = ends.map(() => 0);
  const walked = params.flatMap(({ walk }, at) => (walk ? [at] : []));
  return (args, iterations, result, change, rows) => {
    const slots = [...args, ...values.map(() => 0), 0, ...literals];
    const { kind, at: which } = resultAt(body, result);
    for (let number = 0; number < iterations; number++) {
      slots[iteration] = number;
      for (const param of walked) slots[param] = rows!.read(param, number);
      if (kind === "before") rows!.show(number, slots[which]!);
      for (let at = 0; at < steps.length; at++) {
        const { rule, round, dtype, attrs, from, given } = steps[at]!;
        for (let k = 0; k < from.length; k++) given[k] = slots[from[k]!]!;
        const value = round(rule(given, attrs));
        slots[params.length + at] = change ? change(value, dtype) : value;
      }
      if (kind === "rows") rows!.show(number, slots[shown[which]!]!);
      for (let k = 0; k < ends.length; k++) after[k] = slots[ends[k]!]!;
      for (let k = 0; k < ends.length; k++) slots[k] = after[k]!;
    }
    return kind === "last" ? slots[which]! : Number.NaN;
  };
}

/** The first value that is not what each run of the body makes of its own, where all runs lie in one tensor. */
function mixing(
  find: Find,
  body: LoopBody,
  inputs: readonly TensorType[],
  known: readonly TensorType[],
  axis: number,
): string | null {
  const all: TensorType[] = [];
  const typeIn = (arg: BodyArg): TensorType => {
    if (arg.kind === "value") return all[arg.at]!;
    if (arg.kind !== "param") return typeOf(body, known, arg);
    const { dtype, shape } = inputs[arg.at]!;
    const param = body.params[arg.at]!;
    return { dtype, shape: param.walk ? shape.toSpliced(rankAround(shape, param) + axis, 1) : shape };
  };
  for (const [at, { name, op, args, attrs }] of body.values.entries()) {
    const types = args.map(typeIn);
    const type = find(op)!.infer(types, attrs);
    if (!type.ok) return name;
    const { shape } = type.value;
    const own = known[at]!.shape;
    const around = shape.length - own.length;
    const most = Math.max(...args.map((arg, i) => types[i]!.shape.length - typeOf(body, known, arg).shape.length));
    if (around > most || !sameShape(shape.slice(around), own)) return name;
    all.push(type.value);
  }
  return null;
}

/** Carried values and rows side by side: the shape of what is carried, and that with the rows' axis. */
interface Space {
  readonly outer: Shape;
  readonly whole: Shape;
}

/** The space of a loop along rows, or what does not fit. */
function spaceOf(
  body: LoopBody,
  inputs: readonly TensorType[],
  names: readonly string[],
  iterations: number,
  axis: number,
): Checked<Space> {
  const rows: TensorType[] = [];
  for (const [at, param] of body.params.entries()) {
    const { walk } = param;
    const { dtype, shape } = inputs[at]!;
    const name = names[at] ?? `tensor ${at + 1}`;
    const around = shape.slice(0, Math.max(0, rankAround(shape, param)));
    if (!sameShape(shape.slice(around.length), ownShape(param)))
      return wrong(
        "bad-attr",
        `${name} is ${showShape(shape)}; the body reads ${param.name} as ${showShape(ownShape(param))}.`,
      );
    if (!walk) rows.push({ dtype, shape: around });
    else {
      const own = around.length + axis;
      const extent = around[own];
      if (extent === undefined)
        return wrong("bad-axis", `${name} has no axis ${axis}, along which this loop reads a row in each iteration.`);
      const last = rowAt(walk, iterations - 1);
      if (Math.min(walk.start, last) < 0 || Math.max(walk.start, last) >= extent)
        return wrong("bad-attr", `This loop reads rows ${walk.start} to ${last} of ${name}, which has ${extent}.`);
      rows.push({ dtype, shape: around.filter((_, i) => i !== own) });
    }
  }
  const outer = broadcastAll(rows, names);
  if (!outer.ok) return outer;
  const rowAxis = outer.value.length + 1 + axis;
  if (!Number.isInteger(axis) || rowAxis < 0 || rowAxis > outer.value.length)
    return wrong("bad-axis", `The rows of this loop have no axis ${axis}: axes count from the end, from -1 on.`);
  return fine({ outer: outer.value, whole: outer.value.toSpliced(rowAxis, 0, iterations) });
}

/** The arguments of a call of a loop; `own` stand before the last. */
export const loopParams = (own: readonly Param[]): readonly Param[] => [
  {
    names: ["tensors"],
    kind: "tensors",
    doc: "Carried values before the first iteration, then what every iteration reads.",
  },
  { names: ["iterations"], kind: "int", doc: "How often the body runs." },
  { names: ["body"], kind: "string", doc: "What an iteration computes, element by element." },
  { names: ["result"], kind: "int", default: 0, doc: "Which result it is, from 0: carried values come first." },
  ...own,
  {
    names: ["launched"],
    kind: "bool",
    default: true,
    doc: "The ops of the body are kernels that each iteration launches again; otherwise one kernel runs all iterations.",
  },
];

/**
 * Types, meaning and cost of a loop over the ops that `find` knows.
 * @param along the rows that its iterations go along; null where there are none
 */
export function loopMeaning(
  find: Find,
  along: ((attrs: Attrs) => Along) | null = null,
): {
  readonly loop: LoopMeaning;
  readonly js: ScalarMeaning["js"];
  readonly infer: OpDef["infer"];
} {
  const runs = new Map<string, Run>();
  const bodyOf = (attrs: Attrs): LoopBody | string => readBody(String(attrs["body"] ?? ""));
  const sound = (attrs: Attrs): LoopBody => {
    const body = bodyOf(attrs);
    if (typeof body === "string") throw new TypeError(body);
    return body;
  };
  const runFor = (attrs: Attrs): Run => {
    const text = String(attrs["body"]);
    const known = runs.get(text);
    if (known) return known;
    if (runs.size > 1000) runs.clear();
    const body = sound(attrs);
    const found = runOf(find, body, typesOf(body));
    runs.set(text, found);
    return found;
  };
  const types = new WeakMap<LoopBody, readonly TensorType[]>();
  const typesOf = (body: LoopBody): readonly TensorType[] => {
    const known = types.get(body);
    if (known) return known;
    const found = typed(find, body) as readonly TensorType[];
    types.set(body, found);
    return found;
  };
  const ownOf = (body: LoopBody, { kind, at }: Result): Shape =>
    kind === "rows" ? typeOf(body, typesOf(body), body.rows[at]!).shape : ownShape(body.params[at]!);
  const resultOf = (attrs: Attrs): number => numberOf(attrs["result"], 0);
  const iterationsOf = (attrs: Attrs): number => numberOf(attrs["iterations"], 1);
  const loop: LoopMeaning = {
    bodyOf: sound,
    dtypesOf: (body) => typesOf(body).map(({ dtype }) => dtype),
    typesOf,
    isPlain: (body) =>
      body.params.every((param) => ownShape(param).length === 0) &&
      body.values.every(({ op }) => find(op)!.kind === "elementwise"),
    ownOf,
    iterations: iterationsOf,
    result: resultOf,
    along: (attrs) => along?.(attrs) ?? null,
    launched: (attrs) => attrs["launched"] === true,
    run: (args, attrs, change, rows) => runFor(attrs)(args, iterationsOf(attrs), resultOf(attrs), change, rows ?? null),
    flops(attrs, results, each) {
      const body = sound(attrs);
      const known = typesOf(body);
      const once = [...neededFor(body, results).values].reduce((sum, at) => {
        const value = body.values[at]!;
        const types = value.args.map((arg) => typeOf(body, known, arg));
        return sum + flopsOf(find, value, types, known[at]!, each);
      }, 0);
      return iterationsOf(attrs) * once;
    },
  };
  return {
    loop,
    js: (args, attrs) => loop.run(args, attrs, null),
    infer(inputs, attrs, names = inputs.map((_, i) => `tensor ${i + 1}`)) {
      const body = bodyOf(attrs);
      if (typeof body === "string") return wrong("bad-attr", `The body of this loop can't be read: ${body}.`);
      const known = typed(find, body);
      if (typeof known === "string") return wrong("bad-attr", `The body of this loop can't run: ${known}.`);
      const iterations = iterationsOf(attrs);
      if (!Number.isInteger(iterations) || iterations < 1 || iterations > MAX_ITERATIONS)
        return wrong("bad-attr", `A loop makes between 1 and ${MAX_ITERATIONS} iterations; this says ${iterations}.`);
      const { params, next, rows } = body;
      const result = resultOf(attrs);
      const count = along ? 2 * next.length + rows.length : next.length;
      if (!Number.isInteger(result) || result < 0 || result >= count)
        return wrong(
          "bad-attr",
          along
            ? `This loop carries ${next.length} values and gives ${rows.length} in rows: its results are 0 to ${count - 1}, and this says ${result}.`
            : `This loop carries ${next.length} values, so there is no result ${result}.`,
        );
      if (!along && (rows.length > 0 || params.some(({ walk }) => walk)))
        return wrong("bad-attr", "This body reads or gives rows: the op of such loops is row_loop.");
      if (params.slice(0, next.length).some(({ walk }) => walk))
        return wrong("bad-attr", "A carried value is no tensor that is read row by row.");
      if (params.length !== inputs.length)
        return wrong("bad-attr", `The body has ${params.length} parameters and gets ${inputs.length} tensors.`);
      const odd = params.findIndex(({ dtype }, at) => dtype !== inputs[at]!.dtype);
      if (odd >= 0)
        return wrong(
          "bad-attr",
          `${names[odd] ?? `tensor ${odd + 1}`} is ${inputs[odd]!.dtype}; the body reads ${params[odd]!.name} as ${params[odd]!.dtype}.`,
        );
      const changed = next.findIndex((arg, at) => {
        const { dtype, shape } = typeOf(body, known, arg);
        return dtype !== params[at]!.dtype || !sameShape(shape, ownShape(params[at]!));
      });
      if (changed >= 0) {
        const [before, after] = [
          { ...params[changed]!, shape: ownShape(params[changed]!) },
          typeOf(body, known, next[changed]!),
        ];
        return wrong(
          "bad-attr",
          `${before.name} is ${showType(before)} before an iteration and ${showType(after)} after it.`,
        );
      }
      const { kind, at } = resultAt(body, result);
      const type = kind === "rows" ? typeOf(body, known, rows[at]!) : null;
      const { dtype, shape: own } = type ?? { dtype: params[at]!.dtype, shape: ownShape(params[at]!) };
      if (!along) {
        if (params.some((param) => ownShape(param).length > 0) || known.some(({ shape }) => shape.length > 0))
          return wrong("bad-attr", "This body has several numbers at once: the op of such loops is row_loop.");
        const shape = broadcastAll(inputs, names);
        return shape.ok ? fine({ dtype, shape: shape.value }) : shape;
      }
      const space = spaceOf(body, inputs, names, iterations, along(attrs).axis);
      if (!space.ok) return space;
      const mixed = mixing(find, body, inputs, known, along(attrs).axis);
      if (mixed !== null)
        return wrong(
          "bad-attr",
          `The body of this loop can't run: ${mixed} mixes elements of what stands beside one another.`,
        );
      return fine({ dtype, shape: [...(kind === "last" ? space.value.outer : space.value.whole), ...own] });
    },
  };
}
