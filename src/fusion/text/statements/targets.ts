/** @file What a statement binds: identities of new versions, names and tuples of names. */
import { isItemOf } from "../../ir";
import type { NodeId } from "../../ir";
import type { Interpreter, StatementRun, Frame } from "../interpreter";
import { entryUnder, keyIn, keyOf } from "../reading/strings";
import {
  BROKEN,
  describe,
  isBroken,
  isScalarTensor,
  type LayerInfo,
  type Operand,
  type SymbolKind,
  type Value,
  type WeightInfo,
} from "../values/values";
import { bindName, noteChanged } from "../symbols";
import { findOp } from "../../ops";
import { libraryDef } from "../library/library";
import { sharesOf } from "../calls/multi-results";
import { setItem } from "../indexing/set-item";
import { writeInPlace } from "../calls/memory";
import { change, exhaust } from "../values/grown";
import { partsOf } from "../objects/operators";
import { nameAfter, weightValue } from "../layers/weights";
import { leavesOf, mapLeaves } from "../values/trees";
import { setField, setterOf } from "../objects/fields";
import type { CallExpr, Expr, MemberExpr, NameExpr, Statement, SubscriptExpr } from "../reading/syntax";
import { bare, calledAt, indexParts, lastNameOf } from "../reading/syntax";
import { arrayOfList, trackedNumber } from "../values/number-arrays";
import { freeze, keepWritten, learnInPlace, zeroOne } from "../objects/parameters";

/** `y`, or `y@2` when `y` names a node already. */
export function versioned(frame: Frame, name: string): string {
  const used = frame.versions.get(name) ?? 0;
  return used === 0 ? frame.prefix + name : `${frame.prefix}${name}@${used + 1}`;
}

/** Runs `work` with the identity that `name` gets in `statement`; the version is used up if a node was made. */
export function underName<T>(
  interpreter: Interpreter,
  frame: Frame,
  statement: Statement,
  name: string,
  work: (run: StatementRun) => T,
): T {
  const before = interpreter.nodes.size;
  const run: StatementRun = { frame, statement, step: ++interpreter.step, root: versioned(frame, name) };
  interpreter.runs.push(run);
  const result = work(run);
  if (interpreter.nodes.size > before) frame.versions.set(name, (frame.versions.get(name) ?? 0) + 1);
  return result;
}

/** The name whose value gets other elements in `x[1:] = v`, `x.mul_(2).add_(y)`; null of anything else. */
export function writtenName(target: Expr): NameExpr | null {
  let expr = bare(target);
  for (;;) {
    if (expr.kind === "subscript") expr = bare(expr.object);
    else if (expr.kind === "call" && expr.callee.kind === "member" && writesInPlace(expr.callee.name.text)) {
      // `torch.relu_(x)` writes into what it is given.
      const isFunction = TORCH.test(lastNameOf(expr.callee.object)) && expr.args.length > 0;
      expr = bare(isFunction ? expr.args[0]!.value : expr.callee.object);
    } else return expr.kind === "name" && expr !== bare(target) ? expr : null;
  }
}

const TORCH = /^(torch|F|functional)$/;

/** `add_`: PyTorch's mark of what changes its tensor. */
export const writesInPlace = (method: string): boolean =>
  /[a-z\d]_$/.test(method) &&
  (findOp(method.slice(0, -1)) !== null || libraryDef(method.slice(0, -1), "torch") !== null);

export const namesIn = (target: Expr): readonly NameExpr[] => {
  const expr = bare(target);
  const written = expr.kind === "subscript" ? writtenName(expr) : null;
  if (written) return [written];
  if (expr.kind === "name") return [expr];
  return expr.kind === "tuple" || expr.kind === "list" ? expr.items.flatMap(namesIn) : [];
};

/** A piece of a tuple is called as the name it is bound to. */
function nameLoose(interpreter: Interpreter, { root }: StatementRun, id: NodeId, label: string): void {
  const node = interpreter.nodes.get(id)!;
  if (isItemOf(id, root) && node.label === node.op) interpreter.nodes.set(id, { ...node, label });
}

