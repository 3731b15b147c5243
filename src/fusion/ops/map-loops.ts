/** @file What loops mean whose bodies work element by element: types, one element through all iterations, FLOP. */
import type { Attrs, DType, TensorType } from "../ir";
import type { LoopMeaning, OpDef, ScalarMeaning } from "./define";
import { carriedFor, readBody, readBy, type BodyArg, type LoopBody } from "./loop-body";
import { broadcastAll, fine, numberOf, wrong } from "./shapes";

/** Ops by name, null where there is none: the list of all of them is made from this one too. */
export type Find = (name: string) => OpDef | null;

/** Every iteration has the same code. */
const MAX_ITERATIONS = 1e6;

/** What becomes of each value that an iteration computes. */
type Change = (value: number, dtype: DType) => number;

type Run = (args: readonly number[], iterations: number, result: number, change: Change | null) => number;

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
    if (!def || (def.kind !== "elementwise" && !def.loop) || def.scalar?.usesIndex)
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
  const { params, values, next } = body;
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
  const after = ends.map(() => 0);
  return (args, iterations, result, change) => {
    const slots = [...args, ...values.map(() => 0), 0, ...literals];
    for (let number = 0; number < iterations; number++) {
      slots[iteration] = number;
      for (let at = 0; at < steps.length; at++) {
        const { rule, round, dtype, attrs, from, given } = steps[at]!;
        for (let k = 0; k < from.length; k++) given[k] = slots[from[k]!]!;
        const value = round(rule(given, attrs));
        slots[params.length + at] = change ? change(value, dtype) : value;
      }
      for (let k = 0; k < ends.length; k++) after[k] = slots[ends[k]!]!;
      for (let k = 0; k < ends.length; k++) slots[k] = after[k]!;
    }
    return slots[result]!;
  };
}

/** Types, meaning and cost of a loop over the ops that `find` knows. */
export function loopMeaning(find: Find): {
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
    launched: (attrs) => attrs["launched"] === true,
    run: (args, attrs, change) => runFor(attrs)(args, iterationsOf(attrs), resultOf(attrs), change),
    flops(attrs, results) {
      const body = sound(attrs);
      const needed = readBy(
        body,
        carriedFor(body, results).map((at) => body.next[at]!),
      );
      const each = [...needed.values].reduce((sum, at) => {
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
      const { params, next } = body;
      const result = resultOf(attrs);
      if (!Number.isInteger(result) || result < 0 || result >= next.length)
        return wrong("bad-attr", `This loop carries ${next.length} values, so there is no result ${result}.`);
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
      const shape = broadcastAll(inputs, names);
      return shape.ok ? fine({ dtype: params[result]!.dtype, shape: shape.value }) : shape;
    },
  };
}
