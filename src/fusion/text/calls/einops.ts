/** @file einops: `rearrange(x, "b n (h d) -> b h n d", h=8)`, `reduce(…, "mean")`, `repeat(…)`, as reshapes, a transposition and a reduction. */
import { algebraOf, allOps, findOp } from "../../ops";
import type { NodeId } from "../../ir";
import { sameShape, sizeOf } from "../../ir";
import { applyOp, applyParts } from "./apply";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import type { CallExpr, Identifier } from "../reading/syntax";
import { BROKEN, type GivenArgument, isBroken, type Operand, type Value } from "../values/values";

const NAMES: ReadonlySet<string> = new Set(["rearrange", "reduce", "repeat"]);
/** Reductions that may be taken of all axes at once or of one after the other. */
const isReduction = (name: string): boolean => findOp(name)?.kind === "reduce" && algebraOf(name).nests === true;

/** `repeat(x, "…", …)` is einops'; `repeat(x, 2)` is not. */
export const isEinops = (name: string, operands: readonly Operand[]): boolean =>
  NAMES.has(name) && operands[1]?.value.kind === "string";

/** The arguments of `einsum(x, w, "b time d, d e -> b time e")`, einops' order, in that of all others; as they are where they are in it. */
export function einsumArguments(name: string, args: readonly GivenArgument[]): readonly GivenArgument[] {
  const last = args.at(-1);
  const value = last?.operand.value;
  if (name !== "einsum" || value?.kind !== "string" || last!.name || args[0] === last) return args;
  const equation = { ...last!.operand, value: { ...value, value: lettered(value.value) } };
  return [{ ...last!, operand: equation }, ...args.slice(0, -1)];
}

/** An equation over words, in letters: `b time d, b d -> b time` is `ab,ac->ab`. */
function lettered(equation: string): string {
  const letters = new Map<string, string>();
  return equation.replaceAll(/\s+/g, " ").replaceAll(/[A-Za-z_]\w*| /g, (word) => {
    if (word === " ") return "";
    const letter = letters.get(word) ?? String.fromCodePoint("a".codePointAt(0)! + letters.size);
    letters.set(word, letter);
    return letter;
  });
}

/** Names of axes, those in one pair of brackets together; `…` stands for any number of them. */
type Side = readonly (readonly string[])[];

/** `...` outside of brackets: axes of their own. */
const REST: readonly string[] = ["…"];

/** A number of more than one is an axis without a name: `2@left1` is no other 2. */
function sideOf(text: string, which: "left" | "right"): Side | null {
  let numbers = 0;
  const side: (readonly string[])[] = [];
  let open: string[] | null = null;
  for (const [word] of text.replaceAll("...", "…").matchAll(/[A-Za-z_]\w*|\d+|…|\(|\)|\S/g)) {
    if (word === "(" && !open) side.push((open = []));
    else if (word === ")" && open) open = null;
    else if (/^(\w+|…)$/.test(word)) {
      const axis = /^\d+$/.test(word) && word !== "1" ? `${word}@${which}${numbers++}` : word;
      if (open) open.push(axis);
      else side.push(axis === "…" ? REST : [axis]);
    } else return null;
  }
  return open ? null : side;
}

/** Axes that are numbers: ones, or so many elements or copies. */
const numeral = (name: string): boolean => /^\d/.test(name);

/** The axis as the pattern has it. */
const written = (axis: string): string => axis.replace(/@.*$/, "");

interface Pattern {
  readonly left: Side;
  readonly right: Side;
  /** Extent of each axis by its name. */
  readonly extents: ReadonlyMap<string, number>;
}

/** `…` written out as axes of its own. */
const without = (side: Side, rest: readonly string[]): Side =>
  side.flatMap((group) =>
    group === REST ? rest.map((name) => [name]) : [group.flatMap((name) => (name === "…" ? rest : [name]))],
  );

/** What a pattern says of `shape`, or what is wrong with it. */
function patternOf(text: string, shape: readonly number[], known: ReadonlyMap<string, number>): Pattern | string {
  const [before, after, more] = text.split("->");
  const [given, wanted] = [sideOf(before ?? "", "left"), sideOf(after ?? "", "right")];
  if (!given || !wanted || after === undefined || more !== undefined) return "A pattern reads `b n (h d) -> b h n d`.";
  const missing = shape.length - given.filter((group) => group !== REST).length;
  const rest = given.includes(REST) ? Array.from({ length: missing }, (_, i) => `…${i}`) : [];
  const [left, right] = [without(given, rest), without(wanted, rest)];
  if (left.length !== shape.length)
    return `The pattern has ${left.length} axes on its left, the tensor has ${shape.length}.`;
  const extents = new Map(known);
  for (const [i, group] of left.entries()) {
    const open = group.filter((name) => !extents.has(name) && !numeral(name));
    if (open.length > 1) return `One of ${open.join(" and ")} must be given: ${open[0]}=4.`;
    const known = group.reduce(
      (product, name) => product * (numeral(name) ? Number.parseInt(name, 10) : (extents.get(name) ?? 1)),
      1,
    );
    const [name] = open;
    if (name !== undefined && shape[i]! % known === 0) extents.set(name, shape[i]! / known);
    else if (name !== undefined || known !== shape[i])
      return `Axis ${i} has ${shape[i]} elements; (${group.map(written).join(" ")}) would have ${known}${name === undefined ? "" : ` times ${name}`}.`;
  }
  return { left, right, extents };
}

