/** @file `x[1:3] = v`, `x[mask] = 0`, `x[rows] = v`: values never change, so each is a new tensor with other values at some indices. */
import type { NodeId } from "../../ir";
import { broadcastShapes, sameShape, showShape } from "../../ir";
import type { GraphBuilder } from "../../ops";
import { findOp, sliceAxes, withRegion } from "../../ops";
import { applyParts } from "../calls/apply";
import { fromStart } from "./from-end";
import { completed, type Known } from "./index-list";
import { withoutLists } from "./list-indices";
import { withoutWrittenMasks } from "./written-masks";
import type { Interpreter, StatementRun, WrittenRow } from "../interpreter";
import { typeOf } from "../interpreter";
import { knownIndices, planIndices, type Plan } from "./subscript";
import type { SubscriptExpr } from "../reading/syntax";
import { wholeFor } from "./selection";
import { indexedAxes, indicesProblem, inFront, numberOutside, outsideProblem, tellOutside } from "./advanced-indexing";
import { BROKEN, describe, isBroken, isOperand, type Operand, type Value } from "../values/values";

export interface SetItemRequest {
  readonly expr: SubscriptExpr;
  readonly path: string;
  readonly object: Operand;
  /** Values of the parts of the indices. */
  readonly parts: readonly Operand[];
  readonly value: Operand;
  /** How updates of one element are joined: scatter's `reduction`. */
  readonly reduction: string;
  /** What the reduction makes of what is there and the value, where no element has two updates. */
  readonly joined?: () => Value;
  /** What is written outside is left out, as JAX does: told, unless the call says so. */
  readonly drops?: "told" | "said" | undefined;
}

/** How many axes the part has that lists and ranges pick, the lists standing for one axis together. */
function seenRank(known: readonly Known[], shape: readonly number[]): number {
  const lists = known.filter(({ kind }) => kind === "list").length;
  const dropped = known.filter(({ kind }) => kind === "at").length;
  return shape.length - dropped - Math.max(0, lists - 1);
}

/** The tensor `object` with `value` where the indices point. Broken, with a diagnostic, when they don't fit. */
export function setItem(interpreter: Interpreter, run: StatementRun, request: SetItemRequest): Value {
  const { expr, object, parts, value } = request;
  if (isBroken(object.value) || isBroken(value.value) || object.value.kind === "hole") return BROKEN;
  const refuse = (text: string): Value => {
    interpreter.diagnostics.add("bad-target", expr.span, text);
    return BROKEN;
  };
  if (object.value.kind !== "tensor")
    return refuse(
      `Only elements of tensors, lists and dictionaries can be assigned to; this is ${describe(object.value)}.`,
    );
  if (interpreter.unknown.has(object.value.node)) return BROKEN;
  if (!isOperand(value.value) && value.value.kind !== "selection")
    return refuse(`A tensor holds numbers; this is ${describe(value.value)}.`);
  const indices = knownIndices(interpreter, expr.indices, parts);
  if (!indices) return BROKEN;
  const { shape } = typeOf(interpreter, object.value.node);
  const rank = value.value.kind === "tensor" ? typeOf(interpreter, value.value.node).shape.length : 0;
  // A row for each element that a mask picks; a mask of the graph chooses between numbers.
  const listed = rank > 0 ? withoutWrittenMasks(interpreter, indices) : indices;
  const isEach = listed !== indices && rank === seenRank(listed, shape);
  const at = { path: `${request.path}/list`, span: expr.span, takesOutside: request.drops !== undefined };
  const known = withoutLists(interpreter, run, at, shape, isEach ? listed : indices);
  if (!known) return BROKEN;
  const writes = interpreter.anyIteration?.written.get(object.value.node);
  if (writes) {
    writes.push(rowWritten(interpreter, run, request, known));
    return object.value;
  }
  const data = known.filter((index) => index.kind === "indices");
  const [first] = data;
  const by = first?.operand.value;
  const isMask = by?.kind === "tensor" && typeOf(interpreter, by.node).dtype === "bool";
  const { joined, ...rest } = request;
  const missed = first ? null : numberOutside(shape, known);
  if (missed !== null && request.drops) {
    if (request.drops === "told") tellOutside(interpreter, expr, `${missed} JAX drops this update.`);
    return object.value;
  }
  if (joined && (!first || isMask))
    return setItem(interpreter, run, { ...rest, value: { ...value, value: joined() }, reduction: "none" });
  if (value.value.kind === "selection") {
    const mask = first?.operand.value;
    const at = { path: `${request.path}/selected`, expr };
    const whole = mask?.kind === "tensor" && wholeFor(interpreter, run, at, value.value, mask.node, shape);
    if (!whole) return refuse(`These elements are not those of ${describe(value.value)}.`);
    return setMasked(interpreter, run, { ...request, value: { ...value, value: whole } }, first!.operand, true);
  }
  if (!first) return setRegion(interpreter, run, request, known);
  if (isMask)
    return data.length > 1
      ? refuse("A mask must be the only index tensor: x[mask] = value.")
      : known.every(({ kind }) => kind === "indices" || kind === "rest")
        ? setMasked(interpreter, run, request, first.operand)
        : setAlong(interpreter, run, request, known, refuse);
  const wrong = indicesProblem(interpreter, shape, known);
  const left = wrong || request.drops === "said" ? null : outsideProblem(interpreter, shape, known);
  if (wrong || (left && !request.drops)) return refuse(wrong ?? left!);
  if (left) tellOutside(interpreter, expr, `${left} JAX drops this update.`);
  return setIndices(interpreter, run, request, known);
}

