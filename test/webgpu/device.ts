/** @file Plans on WebGPU through the product's own session, held against the f64 reference. */
import { afterAll, beforeAll } from "vitest";
import { planFusion } from "../../src/fusion/plan";
import { fusionAt } from "../../src/fusion/compile";
import { generic, targetOf } from "../../src/fusion/cost";
import type { Fusion, Graph, NodeId, Target } from "../../src/fusion/ir";
import {
  compareOutputs,
  foldedData,
  inputData,
  runReference,
  toleranceFor,
  type Comparison,
  type InputData,
  type Tolerance,
} from "../../src/fusion/reference";
import { createSession, type Session } from "../../src/gpu";
import { once, roundingReach } from "../laws/conditioning";
import { compiled } from "../laws/pass-harness";

export const forced: Target = targetOf(generic);

/** The target of the adapter at hand. */
export async function targetHere(session: Session): Promise<Target> {
  const info = await session.describe();
  if (!info.ok) throw new Error(info.problem.text);
  return info.value.target;
}

/** A session and its target for the tests of one suite: opened before the first of them, closed after the last. */
export function openHere(gpu: GPU): { readonly session: Session; readonly target: Target } {
  let session: Session;
  let target: Target;
  beforeAll(async () => {
    session = createSession(gpu);
    target = await targetHere(session);
  });
  afterAll(() => session.close());
  return {
    get session() {
      return session;
    },
    get target() {
      return target;
    },
  };
}

type Values = ReadonlyMap<NodeId, Float64Array>;

export const inputsOf = (graph: Graph): Map<NodeId, InputData> =>
  new Map([...graph.nodes.values()].filter(({ op }) => op === "input").map((n) => [n.id, inputData(n)]));

/** The naive plan's regions and the fused ones. */
export function bothPlans(graph: Graph): { readonly naive: Fusion; readonly fused: Fusion } {
  const compilation = compiled(graph, { granularity: "primitive" });
  return { naive: compilation.naive!, fused: fusionAt(compilation, compilation.steps.length) };
}

export interface Held extends Comparison {
  /** A difference that a change in the order of sums explains: a tenth of what the tolerance allows a value of the result's size. */
  readonly usual: number;
  /** A difference that roundings alone explain, however they fall: expensive to know. */
  readonly reached: () => number;
}

const rootMeanSquare = (data: Float64Array): number =>
  Math.sqrt(
    data.reduce((sum, value) => sum + (Number.isFinite(value) ? value * value : 0), 0) / Math.max(1, data.length),
  );

/** Two roundings of f32: what an op may be off by, of its size. */
const ROUNDING = 1.2e-7;

/** How far roundings alone may move each element of a result: differences of near equals are anybody's guess. */
const reachOf = (graph: Graph, id: NodeId, inputs: Values, want: Float64Array): Float64Array =>
  roundingReach(graph, inputs, new Map([[id, want]]), ROUNDING).get(id)!;

/** Whether every element is within the tolerance and what roundings alone may move it by. */
const explained = (
  want: Float64Array,
  got: ArrayLike<number>,
  reach: Float64Array,
  { rtol, atol }: Tolerance,
): boolean =>
  want.every((right, k) => {
    const apart = Math.abs(got[k]! - right);
    return got[k] === right || apart <= atol + rtol * Math.abs(right) + reach[k]! || reach[k] === Infinity;
  });

/** Each result of one run, in order, against the reference of the source graph. */
export async function comparisons(
  session: Session,
  source: Graph,
  fusion: Fusion,
  target: Target,
): Promise<readonly Held[]> {
  const inputs = inputsOf(source);
  const numbers = new Map([...inputs].map(([id, given]) => [id, Float64Array.from(given)]));
  const reference = runReference(source, numbers);
  const folded = [...foldedData(fusion.graph, inputs)].map(([id, data]) => [id, Float32Array.from(data)] as const);
  const answer = await session.run(planFusion(fusion, target, generic), new Map([...inputs, ...folded]));
  if (!answer.ok) throw new Error(`${answer.problem.code}: ${answer.problem.text}`);
  const data = new Map(answer.value.map((output) => [output.value, output.data]));
  return source.outputs.map((id, i) => {
    const got = data.get(fusion.graph.outputs[i]!);
    if (!got) throw new Error(`${id} did not come back`);
    const want = reference.get(id)!.data;
    const tolerance = toleranceFor(source, id);
    const usual = 0.1 * (tolerance.atol + tolerance.rtol * rootMeanSquare(want));
    const found = compareOutputs(want, got, tolerance);
    const reach = once(() => reachOf(source, id, numbers, want));
    const pass = found.pass || explained(want, got, reach(), tolerance);
    return { ...found, pass, usual, reached: () => rootMeanSquare(reach()) };
  });
}
