/** @file Square brackets: a constant out of a tuple of sizes, or slices, dropped and added axes of a tensor. */
import type { NodeId } from "../../ir";
import { applyParts } from "../calls/apply";
import { isHeld, weightValue } from "../layers/weights";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import type { Index, SubscriptExpr } from "../reading/syntax";
import { calledAt, indexParts } from "../reading/syntax";
import { missingEntry } from "../values/special-collections";
import { writtenNumber } from "../values/written-numbers";
import { dictKey, keyIn } from "../reading/strings";
import { contentsOf } from "../objects/containers";
import { asked } from "../objects/operators";
import { lettersOf, textOf } from "../values/texts";
import { BROKEN, describe, isBroken, NONE, numberValue, type Operand, type Value } from "../values/values";
import { completed, noIndex, tooManyIndices, type Bound, type Known } from "./index-list";
import { listIndex, withoutLists } from "./list-indices";
import { withoutWrittenMasks } from "./written-masks";
import { resultAt } from "../calls/multi-results";
import { selectionOf } from "./selection";
import { isJaxIn } from "../calls/dialect";
import { joinsParts } from "../calls/names";
import { libraryDef, libraryScope } from "../library/library";
import { itemInAnyIteration } from "./rows-of-lists";
import { indicesProblem, advancedIndex, outsideProblem, tellOutside } from "./advanced-indexing";

/** What an index says, or null after a diagnostic. `values` holds its parts' values in order. */
function knownIndex(interpreter: Interpreter, index: Index, values: readonly Operand[]): Known | null {
  const number = (operand: Operand): Bound | undefined => {
    const { expr } = operand;
    // Of a tensor whose numbers stand in the text: `x[starts[i]:ends[i]]`.
    const value =
      operand.value.kind === "tensor" ? (writtenNumber(interpreter, operand.value) ?? operand.value) : operand.value;
    if (value.kind === "none") return null;
    if (value.kind === "number" && Number.isInteger(value.value)) return value.value;
    if (!isBroken(value)) {
      interpreter.diagnostics.add(
        "bad-index",
        expr!.span,
        `An index is a whole number known before the graph runs; this is ${describe(value)}.`,
      );
    }
    return undefined;
  };
  if (index.kind === "at") {
    const { value } = values[0]!;
    if (value.kind === "none") return { kind: "new" };
    if (value.kind === "hole") return { kind: "rest" };
    if (value.kind === "slice") return { kind: "range", range: value };
    if (value.kind === "tensor") return { kind: "indices", operand: values[0]! };
    const at = number(values[0]!);
    return at === undefined || at === null ? null : { kind: "at", index: at };
  }
  const parts = [index.start, index.stop, index.step];
  const bounds: Bound[] = [];
  let next = 0;
  for (const part of parts) {
    const bound = part === null ? null : number(values[next++]!);
    if (bound === undefined) return null;
    bounds.push(bound);
  }
  return { kind: "range", range: { start: bounds[0]!, stop: bounds[1]!, step: bounds[2]! } };
}

export function knownIndices(
  interpreter: Interpreter,
  indices: readonly Index[],
  values: readonly Operand[],
): Known[] | null {
  const known: Known[] = [];
  let next = 0;
  let ok = true;
  for (const index of indices) {
    const count = indexParts(index).length;
    const parts = values.slice(next, next + count);
    const list = index.kind === "at" ? listIndex(parts[0]!, indices.length === 1) : null;
    const tuple = index.kind === "at" && parts[0]!.value.kind === "sequence" ? parts[0]!.value.items : null;
    const found = list
      ? [list]
      : tuple
        ? tuple.map((operand) => {
            const part = { ...operand, expr: operand.expr ?? parts[0]!.expr };
            return listIndex(part, false) ?? knownIndex(interpreter, index, [part]);
          })
        : [knownIndex(interpreter, index, parts)];
    next += count;
    known.push(...found.filter((each) => each !== null));
    ok &&= !found.includes(null);
  }
  return ok ? known : null;
}

