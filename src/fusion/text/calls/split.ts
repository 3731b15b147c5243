/** @file Calls that answer several tensors: `split`, `chunk`, `tensor_split`, `unbind`. Each part is a slice of its own. */
import { applyParts } from "./apply";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import type { CallExpr, Identifier } from "../reading/syntax";
import { BROKEN, describe, type GivenArgument, isBroken, type Operand, type Value } from "../values/values";

/** Where the parts begin and end, of `extent` elements; null when the sizes don't fit. */
type Cuts = readonly (readonly [start: number, stop: number])[];
type Cutter = (extent: number, sizes: readonly number[], isList: boolean) => Cuts | null;

/** Each part is an op of its own, and a kernel of the naive plan: more than these are no longer a program to look at. */
const MAX_PARTS = 1024;
/** As many as there are, or one more than there may be. */
const parts = (count: number): number => Math.min(count, MAX_PARTS + 1);

/** Pieces of `size`, the last one smaller. */
const steps = (extent: number, size: number): Cuts | null =>
  size < 1
    ? null
    : Array.from(
        { length: parts(Math.max(1, Math.ceil(extent / size))) },
        (_, i) => [i * size, Math.min(extent, (i + 1) * size)] as const,
      );

/** Pieces that end at `stops` and at the end. */
const upTo = (extent: number, stops: readonly number[]): Cuts =>
  [...stops, extent].map((stop, i) => [Math.min(stops[i - 1] ?? 0, extent), Math.min(stop, extent)] as const);

/** torch.split: one size for all parts, or a list of sizes. */
const bySize: Cutter = (extent, sizes, isList) => {
  if (!isList) return steps(extent, sizes[0]!);
  let sum = 0;
  const cuts = sizes.map((size) => [sum, (sum += size)] as const);
  return sum === extent && sizes.every((size) => size >= 0) ? cuts : null;
};

/** torch.chunk: at most so many parts, all but the last alike. */
const byCount: Cutter = (extent, [count], isList) =>
  isList || !(count! >= 1) ? null : steps(extent, Math.max(1, Math.ceil(extent / count!)));

/** numpy's array_split and torch's tensor_split: so many parts, the first ones larger by one, or a list of indices. */
const bySections: Cutter = (extent, sizes, isList) => {
  if (isList) return upTo(extent, sizes);
  const count = sizes[0]!;
  if (count < 1) return null;
  const [least, more] = [Math.floor(extent / count), extent % count];
  return upTo(
    extent,
    Array.from({ length: parts(count) - 1 }, (_, i) => (i + 1) * least + Math.min(i + 1, more)),
  );
};

/** numpy's split: parts of one size, or a list of indices. */
const byEqualSections: Cutter = (extent, sizes, isList) =>
  !isList && extent % sizes[0]! !== 0 ? null : bySections(extent, sizes, isList);

const SPLITS: ReadonlyMap<string, Cutter | null> = new Map([
  ["split", bySize],
  ["chunk", byCount],
  ["tensor_split", bySections],
  ["array_split", bySections],
  ["unbind", null],
  ["unstack", null],
]);
const NUMPY = /^(jnp|np|numpy|jax)\b/;
const SIZES: ReadonlySet<string> = new Set([
  "split_size_or_sections",
  "split_size",
  "indices_or_sections",
  "chunks",
  "num",
  "sections",
  "indices",
]);

export const isSplit = (name: string): boolean => SPLITS.has(name);

interface SplitCall {
  readonly expr: CallExpr;
  readonly name: Identifier;
  readonly path: string;
}

interface Asked {
  readonly x: Operand;
  readonly sizes: GivenArgument | null;
  readonly axis: GivenArgument | null;
}

function asked(args: readonly GivenArgument[], takesSizes: boolean): Asked | null {
  const byName = (names: (name: string) => boolean): GivenArgument | null =>
    args.find(({ name }) => name !== null && names(name.text)) ?? null;
  const plain = args.filter(({ name }) => name === null);
  const x = plain.shift() ?? byName((name) => name === "input" || name === "x" || name === "tensor" || name === "ary");
  const sizes = takesSizes ? (byName((name) => SIZES.has(name)) ?? plain.shift() ?? null) : null;
  const axis = byName((name) => name === "dim" || name === "axis") ?? plain.shift() ?? null;
  return x && plain.length === 0 ? { x: x.operand, sizes, axis } : null;
}

