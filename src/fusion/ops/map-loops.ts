/** @file What loops mean whose bodies work element by element: types, one element through all iterations, FLOP. */
import type { Attrs, Checked, DType, Shape, TensorType } from "../ir";
import type { Along, LoopMeaning, OpDef, Param, RowAccess, ScalarMeaning } from "./define";
import { neededFor, readBody, resultAt, rowAt, type BodyArg, type LoopBody } from "./loop-body";
import { broadcastAll, fine, numberOf, wrong } from "./shapes";

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

/** Dtypes of the body's values, or the first that has none. */
function typed(find: Find, body: LoopBody): readonly DType[] | string {
  const dtypes: DType[] = [];
  for (const { name, op, args, attrs } of body.values) {
    const def = find(op);
    if (!def || def.kind !== "elementwise" || def.scalar?.usesIndex)
      return `\`${op}\` does not work element by element`;
    const types = args.map((arg): TensorType => ({ dtype: dtypeOf(body, dtypes, arg), shape: [] }));
    const type = def.infer(types, attrs);
    if (!type.ok) return `${name}: ${type.text}`;
    dtypes.push(type.value.dtype);
  }
  return dtypes;
}

const dtypeOf = ({ params }: LoopBody, dtypes: readonly DType[], arg: BodyArg): DType =>
  arg.kind === "param"
    ? params[arg.at]!.dtype
    : arg.kind === "value"
      ? dtypes[arg.at]!
      : arg.kind === "iteration"
        ? "i32"
        : arg.dtype;

/** All iterations of a body for one element. Every number has its place in one list: parameters, values, the iteration's number, literals. */
function runOf(find: Find, body: LoopBody, dtypes: readonly DType[]): Run {
  const { params, values, next, rows: given } = body;
  const iteration = params.length + values.length;
  const literals: number[] = [];
  const placeOf = (arg: BodyArg): number => {
    if (arg.kind === "literal") return iteration + literals.push(arg.value);
    return arg.kind === "iteration" ? iteration : arg.kind === "param" ? arg.at : params.length + arg.at;
  };
  const steps = values.map(({ op, args, attrs }, at) => {
    const scalar = find(op)!.scalar!;
    const dtype = dtypes[at]!;
    const rule = dtype === "i32" && scalar.int ? scalar.int.bind(scalar) : scalar.js.bind(scalar);
    return { rule, round: rounded[dtype], dtype, attrs, from: args.map(placeOf), given: args.map(() => 0) };
  });
  const ends = next.map(placeOf);
  const shown = given.map(placeOf);
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

/** Carried values and rows side by side: the shape of what is carried, and that with the rows' axis. */
interface Space {
  readonly kept: Shape;
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
  for (const [at, { walk }] of body.params.entries()) {
    const { dtype, shape } = inputs[at]!;
    if (!walk) rows.push({ dtype, shape });
    else {
      const own = shape.length + axis;
      const extent = shape[own];
      const name = names[at] ?? `tensor ${at + 1}`;
      if (extent === undefined)
        return wrong("bad-axis", `${name} has no axis ${axis}, along which this loop reads a row in each iteration.`);
      const last = rowAt(walk, iterations - 1);
      if (Math.min(walk.start, last) < 0 || Math.max(walk.start, last) >= extent)
        return wrong("bad-attr", `This loop reads rows ${walk.start} to ${last} of ${name}, which has ${extent}.`);
      rows.push({ dtype, shape: shape.filter((_, i) => i !== own) });
    }
  }
  const kept = broadcastAll(rows, names);
  if (!kept.ok) return kept;
  const place = kept.value.length + 1 + axis;
  if (!Number.isInteger(axis) || place < 0 || place > kept.value.length)
    return wrong("bad-axis", `The rows of this loop have no axis ${axis}: axes count from the end, from -1 on.`);
  return fine({ kept: kept.value, whole: kept.value.toSpliced(place, 0, iterations) });
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
    const found = runOf(find, body, typed(find, body) as readonly DType[]);
    runs.set(text, found);
    return found;
  };
  const resultOf = (attrs: Attrs): number => numberOf(attrs["result"], 0);
  const iterationsOf = (attrs: Attrs): number => numberOf(attrs["iterations"], 1);
  const loop: LoopMeaning = {
    bodyOf: sound,
    dtypesOf: (body) => typed(find, body) as readonly DType[],
    iterations: iterationsOf,
    result: resultOf,
    along: (attrs) => along?.(attrs) ?? null,
    launched: (attrs) => attrs["launched"] === true,
    run: (args, attrs, change, rows) => runFor(attrs)(args, iterationsOf(attrs), resultOf(attrs), change, rows ?? null),
    flops(attrs, results) {
      const body = sound(attrs);
      const each = [...neededFor(body, results).values].reduce((sum, at) => {
        const { op, attrs: own } = body.values[at]!;
        const def = find(op)!;
        return sum + (def.loop ? def.loop.flops(own, [def.loop.result(own)]) : def.flopsPerElement);
      }, 0);
      return iterationsOf(attrs) * each;
    },
  };
  return {
    loop,
    js: (args, attrs) => loop.run(args, attrs, null),
    infer(inputs, attrs, names = inputs.map((_, i) => `tensor ${i + 1}`)) {
      const body = bodyOf(attrs);
      if (typeof body === "string") return wrong("bad-attr", `The body of this loop can't be read: ${body}.`);
      const dtypes = typed(find, body);
      if (typeof dtypes === "string") return wrong("bad-attr", `The body of this loop can't run: ${dtypes}.`);
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
      const changed = next.findIndex((arg, at) => dtypeOf(body, dtypes, arg) !== params[at]!.dtype);
      if (changed >= 0)
        return wrong(
          "bad-attr",
          `${params[changed]!.name} is ${params[changed]!.dtype} before an iteration and ${dtypeOf(body, dtypes, next[changed]!)} after it.`,
        );
      const { kind, at } = resultAt(body, result);
      const dtype = kind === "rows" ? dtypeOf(body, dtypes, rows[at]!) : params[at]!.dtype;
      if (!along) {
        const shape = broadcastAll(inputs, names);
        return shape.ok ? fine({ dtype, shape: shape.value }) : shape;
      }
      const space = spaceOf(body, inputs, names, iterations, along(attrs).axis);
      if (!space.ok) return space;
      return fine({ dtype, shape: kind === "last" ? space.value.kept : space.value.whole });
    },
  };
}