/** `value` in this shape and in the dtype of x; null when it doesn't fit. */
function spread(b: GraphBuilder, value: NodeId, shape: readonly number[], x: NodeId): NodeId | null {
  const { dtype, shape: own } = b.typeOf(value);
  const to = b.typeOf(x).dtype;
  if (broadcastShapes(own, shape)?.join() !== shape.join()) return null;
  const cast = dtype === to ? value : b.op("cast", "cast", [value], { dtype: to });
  return own.join() === shape.join() ? cast : b.op("spread", "expand", [cast], { shape });
}

const unfit = (interpreter: Interpreter, { expr, value }: SetItemRequest, shape: readonly number[]): Value => {
  const own = value.value.kind === "tensor" ? showShape(typeOf(interpreter, value.value.node).shape) : "a number";
  interpreter.diagnostics.add(
    "shape-mismatch",
    expr.span,
    `The part that is assigned to is ${showShape(shape)}; the value is ${own}.`,
  );
  return BROKEN;
};

const fits = (interpreter: Interpreter, { value }: Operand, shape: readonly number[]): boolean => {
  return (
    value.kind !== "tensor" || broadcastShapes(typeOf(interpreter, value.node).shape, shape)?.join() === shape.join()
  );
};

/** The row that is written where one index, a number that only the run knows, picks it; null of anything else. */
function rowWritten(
  interpreter: Interpreter,
  run: StatementRun,
  request: SetItemRequest,
  known: readonly Known[],
): WrittenRow | null {
  const { expr, path, object, value } = request;
  const whole = (object.value as { readonly node: NodeId }).node;
  const { shape } = typeOf(interpreter, whole);
  if (known.some(({ kind }) => kind === "new")) return null;
  const list = completed(known, shape.length - known.filter(({ kind }) => kind !== "rest").length);
  const axis = list.findIndex(({ kind }) => kind === "indices");
  const index = list[axis];
  if (index?.kind !== "indices" || list.some((each, i) => i !== axis && !isWhole(each))) return null;
  const number = index.operand.value;
  const seen = shape.toSpliced(axis, 1);
  if (number.kind !== "tensor" || typeOf(interpreter, number.node).shape.length > 0) return null;
  if (!fits(interpreter, value, seen)) return null;
  const row = applyParts(interpreter, run, { path: `${path}/row`, expr, label: "row" }, [value], (b, [v]) =>
    spread(b, v!, seen, whole)!,
  );
  return row.kind === "tensor" ? { axis, index: number.node, row: row.node } : null;
}