/** Whole numbers of an argument, or null. */
function numbersIn({ operand: { value } }: GivenArgument): readonly number[] | null {
  const items = value.kind === "sequence" ? value.items.map((item) => item.value) : [value];
  const numbers = items.flatMap((item) => (item.kind === "number" && Number.isInteger(item.value) ? [item.value] : []));
  return numbers.length === items.length && (value.kind === "sequence" || numbers.length === 1) ? numbers : null;
}

/** `jax.random.split(key, 3)`: as many keys, two where nobody says. */
function keys(count: GivenArgument | null): Value {
  const [wanted = 2] = (count && numbersIn(count)) ?? [];
  const items = Array.from({ length: parts(wanted) }, (): Operand => ({
    value: { kind: "key" },
    path: "",
    expr: null,
  }));
  return { kind: "sequence", items };
}

/** The parts as a tuple; their nodes are `path#0`, `path#1` … */
export function splitResults(
  interpreter: Interpreter,
  run: StatementRun,
  call: SplitCall,
  args: readonly GivenArgument[],
): Value {
  const { name, expr } = call;
  if (args.some(({ operand }) => isBroken(operand.value))) return BROKEN;
  const numpy = NUMPY.test(interpreter.text.slice(expr.callee.span.from, expr.callee.span.to));
  const cutter = name.text === "split" && numpy ? byEqualSections : (SPLITS.get(name.text) ?? null);
  const refuse = (code: string, text: string): Value => {
    interpreter.diagnostics.add(code, expr.span, text);
    return BROKEN;
  };
  const found = asked(args, cutter !== null);
  const takes = cutter ? "a tensor, sizes and dim" : "a tensor and dim";
  const isKey = found?.x.value.kind === "key";
  if (!found || (cutter && !found.sizes && !isKey)) return refuse("missing-argument", `${name.text} takes ${takes}.`);
  const { x, sizes, axis } = found;
  if (x.value.kind === "hole") return BROKEN;
  if (x.value.kind === "key") return keys(sizes);
  if (x.value.kind !== "tensor")
    return refuse("bad-argument", `${name.text} needs a tensor; this is ${describe(x.value)}.`);
  if (interpreter.unknown.has(x.value.node)) return BROKEN;
  const { shape } = typeOf(interpreter, x.value.node);
  const [given] = axis ? (numbersIn(axis) ?? [Number.NaN]) : [0];
  const at = given! < 0 ? given! + shape.length : given!;
  const extent = shape[at];
  if (extent === undefined) return refuse("bad-axis", `There is no axis ${given}: the tensor has ${shape.length}.`);
  const numbers = sizes && numbersIn(sizes);
  if (cutter && !numbers)
    return refuse("bad-argument", `${name.text} needs whole numbers that are known before the graph runs.`);
  const cuts = cutter ? cutter(extent, numbers!, sizes!.operand.value.kind === "sequence") : steps(extent, 1);
  if (!cuts)
    return refuse(
      "shape-mismatch",
      `Axis ${at} has ${extent} elements: it can't be cut into ${sizes!.operand.value.kind === "sequence" ? numbers!.join(" + ") : `${numbers![0]} equal pieces`}.`,
    );
  if (cuts.length > MAX_PARTS)
    return refuse(
      "too-many-parts",
      `${name.text} would make more than ${MAX_PARTS} tensors of axis ${at}, which has ${extent} elements. Take the parts that you need by index, or compute on the whole tensor at once.`,
    );
  const items = cuts.map(([start, stop], i) => {
    const path = `${call.path}#${i}`;
    const value = applyParts(interpreter, run, { path, expr, label: name.text }, [x], (b, [node]) => {
      const cut = b.op("slice", "slice", [node!], {
        start: shape.map((_, d) => (d === at ? start : 0)),
        stop: shape.map((size, d) => (d === at ? stop : size)),
        step: shape.map(() => 1),
      });
      return cutter ? cut : b.op("squeeze", "squeeze", [cut], { axes: [at] });
    });
    return { value, path, expr };
  });
  return { kind: "sequence", items };
}