/** `params["w"]`. */
function ofDict(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: { readonly expr: SubscriptExpr; readonly path: string },
  value: Extract<Value, { kind: "dict" }>,
  key: Operand | undefined,
): Value {
  const { entries } = value;
  const name = key ? dictKey(interpreter, key) : null;
  const found = name === null ? undefined : entries.get(name);
  if (found) return found.value;
  const at = { path: `${path}/missing`, expr: calledAt(expr) };
  const made = key ? missingEntry(interpreter, run, at, value, key) : null;
  if (made) return made;
  if (key && name !== null)
    interpreter.diagnostics.add(
      "bad-index",
      expr.span,
      `The dictionary has ${[...entries.keys()].map((each) => `"${each}"`).join(", ") || "no entries"}; this asks for ${describe(key.value)}.`,
      { raises: ["KeyError"] },
    );
  return BROKEN;
}

/** `shape[-1]`, `shape[:-1]`. */
function ofSequence(
  interpreter: Interpreter,
  expr: SubscriptExpr,
  { items, ...sequence }: Extract<Value, { kind: "sequence" }>,
  known: readonly Known[],
): Value {
  const [only] = known;
  if (known.length === 1 && only?.kind === "at") {
    const item = items.at(only.index);
    if (item) return item.value;
    interpreter.diagnostics.add("bad-index", expr.span, `There is no entry ${only.index}: there are ${items.length}.`, {
      raises: ["IndexError"],
    });
    return BROKEN;
  }
  if (known.length === 1 && only?.kind === "range") return { ...sequence, items: sliced(items, only.range) };
  interpreter.diagnostics.add("bad-index", expr.span, "A tuple takes one index or one slice.");
  return BROKEN;
}

/** Python's `items[start:stop:step]`. */
function sliced(
  items: readonly Operand[],
  { start, stop, step }: Extract<Known, { kind: "range" }>["range"],
): readonly Operand[] {
  const by = step ?? 1;
  if (by >= 0) return items.slice(start ?? 0, stop ?? undefined).filter((_, i) => i % Math.max(by, 1) === 0);
  const from = start === null || start === undefined ? items.length - 1 : start < 0 ? items.length + start : start;
  const end = stop === null || stop === undefined ? -1 : stop < 0 ? items.length + stop : stop;
  return items
    .slice(end + 1, from + 1)
    .toReversed()
    .filter((_, i) => i % -by === 0);
}

export interface Plan {
  readonly start: number[];
  readonly stop: number[];
  readonly step: number[];
  readonly drop: number[];
  readonly add: number[];
}

/** Every axis gets a range; dropped and added axes are collected. Null after a diagnostic. */
export function planIndices(
  interpreter: Interpreter,
  expr: SubscriptExpr,
  shape: readonly number[],
  known: readonly Known[],
): Plan | null {
  const used = known.filter((index) => index.kind !== "new" && index.kind !== "rest").length;
  const refuse = (text: string): null => {
    interpreter.diagnostics.add("bad-index", expr.span, text, { raises: ["IndexError"] });
    return null;
  };
  if (used > shape.length) return refuse(tooManyIndices(used, shape));
  const plan: Plan = { start: [], stop: [], step: [], drop: [], add: [] };
  let result = 0;
  for (const index of completed(known, shape.length - used)) {
    const axis = plan.start.length;
    const extent = shape[axis] ?? 0;
    if (index.kind === "new") plan.add.push(result++);
    else if (index.kind === "at") {
      const at = index.index < 0 ? index.index + extent : index.index;
      const isOutside = at < 0 || at >= extent;
      if (isOutside && (extent === 0 || !isJaxIn(interpreter))) return refuse(noIndex(index.index, axis, extent));
      if (isOutside) tellOutside(interpreter, expr, `${noIndex(index.index, axis, extent)} JAX takes the nearest one.`);
      const nearest = Math.max(0, Math.min(at, extent - 1));
      addRange(plan, nearest, nearest + 1, 1);
      plan.drop.push(axis);
    } else if (index.kind === "range") {
      const { start, stop, step } = index.range;
      const back = (step ?? 1) < 0;
      addRange(plan, start ?? (back ? extent - 1 : 0), stop ?? (back ? -extent - 1 : extent), step ?? 1);
      result++;
    }
  }
  return plan;
}