const isWhole = (index: Known): boolean =>
  index.kind === "range" &&
  (index.range.start ?? 0) === 0 &&
  index.range.stop === null &&
  (index.range.step ?? 1) === 1;

/** Slices and single indices. */
function setRegion(
  interpreter: Interpreter,
  run: StatementRun,
  request: SetItemRequest,
  known: readonly Known[],
): Value {
  const { expr, path, object, value } = request;
  const { shape } = typeOf(interpreter, (object.value as { readonly node: NodeId }).node);
  const plan = planIndices(interpreter, expr, shape, known);
  if (!plan) return BROKEN;
  const axes = sliceAxes({ start: plan.start, stop: plan.stop, step: plan.step }, shape);
  const region = axes.map(({ count }) => count);
  const seen = seenShape(region, plan);
  if (!fits(interpreter, value, seen)) return unfit(interpreter, request, seen);
  return applyParts(interpreter, run, { path, expr, label: "set" }, [object, value], (b, [x, v]) => {
    const whole = b.op("region", "reshape", [spread(b, v!, seen, x!)!], { shape: region });
    return withRegion(b, x!, whole, axes);
  });
}

/** The region's shape as the brackets show it: without dropped axes, with new ones. */
function seenShape(region: readonly number[], { drop, add }: Plan): readonly number[] {
  const seen = region.filter((_, axis) => !drop.includes(axis));
  for (const axis of add) seen.splice(axis, 0, 1);
  return seen;
}

/** `x[mask] = value`: the mask's axes are the first ones of x. */
function setMasked(
  interpreter: Interpreter,
  run: StatementRun,
  request: SetItemRequest,
  mask: Operand,
  isWhole = false,
): Value {
  const { expr, path, object, value } = request;
  const { shape } = typeOf(interpreter, (object.value as { readonly node: NodeId }).node);
  const seen = typeOf(interpreter, (mask.value as { readonly node: NodeId }).node).shape;
  const rest = shape.slice(seen.length);
  if (seen.join() !== shape.slice(0, seen.length).join() || !fits(interpreter, value, isWhole ? shape : rest)) {
    interpreter.diagnostics.add(
      "shape-mismatch",
      expr.span,
      `The number of elements that a mask of ${showShape(seen)} picks of ${showShape(shape)} depends on data: write where(mask, value, x).`,
    );
    return BROKEN;
  }
  return applyParts(interpreter, run, { path, expr, label: "set" }, [object, mask, value], (b, [x, m, v]) => {
    const wide = rest.length === 0 ? m! : b.op("mask", "reshape", [m!], { shape: [...seen, ...rest.map(() => 1)] });
    const to = b.typeOf(x!).dtype;
    const put = b.typeOf(v!).dtype === to ? v! : b.op("cast", "cast", [v!], { dtype: to });
    return b.op("set", "where", [wide, put, x!]);
  });
}

/** `x[:, mask] = 0`, `x[mask, 0] = 1`: a number where the mask of one axis says, in the part that the other indices cut. */
function setAlong(
  interpreter: Interpreter,
  run: StatementRun,
  request: SetItemRequest,
  known: readonly Known[],
  refuse: (text: string) => Value,
): Value {
  const { expr, path, object, value } = request;
  const { shape } = typeOf(interpreter, (object.value as { readonly node: NodeId }).node);
  const list = completed(known, shape.length - known.filter(({ kind }) => kind !== "rest" && kind !== "new").length);
  const along = list.findIndex(({ kind }) => kind === "indices");
  const mask = list[along];
  const { shape: picked } =
    mask?.kind === "indices"
      ? typeOf(interpreter, (mask.operand.value as { readonly node: NodeId }).node)
      : { shape: [] };
  if (mask?.kind !== "indices" || picked.length !== 1 || picked[0] !== shape[along] || value.value.kind !== "number")
    return refuse("A mask of one axis among other indices takes a number: x[:, mask] = 0.");
  const whole: Known = { kind: "range", range: { start: null, stop: null, step: null } };
  const plan = planIndices(interpreter, expr, shape, list.with(along, whole));
  if (!plan) return BROKEN;
  const ranges = { start: plan.start, stop: plan.stop, step: plan.step };
  const operands = [object, mask.operand, value];
  return applyParts(interpreter, run, { path, expr, label: "set" }, operands, (b, [x, m, v]) => {
    const lanes = shape.map((extent, axis) => (axis === along ? extent : 1));
    const part = b.op("part", "slice", [x!], ranges);
    const put =
      b.typeOf(v!).dtype === b.typeOf(x!).dtype ? v! : b.op("cast", "cast", [v!], { dtype: b.typeOf(x!).dtype });
    const now = b.op("now", "where", [b.op("mask", "reshape", [m!], { shape: lanes }), put, part]);
    return withRegion(b, x!, now, sliceAxes(ranges, shape));
  });
}

