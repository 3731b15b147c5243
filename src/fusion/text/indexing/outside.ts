/** @file What JAX's `x.at[i]` means by indices outside of an axis, where the call says it: `mode="clip"`, `"drop"`, `"fill"`. */
import type { Shape } from "../../ir";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { boundsOf } from "./from-end";
import { callOwn } from "../library/library";
import { type CallExpr, indexParts, type SubscriptExpr } from "../reading/syntax";
import { numberValue, type Operand, type Value } from "../values/values";

/** Where indices outside go: beyond the end, there where one may count from before the first, or to the nearest end. */
export type Outside = "beyond" | "dropped" | "nearest";

/** Indices along one axis. */
interface Along {
  /** Which of the values of the parts they are. */
  readonly part: number;
  readonly axis: number;
}

/** The numbers and tensors of numbers among the indices, with their axes; null where the indices are of another form. */
function alongAxes(interpreter: Interpreter, { indices }: SubscriptExpr, parts: readonly Operand[], shape: Shape) {
  const found: {
    readonly part: number;
    readonly taken: number;
    readonly isIndex: boolean;
    readonly isRest: boolean;
  }[] = [];
  let part = 0;
  for (const index of indices) {
    const { value } = parts[part] ?? {};
    const isAt = index.kind === "at" && value !== undefined;
    if (isAt && (value.kind === "sequence" || value.kind === "selection")) return null;
    const type = isAt && value.kind === "tensor" ? typeOf(interpreter, value.node) : null;
    const isRest = isAt && value.kind === "hole";
    const taken = isRest || (isAt && value.kind === "none") ? 0 : type?.dtype === "bool" ? type.shape.length : 1;
    const isIndex = isAt && (value.kind === "number" || type?.dtype === "i32");
    found.push({ part, taken, isIndex, isRest });
    part += indexParts(index).length;
  }
  const missing = shape.length - found.reduce((sum, { taken }) => sum + taken, 0);
  let axis = 0;
  return found.flatMap(({ part: at, taken, isIndex, isRest }): Along[] => {
    const own = axis;
    axis += isRest ? missing : taken;
    return isIndex ? [{ part: at, axis: own }] : [];
  });
}

const OWN = { beyond: "index_beyond", dropped: "index_beyond", nearest: "index_nearest" } as const;

function within(index: number, extent: number, outside: Outside): number {
  const at = index < 0 ? index + extent : index;
  if (outside === "nearest") return Math.min(Math.max(at, 0), extent - 1);
  return at < 0 ? extent : Math.min(at, extent);
}

/** The parts of the indices with those outside where the mode puts them, and the axes that they are along. */
export function partsWithin(
  interpreter: Interpreter,
  run: StatementRun,
  { item, expr, path }: { readonly item: SubscriptExpr; readonly expr: CallExpr; readonly path: string },
  { object, parts }: { readonly object: Operand; readonly parts: readonly Operand[] },
  outside: Outside,
): { readonly parts: readonly Operand[]; readonly axes: readonly number[] } {
  const shape = object.value.kind === "tensor" ? typeOf(interpreter, object.value.node).shape : null;
  const along = shape && alongAxes(interpreter, item, parts, shape);
  if (!along) return { parts, axes: [] };
  const moved = parts.map((operand, i): Operand => {
    const found = along.find(({ part }) => part === i);
    const extent = found && shape[found.axis];
    if (extent === undefined) return operand;
    const { value } = operand;
    // What lies behind the end is dropped as it is, and so is a number.
    const isDropped = value.kind !== "tensor" || boundsOf(interpreter, value.node).least >= 0;
    if (outside === "dropped" && isDropped) return operand;
    if (value.kind === "number") return { ...operand, value: numberValue(within(value.value, extent, outside), true) };
    const at = `${path}/${OWN[outside]}${i}`;
    const now: Value = callOwn(interpreter, run, { expr, path: at }, OWN[outside], [operand, count(extent)]);
    return { ...operand, value: now, path: at };
  });
  return { parts: moved, axes: along.map(({ axis }) => axis) };
}

const count = (extent: number): Operand => ({ value: numberValue(extent, true), path: "", expr: null });