/** The last part of what a target is called: `w` of `self.w`. */
export function wordOf(target: Expr): string | null {
  const expr = bare(target);
  if (expr.kind === "member") return expr.name.text;
  if (expr.kind === "subscript") return wordOf(expr.object);
  return (
    namesIn(expr)[0]?.name ?? (expr.kind === "tuple" || expr.kind === "list" ? wordOf(expr.items[0] ?? BAD) : null)
  );
}
const BAD: Expr = { kind: "bad", span: { from: 0, to: 0 } };

/** Parameters that a name holds, alone or in lists, as tensors. */
function asTensors(interpreter: Interpreter, run: StatementRun, value: Value): Value {
  if (value.kind !== "weight" && value.kind !== "sequence" && value.kind !== "dict") return value;
  const leaves = leavesOf({ value, path: "", expr: null });
  if (!leaves.some((leaf) => leaf.value.kind === "weight")) return value;
  return mapLeaves({ value, path: "", expr: null }, (leaf) =>
    leaf.value.kind === "weight" ? { ...leaf, value: weightValue(interpreter, run, leaf.value, run.root) } : leaf,
  ).value;
}

/** `fc.weight = nn.Parameter(w)`: the tensor where the parameter holds one; otherwise how training begins with it. */
function setLayerWeight(layer: LayerInfo, name: string, { weights, begin }: WeightInfo): void {
  const node = weights.get("");
  if (node !== undefined) layer.weights.set(name, node);
  else if (begin) layer.begins.set(name, begin);
}

/** `self.w = v`; what says where a tensor is stored, `x.requires_grad = True`, changes no value. */
function writeMember(interpreter: Interpreter, run: StatementRun, expr: MemberExpr, value: Value): void {
  const object = interpreter.valueOf(run, expr.object, `${run.root}/object`);
  const { text } = expr.name;
  if (object.kind === "object") {
    const setter = setterOf(object.object.of, text);
    if (!setter) return setField(interpreter, object.object, text, value);
    const call = calledAt(expr);
    const method = { self: object, owner: setter.owner };
    const given = [{ name: null, operand: { value, path: run.root, expr: null }, span: expr.span }];
    return void interpreter.call(run, { expr: call, path: `${run.root}/set` }, { ...setter.value, method }, given);
  }
  if (object.kind === "class") return void object.of.attributes.set(text, { value, path: run.root, expr: null });
  // Tied weights: both layers have the one node.
  if (object.kind === "layer" && value.kind === "tensor") return void object.layer.weights.set(text, value.node);
  if (object.kind === "layer" && value.kind === "weight") return setLayerWeight(object.layer, text, value.weight);
  if (object.kind === "dict") {
    const now = new Map([...object.entries, [text, { value, path: run.root, expr: null }]]);
    return bindTargets(interpreter, run, expr.object, { ...object, entries: now });
  }
  if (object.kind === "tensor" && text === "data") {
    keepWritten(interpreter, object, value);
    return learnInPlace(interpreter, run.frame, object, value);
  }
  if (object.kind === "tensor" && text === "grad" && value.kind === "none") return zeroOne(interpreter);
  if (object.kind === "tensor" && text === "grad" && value.kind === "tensor")
    return void interpreter.cotangents.set(object.node, value.node);
  if (object.kind === "tensor" && text === "requires_grad" && value.kind === "bool")
    return freeze(interpreter, object.node, !value.value);
  if (isScalarTensor(object) && text === "requires_grad" && value.kind === "bool" && value.value)
    return bindTargets(
      interpreter,
      run,
      expr.object,
      trackedNumber(interpreter, run, { path: run.root, expr }, object),
    );
  if (
    isBroken(object) ||
    isBroken(value) ||
    object.kind === "tensor" ||
    object.kind === "layer" ||
    object.kind === "module"
  )
    return;
  interpreter.diagnostics.add("bad-target", expr.span, `Nothing can be stored in ${describe(object)}.`);
}