/** `x[:, index] = value`, `x[rows, columns] = value`: the axes that data indexes come first, rows are written, and they go back. */
function setIndices(
  interpreter: Interpreter,
  run: StatementRun,
  request: SetItemRequest,
  known: readonly Known[],
): Value {
  const { expr, path, object, value, reduction } = request;
  const { shape } = typeOf(interpreter, (object.value as { readonly node: NodeId }).node);
  const list = completed(known, shape.length - known.filter(({ kind }) => kind !== "rest" && kind !== "new").length);
  const whole = list.every((each) => each.kind === "indices" || each.kind === "at" || isWhole(each));
  const { axes, at } = indexedAxes(list);
  const operands = axes.flatMap((axis) => {
    const index = list[axis]!;
    return index.kind === "indices" ? [index.operand] : [];
  });
  const asked = operands
    .map((operand) => typeOf(interpreter, (operand.value as { readonly node: NodeId }).node).shape)
    .reduce<readonly number[]>((all, each) => broadcastShapes(all, each)!, []);
  if (!whole) {
    interpreter.diagnostics.add(
      "bad-target",
      expr.span,
      "Index tensors stand beside whole axes in an assignment: x[:, rows, columns] = value.",
    );
    return BROKEN;
  }
  const rest = shape.filter((_, axis) => !axes.includes(axis));
  const seen = [...rest.slice(0, at), ...asked, ...rest.slice(at)];
  if (!fits(interpreter, value, seen)) return unfit(interpreter, request, seen);
  return applyParts(
    interpreter,
    run,
    { path, expr, label: "set" },
    [object, value, ...operands],
    (b, [x, v, ...given]) => {
      const order = inFront(axes, shape.length);
      const isMoved = order.some((axis, i) => axis !== i);
      const front = isMoved ? b.op("front", "transpose", [x!], { perm: order }) : x!;
      const put = spread(b, v!, seen, x!)!;
      const ahead = inFront(
        asked.map((_, i) => at + i),
        seen.length,
      );
      const updates = at === 0 ? put : b.op("updates", "transpose", [put], { perm: ahead });
      let next = 0;
      const columns = axes.map((axis) => {
        const index = list[axis]!;
        const number = index.kind === "at" ? (index.index < 0 ? index.index + shape[axis]! : index.index) : null;
        const node =
          number === null ? fromStart(interpreter, b, given[next++]!, shape[axis]!) : b.scalar(number, "i32");
        const wide = sameShape(b.typeOf(node).shape, asked) ? node : b.op("index", "expand", [node], { shape: asked });
        return b.op("column", "unsqueeze", [wide], { axes: [asked.length] });
      });
      const tuples = columns.length === 1 ? columns[0]! : b.op("tuples", "concat", columns, { axis: asked.length });
      const scatter = findOp("scatter_nd")!;
      const written = scatter.kind === "composite" ? scatter.build(b, [front, tuples, updates], { reduction }) : front;
      if (!isMoved) return written;
      return b.op("set", "transpose", [written], { perm: order.map((_, axis) => order.indexOf(axis)) });
    },
  );
}