function addRange(plan: Plan, start: number, stop: number, step: number): void {
  plan.start.push(start);
  plan.stop.push(stop);
  plan.step.push(step);
}

/** Whether the ranges leave anything out or reverse it. */
const cutsAny = ({ start, stop, step }: Plan, shape: readonly number[]): boolean =>
  shape.some((extent, axis) => step[axis] !== 1 || start[axis] !== 0 || stop[axis]! < extent);

/** What stands in brackets where ranges are among it, as Python hands it on: `batch[1:3]` asks for a slice. */
function keysOf(interpreter: Interpreter, expr: SubscriptExpr, parts: readonly Operand[]): readonly Operand[] | null {
  const known = knownIndices(interpreter, expr.indices, parts);
  return (
    known?.map((index): Operand => {
      if (index.kind === "indices" || index.kind === "list") return index.operand;
      const value: Value =
        index.kind === "range"
          ? { kind: "slice", ...index.range }
          : index.kind === "at"
            ? numberValue(index.index, true)
            : index.kind === "new"
              ? NONE
              : { kind: "hole" };
      return { value, path: "", expr: null };
    }) ?? null
  );
}

/** `batch[i]` of an object whose class says what that is; null where it does not. */
function askedItem(
  interpreter: Interpreter,
  run: StatementRun,
  expr: SubscriptExpr,
  [object, ...parts]: readonly Operand[],
  path: string,
): Value | null {
  const keys = expr.indices.some(({ kind }) => kind !== "at") ? keysOf(interpreter, expr, parts) : parts;
  if (!object || !keys) return null;
  const index = keys.length === 1 ? keys[0]! : { value: { kind: "sequence", items: keys } as const, path, expr };
  return asked(interpreter, run, { expr, path }, object.value, "__getitem__", [index]);
}

/** `np.r_[0, x, 1]`, `np.c_[x, y]`: the parts one after the other, or as columns; null where one of them is a slice. */
function joinedParts(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: { readonly expr: SubscriptExpr; readonly path: string },
  name: string,
  parts: readonly Operand[],
): Value | null {
  const def = expr.indices.every(({ kind }) => kind === "at") ? libraryDef(name, null) : null;
  const items: Operand = { value: { kind: "sequence", list: true, items: parts }, path, expr: null };
  const call = { expr: calledAt(expr), path };
  return (
    def &&
    interpreter.call(run, call, { kind: "def", def, scope: libraryScope() }, [
      { name: null, operand: items, span: expr.span },
    ])
  );
}