/** `x[…] = v`, `items[0] = v`, `d["w"] = v`: the name stands for what has it there. */
export function writeItem(interpreter: Interpreter, run: StatementRun, expr: SubscriptExpr, given: Operand): void {
  const { value: written } = given;
  const value =
    written.kind === "weight" ? { ...given, value: weightValue(interpreter, run, written, given.path) } : given;
  const object = bare(expr.object);
  const isNamed = object.kind === "name" || object.kind === "member";
  if (!isNamed && !interpreter.memory) {
    if (!isBroken(value.value))
      interpreter.diagnostics.add(
        "bad-target",
        expr.span,
        "Only elements of a named tensor can be assigned to. Name the part, assign to its elements, then assign it back.",
      );
    return;
  }
  const target = interpreter.valueOf(run, object, `${run.root}/object`);
  const parts = expr.indices.flatMap(indexParts).map((part, i) => ({
    value: interpreter.valueOf(run, part, `${run.root}/at/${i}`),
    path: `${run.root}/at/${i}`,
    expr: part,
  }));
  const now =
    (expr.indices.every(({ kind }) => kind === "at")
      ? withItem(interpreter, target, parts, value)
      : withItems(interpreter, expr, target, parts, value)) ??
    setItem(interpreter, run, {
      expr,
      path: run.root,
      object: { value: target, path: `${run.root}/object`, expr: object },
      parts,
      value: target.kind === "tensor" ? asRow(interpreter, run, expr, value) : value,
      reduction: "none",
    });
  writeInPlace(interpreter, run, expr, target, now);
  change(interpreter, target, now);
  if (isNamed) bindTargets(interpreter, run, object, now);
  noteChanged(interpreter, run, object);
}

/** `x[0] = (0.0, 1.0, y)`: a list that is stored in a tensor is an array. */
function asRow(interpreter: Interpreter, run: StatementRun, expr: SubscriptExpr, value: Operand): Operand {
  if (value.value.kind !== "sequence") return value;
  const path = `${run.root}/row`;
  const row = arrayOfList(interpreter, run, { path, expr }, value.value);
  return row ? { value: row, path, expr: value.expr } : value;
}

/** Functions of NumPy that write into their first argument. */
const STORES: ReadonlySet<string> = new Set(["put_along_axis", "copyto", "putmask", "fill_diagonal"]);

/** NumPy's `np.add.at(x, rows, y)` as the target and what it becomes, `x.at[rows].add(y)`; null of anything else. */
export function joinedAt(value: Expr): { readonly target: NameExpr | MemberExpr; readonly value: CallExpr } | null {
  const call = bare(value);
  const callee = call.kind === "call" ? bare(call.callee) : null;
  const [stored] = call.kind === "call" && callee?.kind === "member" && STORES.has(callee.name.text) ? call.args : [];
  const target = stored && bare(stored.value);
  if (call.kind === "call" && (target?.kind === "name" || target?.kind === "member")) return { target, value: call };
  if (call.kind !== "call" || callee?.kind !== "member" || callee.name.text !== "at") return null;
  const [object, rows, added] = call.args.map((arg) => bare(arg.value));
  const method = findOp(lastNameOf(callee.object))?.updates?.methods[0];
  if (!added || call.args.length !== 3 || method === undefined) return null;
  if (object!.kind !== "name" && object!.kind !== "member") return null;
  const { span } = call;
  const indices = (rows!.kind === "tuple" ? rows!.items : [rows!]).map((each) => ({
    kind: "at" as const,
    value: each,
  }));
  const at: Expr = { kind: "member", span, object: object!, name: callee.name };
  const item: Expr = { kind: "subscript", span, object: at, indices };
  const made: Expr = { kind: "member", span, object: item, name: { text: method, span: callee.name.span } };
  return { target: object!, value: { ...call, callee: made, args: [call.args[2]!] } };
}