/** Tensors of one shape, which are read as one with an axis more. */
function stacked(interpreter: Interpreter, run: StatementRun, { path, expr }: EinopsCall, of: Operand): Operand {
  if (of.value.kind !== "sequence" || of.value.items.some(({ value }) => value.kind !== "tensor")) return of;
  const at = `${path}/stack`;
  const made = { tensors: of.value.items, attrs: { axis: 0 } };
  return { ...of, value: applyOp(interpreter, run, { op: findOp("stack")!, path: at, expr }, made), path: at };
}

interface EinopsCall {
  readonly expr: CallExpr;
  readonly name: Identifier;
  readonly path: string;
}

/** The value of a call of `rearrange`, `reduce` or `repeat`. */
export function einops(
  interpreter: Interpreter,
  run: StatementRun,
  call: EinopsCall,
  args: readonly GivenArgument[],
): Value {
  const { name, expr, path } = call;
  if (args.some(({ operand }) => isBroken(operand.value))) return BROKEN;
  const refuse = (text: string): Value => {
    interpreter.diagnostics.add("bad-argument", expr.span, text);
    return BROKEN;
  };
  const [of, pattern, how] = args
    .filter((arg) => arg.name === null || arg.name.text === "reduction")
    .map(({ operand }) => operand);
  const x = of && stacked(interpreter, run, call, of);
  const given = new Map(
    args.flatMap(({ name: key, operand: { value } }) =>
      key && value.kind === "number" ? [[key.text, value.value] as const] : [],
    ),
  );
  if (x?.value.kind !== "tensor" || pattern?.value.kind !== "string")
    return refuse(`${name.text} takes a tensor and a pattern.`);
  const reduction = how?.value.kind === "string" ? how.value.value : "";
  if (name.text === "reduce" && !isReduction(reduction))
    return refuse(
      `reduce takes one of ${allOps
        .map(({ name }) => name)
        .filter(isReduction)
        .join(", ")}.`,
    );
  if (interpreter.unknown.has(x.value.node)) return BROKEN;
  const read = patternOf(pattern.value.value, typeOf(interpreter, x.value.node).shape, given);
  if (typeof read === "string") return refuse(read);
  const { left, right, extents } = read;
  const sizeOfAxis = (axis: string): number => (numeral(axis) ? Number.parseInt(axis, 10) : extents.get(axis)!);
  const from = left.flat().filter((axis) => axis !== "1");
  const to = right.flat();
  const unknown = to.find((axis) => !numeral(axis) && !extents.has(axis));
  if (unknown !== undefined) return refuse(`${unknown} has no extent: give ${unknown}=4.`);
  const gone = from.filter((axis) => !to.includes(axis));
  const made = to.filter((axis) => !from.includes(axis) && axis !== "1");
  if (gone.length > 0 && name.text !== "reduce")
    return refuse(`${gone.map(written).join(", ")} of the left is not on the right: only reduce may drop axes.`);
  if (made.length > 0 && name.text !== "repeat")
    return refuse(`${made.map(written).join(", ")} of the right is not on the left: only repeat adds axes.`);
  const remaining = from.filter((axis) => !gone.includes(axis));
  return applyParts(interpreter, run, { path, expr, label: name.text }, [x], (b, [node]) => {
    const shaped = (part: string, id: NodeId, shape: readonly number[]): NodeId =>
      sameShape(b.typeOf(id).shape, shape) ? id : b.op(part, "reshape", [id], { shape });
    let now = shaped("axes", node!, from.map(sizeOfAxis));
    if (gone.length > 0) now = b.op(reduction, reduction, [now], { axes: gone.map((axis) => from.indexOf(axis)) });
    const order = to.filter((axis) => remaining.includes(axis));
    const perm = order.map((axis) => remaining.indexOf(axis));
    if (perm.some((axis, i) => axis !== i)) now = b.op("transpose", "transpose", [now], { perm });
    if (made.length > 0) {
      const ones = to.map((axis) => (remaining.includes(axis) ? sizeOfAxis(axis) : 1));
      now = shaped("ones", now, ones);
      now = b.op("repeat", "expand", [now], { shape: to.map(sizeOfAxis) });
    }
    return shaped(
      "result",
      now,
      right.map((group) => sizeOf(group.map(sizeOfAxis))),
    );
  });
}
