/** @file The op registry: what an op is, and which ones there are. */
import type { Attrs, DType } from "../ir";
import { composites } from "./composites";
import type { CompositeDef, OpDef, WgslHelper } from "./define";
import { FORMER_NAMES } from "./former-names";
import { linearGroups, type Algebra } from "./algebra";
import { primitive, primitives } from "./primitives";

export {
  isCopy,
  isDivision,
  isMultiplication,
  isNegation,
  isProduct,
  isSubtraction,
  isSum,
  linearGroups,
  type Algebra,
  type Monotone,
} from "./algebra";
export { scalarType, weakDType, withDefaults } from "./compose";
export * from "./define";
export { sumTo } from "./derivatives";
export { chosenUpdate } from "./scattering";
export { storedBeside } from "./stored";
export { countsAlong, indexAlong } from "./linear-indices";
export { TableAlgebra, tabled, type TabledCase } from "./index-tables";
export { broadcastIndex, groupsOf, isAbsent, permOf, sliceAxes, sliceOf, type AxisGroup } from "./indices";
export { MAX_ANGLE } from "./wgsl-functions";
export type { ArgCompare } from "./define";
export {
  bodyText,
  neededFor,
  ownShape,
  pruned,
  rankAround,
  readBody,
  readBy,
  resultAt,
  resultNumber,
  rowAt,
  type BodyArg,
  type BodyParam,
  type BodyValue,
  type LoopBody,
  type Result,
  type Walk,
} from "./loop-body";
export { givenRow, readAt, rowLoopOf, rowsRead, type RowLoop } from "./row-loops";
export { isOwnedRun, isSharedRun } from "./run-limits";
export { leavingHalves, withRounded } from "./halves";
export { largestOf, smallestOf } from "./limits";
export { primitive as opDef } from "./primitives";
export { philox, randomBits } from "./philox";
export { floatKey, fromFloatKey, fromWholeKey, lastKey, wholeKey } from "./sorting";
export { ANY_WHOLE, bitsOf, floatDigit, shortened, wholeDigit } from "./digits";
export { MAX_SORTED, MAX_SELECTED } from "./ranking";
export { axesOf, normalAxis, numberOf, numbersOf } from "./shapes";
export { erf, roundToHalf } from "./special";
export { isView, stridesOfView, throughView, withRegion, type Strides } from "./views";
export { unstableSoftmaxes } from "./unstable-softmax";
export { convert, floatLiteral, wgslType } from "./wgsl";
export { fromBits, philox as philoxHelper } from "./wgsl-helpers";

/** Every primitive, sources included, by name. */
export const allOps: readonly OpDef[] = primitives;

let helpers: ReadonlyMap<string, WgslHelper> | null = null;
/** Every WGSL function that an op brings along, by its name for one element; the name for four has a 4 behind it. */
export function wgslHelpers(): ReadonlyMap<string, WgslHelper> {
  helpers ??= new Map(
    primitives
      .flatMap(({ scalar, reduce }) => [...(scalar?.helpers ?? []), ...(reduce?.arg?.helpers ?? [])])
      .map((helper) => [helper.name, helper] as const),
  );
  return helpers;
}
/** What passes may conclude of the op of that name. */
export const algebraOf = (name: string): Algebra => primitive(name).algebra ?? {};

/** A reduction that is linear in what it folds: f(cx) = c f(x) and f(x + y) = f(x) + f(y). */
export const isLinearFold = (name: string): boolean =>
  primitive(name).kind === "reduce" && linearGroups(algebraOf(name)).length > 0;

/** Every composite, by name. */
export const allComposites: readonly CompositeDef[] = composites;

/** Every op and composite that a person adds by its name: a loop has a body, which is written in the text. */
export const calledOps: readonly (OpDef | CompositeDef)[] = [...primitives, ...composites].filter(
  (def) => def.kind !== "source" && !def.internal && !("loop" in def && def.loop !== undefined),
);

const byName = new Map<string, OpDef | CompositeDef>();
for (const def of [...primitives, ...composites]) {
  for (const name of [def.name, ...(def.aliases ?? [])]) byName.set(name, def);
}

/** The op or composite of that name, alias or former name, or null. */
export const findOp = (name: string): OpDef | CompositeDef | null =>
  byName.get(name) ?? byName.get(FORMER_NAMES[name] ?? "") ?? null;

/** The op that a configuration means by the name of an activation, by that name. */
export const activations: ReadonlyMap<string, OpDef | CompositeDef> = new Map(
  [...primitives, ...composites].flatMap((op) => (op.activation ?? []).map((name) => [name, op] as const)),
);

/** Every name and alias that a call can use, for completion and "did you mean". */
export const opNames: readonly string[] = [...byName.keys()].sort();

/** FLOP of one evaluation of an op: one, whatever function it computes, as papers and XLA count. */
export const flopsOf = ({ weightedFlops }: OpDef): number => Number(weightedFlops > 0);

/** The same with functions weighted (`OpDef.weightedFlops`). */
export const weightedFlopsOf = ({ weightedFlops }: OpDef): number => weightedFlops;

/** What one evaluation of an op takes of a shader's time (`OpDef.work`). */
export const workOf = ({ work, weightedFlops }: OpDef, literals: readonly (number | null)[]): number =>
  typeof work === "function" ? work(literals) : (work ?? weightedFlops);

/** The dtype each operand is converted to before the op's rule sees it. */
export const operandTypes = (def: OpDef, inputs: readonly DType[], attrs: Attrs): readonly DType[] =>
  def.operandTypes?.(inputs, attrs) ?? inputs;
export { functionsOfOne, functionsOfTwo, ordered, signed, tritonFolds, tritonFunctions } from "./foreign-functions";
export { reachOf, windowAxes, windowOf, type WindowAxis } from "./windows";
export { zerosAround } from "./padding";