/** A list with others instead of a range of its items, `items[1:3] = [x]`; null of anything else. */
function withItems(
  interpreter: Interpreter,
  expr: SubscriptExpr,
  target: Value,
  parts: readonly Operand[],
  { value }: Operand,
): Value | null {
  const [index] = expr.indices;
  if (target.kind !== "sequence" || index?.kind !== "slice" || expr.indices.length > 1) return null;
  const bounds = parts.map((part) => (part.value.kind === "number" ? part.value.value : null));
  if (value.kind !== "sequence" || index.step || bounds.includes(null)) {
    const text = "A range of a list is replaced by a list, and has two ends at most: items[1:3] = [x].";
    interpreter.diagnostics.add("bad-target", expr.span, text);
    return BROKEN;
  }
  const { length } = target.items;
  const at = (bound: number): number => Math.max(0, Math.min(length, bound < 0 ? bound + length : bound));
  const start = index.start ? at(bounds[0]!) : 0;
  const stop = index.stop ? at(bounds.at(-1)!) : length;
  return { ...target, items: target.items.toSpliced(start, Math.max(0, stop - start), ...value.items) };
}

/** A list or a dictionary with another entry; null of anything else. */
function withItem(interpreter: Interpreter, target: Value, parts: readonly Operand[], value: Operand): Value | null {
  const at = keyIn(parts);
  const text = target.kind === "dict" && at ? keyOf(interpreter, at.value) : null;
  if (target.kind === "dict" && at && text !== null && !target.entries.has(text))
    interpreter.madeEntries.push({ of: target, key: at, word: text, value: value.value });
  if (target.kind === "dict" && at && text !== null)
    return { ...target, entries: new Map([...target.entries, [text, entryUnder(at, value)]]) };
  const key = at?.value.kind === "number" ? at.value.value : null;
  if (target.kind !== "sequence" || typeof key !== "number" || target.items.at(key) === undefined) return null;
  return { ...target, items: target.items.with(key, value) };
}

/** The values for so many names; the one with a star takes a list of what the others leave. */
function gathered(given: readonly Operand[], names: number, star: number | undefined): readonly Operand[] {
  const many = given.length - names + 1;
  if (star === undefined || many < 0) return given;
  const items = given.slice(star, star + many);
  const value: Value = { kind: "sequence", items, list: true };
  return [...given.slice(0, star), { value, path: items[0]?.path ?? "", expr: null }, ...given.slice(star + many)];
}

/** Binds a name or a tuple of names; says what else can't be assigned to. */
export function bindTargets(
  interpreter: Interpreter,
  run: StatementRun,
  target: Expr,
  value: Value,
  kind?: SymbolKind,
): void {
  const expr = bare(target);
  if (expr.kind === "name") {
    if (value.kind === "tensor") nameLoose(interpreter, run, value.node, expr.name);
    nameAfter(value, expr.name);
    return bindName(interpreter, run, expr, run.frame.making ? value : asTensors(interpreter, run, value), kind);
  }
  if (expr.kind === "member") return writeMember(interpreter, run, expr, value);
  if (expr.kind === "subscript")
    return writeItem(interpreter, run, expr, { value, path: `${run.root}/value`, expr: null });
  if (expr.kind !== "tuple" && expr.kind !== "list") {
    if (expr.kind !== "bad" && !isBroken(value))
      interpreter.diagnostics.add(
        "bad-target",
        expr.span,
        "Only a name, or elements of a named tensor, can be assigned to.",
      );
    return;
  }
  const listed = partsOf(interpreter, run, { expr: null, path: `${run.root}/parts` }, value);
  exhaust(interpreter, listed);
  const given = listed.kind === "sequence" ? listed.items : sharesOf(interpreter, run, value, expr.items.length, expr);
  const items = given && gathered(given, expr.items.length, expr.starred[0]);
  const fits = items?.length === expr.items.length;
  if (!fits && !isBroken(value)) {
    interpreter.diagnostics.add(
      "bad-unpacking",
      expr.span,
      items
        ? `There are ${expr.items.length} names and ${items.length} values.`
        : `${expr.items.length} names can't be bound to ${describe(value)}.`,
    );
  }
  expr.items.forEach((item, i) => bindTargets(interpreter, run, item, fits ? items[i]!.value : BROKEN, kind));
}