/** The value of `object[…]`; `operands` are the object and the parts of the indices. */
export function subscriptValue(
  interpreter: Interpreter,
  run: StatementRun,
  expr: SubscriptExpr,
  operands: readonly Operand[],
  path: string,
): Value {
  const object = operands[0]!;
  const value = contentsOf(object.value);
  if (isBroken(value)) return BROKEN;
  const joined =
    value.kind === "module" && joinsParts(value.name)
      ? joinedParts(interpreter, run, { expr, path }, value.name, operands.slice(1))
      : null;
  if (joined) return joined;
  if (expr.indices.length === 0) {
    interpreter.diagnostics.add("bad-index", expr.span, "An index is missing between the brackets.");
    return BROKEN;
  }
  /** A parameter of a list or a dictionary of them is a tensor where it is read. */
  const tensorOf = (item: Value): Value =>
    item.kind === "weight" && isHeld(item.weight) ? weightValue(interpreter, run, item, path) : item;
  if (value.kind === "dict") return tensorOf(ofDict(interpreter, run, { expr, path }, value, keyIn(operands.slice(1))));
  const own = value.kind === "object" ? askedItem(interpreter, run, expr, operands, path) : null;
  if (own) return own;
  const indices = knownIndices(interpreter, expr.indices, operands.slice(1));
  if (!indices) return BROKEN;
  if (value.kind === "sequence") {
    const [only] = indices;
    const listed = indices.length === 1 && only?.kind === "indices" ? only.operand : null;
    const item = listed && itemInAnyIteration(interpreter, run, { expr, path }, value.items, listed);
    return tensorOf(item ?? ofSequence(interpreter, expr, value, indices));
  }
  if (value.kind === "string") {
    const part = ofSequence(interpreter, expr, lettersOf(value.value), indices);
    return part.kind === "sequence" ? textOf(part) : part;
  }
  if (value.kind === "hole") return value;
  if (value.kind !== "tensor") {
    interpreter.diagnostics.add(
      "bad-index",
      expr.span,
      `Only tensors and tuples have entries; this is ${describe(value)}.`,
    );
    return BROKEN;
  }
  const [only] = indices;
  const result =
    indices.length === 1 && only?.kind === "at" ? resultAt(interpreter, run, object, only.index, path) : null;
  if (result) return result;
  const { shape } = typeOf(interpreter, value.node);
  const listed = withoutWrittenMasks(interpreter, indices);
  const known = withoutLists(
    interpreter,
    run,
    { path, span: expr.span, takesOutside: isJaxIn(interpreter) },
    shape,
    listed,
  );
  if (!known) return BROKEN;
  if (known.some((index) => index.kind === "indices")) {
    const picked = maskOf(interpreter, known);
    const selection = picked && selectionOf(interpreter, run, { expr, path }, value.node, picked);
    if (selection) return selection;
    const left = outsideProblem(interpreter, shape, known);
    const moves = left !== null && isJaxIn(interpreter);
    const wrong = indicesProblem(interpreter, shape, known) ?? (moves ? null : left);
    if (moves && !wrong) tellOutside(interpreter, expr, `${left} JAX takes the nearest one.`);
    if (wrong) interpreter.diagnostics.add("bad-index", expr.span, wrong, { raises: ["IndexError"] });
    return wrong ? BROKEN : advancedIndex(interpreter, run, { expr, path }, object, known);
  }
  const plan = planIndices(interpreter, expr, shape, known);
  return plan ? applyIndex(interpreter, run, { expr, path, cuts: cutsAny(plan, shape) }, object, plan) : BROKEN;
}

/** The mask that is the only index, or the first before whole axes. */
function maskOf(interpreter: Interpreter, [first, ...others]: readonly Known[]): NodeId | null {
  const mask = first?.kind === "indices" ? first.operand.value : null;
  const isAlone = others.every(
    (index) =>
      index.kind === "rest" ||
      (index.kind === "range" && !index.range.start && index.range.stop === null && (index.range.step ?? 1) === 1),
  );
  return mask?.kind === "tensor" && isAlone && typeOf(interpreter, mask.node).dtype === "bool" ? mask.node : null;
}

interface IndexCall {
  readonly expr: SubscriptExpr;
  readonly path: string;
  readonly cuts: boolean;
}

function applyIndex(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path, cuts }: IndexCall,
  object: Operand,
  plan: Plan,
): Value {
  const { start, stop, step, drop, add } = plan;
  if (!cuts && drop.length === 0 && add.length === 0) return object.value;
  const op = cuts ? "slice" : drop.length > 0 ? "squeeze" : "unsqueeze";
  return applyParts(interpreter, run, { path, expr, label: op }, [object], (b, [x]) => {
    let node: NodeId = x!;
    if (cuts) node = b.op("slice", "slice", [node], { start, stop, step });
    if (drop.length > 0) node = b.op("squeeze", "squeeze", [node], { axes: drop });
    if (add.length > 0) node = b.op("unsqueeze", "unsqueeze", [node], { axes: add });
    return node;
  });
}
