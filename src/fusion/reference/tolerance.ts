/** @file How far an f32 shader may be from the f64 reference: what the ops on the way to an output allow, added up. */
import { node as nodeOf, nodeId, sizeOf, type Graph, type Node, type NodeId, type Shape } from "../ir";
import { opDef, operandTypes, ownShape, wgslType } from "../ops";
import type { Tolerance } from "./compare";
import { productOf } from "./matmul";
import { ancestorsOf } from "./run";

/** What an elementwise result gets in any case: a few roundings. */
const BASE = 1e-5;
/** Where an exponential follows other work its argument's error is multiplied. */
const EXPONENTIAL = { rtol: 1e-3, atol: 1e-4 };
const HALF = 1e-2;
const CAP = 1e-3;

/** Elements that a reduction folds or a scan walks, or K of a contraction. */
function terms(graph: Graph, node: Node): number {
  const types = node.inputs.map((id) => nodeOf(graph, id).type);
  const { kind, ranges, reduce, scan } = opDef(node.op);
  if (kind === "contraction") return productOf(types[0]!, types[1]!).k;
  const { shape } = types[0]!;
  if (ranges) return shape[ranges.axis(node.attrs, shape)]!;
  if (scan) return shape[scan.axis(node.attrs, shape)]!;
  return sizeOf(reduce!.axes(node.attrs, shape).map((axis) => shape[axis]!));
}

/** Whether a NaN may end here: min, max, clamp and select drop it on some devices, and builtins such as exp turn it into a number. */
function mayLoseNaN(graph: Graph, node: Node): boolean {
  const def = opDef(node.op);
  const fold = def.reduce ?? def.scan?.fold.reduce;
  if (fold) return /\b(min|max)\(/.test(fold.combine.wgsl("a", "b", wgslType(node.type.dtype, 1)));
  if (def.loop) return true;
  if (!def.scalar) return false;
  if (def.expensive || node.type.dtype === "bool") return true;
  const operands = operandTypes(
    def,
    node.inputs.map((id) => nodeOf(graph, id).type.dtype),
    node.attrs,
  );
  const names = node.inputs.map((_, i) => `v${i}`);
  const text = def.scalar.wgsl(
    [...names, ...(def.scalar.usesIndex ? ["i"] : [])],
    node.attrs,
    wgslType(node.type.dtype, 1, operands[0]),
  );
  return /\b(min|max|clamp|select|sign)\(/.test(text);
}

/** How many times its operands' relative error an op makes of it, at 8: 8 for exp, 2 for a square. Steep ones count as exponentials. */
function isSteep(node: Node): boolean {
  const scalar = opDef(node.op).scalar;
  if (!scalar) return false;
  const at = (x: number): number => scalar.js([...node.inputs.map(() => x), 0], node.attrs);
  const [value, near] = [at(8), at(8 * 1.0001)];
  return Math.abs((near - value) / value) > 4e-4;
}
/** What a sum or a product of matrices allows beside its op's own, as `toleranceFor` counts it. */
function foldedWithin(op: string, operand: Shape, result: Shape): (readonly [rtol: number, atol: number])[] {
  const { kind, tolerance } = opDef(op);
  if (kind === "contraction") {
    const count = Math.max(1, operand.at(-1) ?? 1);
    return [[2e-6 * Math.sqrt(count), 2e-6 * Math.sqrt(count) * count]];
  }
  if (kind !== "reduce" || tolerance.rtol === 0) return [];
  const share = Math.min(CAP, BASE * Math.sqrt(sizeOf(operand) / Math.max(1, sizeOf(result))));
  return [[share, share]];
}
/** What the ops of a loop's body allow, each as often as it runs. */
function withinLoop({ op, attrs, type }: Node): (readonly [rtol: number, atol: number])[] {
  const { loop } = opDef(op);
  if (!loop) return [];
  const iterations = loop.iterations(attrs);
  const body = loop.bodyOf(attrs);
  const types = loop.typesOf(body);
  return body.values.flatMap((value, at) => {
    const inner: Node = {
      ...value,
      id: nodeId(value.name),
      inputs: value.args.map(() => nodeId("")),
      type,
      label: "",
      origins: [],
      groups: [],
    };
    const { rtol, atol } = opDef(value.op).tolerance;
    const steep = isSteep(inner) ? [[iterations * EXPONENTIAL.rtol, iterations * EXPONENTIAL.atol] as const] : [];
    const [first] = value.args;
    const folded =
      first?.kind === "param"
        ? ownShape(body.params[first.at]!)
        : first?.kind === "value"
          ? types[first.at]!.shape
          : [];
    return [
      [iterations * rtol, iterations * atol] as const,
      ...steep,
      ...foldedWithin(value.op, folded, types[at]!.shape).map(([r, a]) => [iterations * r, iterations * a] as const),
      ...withinLoop(inner).map(([r, a]) => [iterations * r, iterations * a] as const),
    ];
  });
}
/** Input, constant or iota: it follows from no other value. */
export const readsNothing = (graph: Graph, id: NodeId): boolean => opDef(nodeOf(graph, id).op).kind === "source";

/**
 * The limit for one output. Reductions of n add 1e-5·√n (at most 1e-3); matmuls 2e-6·√K of `scale`, the size of Σ|a·b|,
 * which is K for operands of size 1; exponentials of computed values 1e-3 and 1e-4; every op its own.
 */
export function toleranceFor(graph: Graph, output: NodeId, scale?: number): Tolerance {
  let [rtol, atol] = [BASE, BASE];
  // An op's own error is what it is; the rest is counted for values of size 1.
  let own = 0;
  let nanMayVanish = false;
  const because: string[] = [];
  const path = [...ancestorsOf(graph, [output])].map((id) => nodeOf(graph, id));
  const add = (node: Node, r: number, a: number): void => {
    rtol += r;
    atol += a;
    if (r >= BASE || a > BASE) because.push(node.op);
  };
  for (const node of path) {
    const { kind, tolerance } = opDef(node.op);
    if (kind === "source" || kind === "movement" || kind === "gather" || kind === "search") continue;
    add(node, tolerance.rtol, tolerance.atol);
    own += tolerance.atol;
    for (const [r, a] of withinLoop(node)) add(node, r, a);
    nanMayVanish ||= mayLoseNaN(graph, node);
    const chained = node.inputs.some((id) => !readsNothing(graph, id));
    if (chained && isSteep(node)) add(node, EXPONENTIAL.rtol, EXPONENTIAL.atol);
    const folds = kind === "reduce" || kind === "scan" || kind === "ranges";
    if (!folds && kind !== "contraction") continue;
    const count = Math.max(1, terms(graph, node));
    if (folds && tolerance.rtol > 0) {
      const share = Math.min(CAP, BASE * Math.sqrt(count));
      add(node, share, share);
    }
    if (kind === "contraction") {
      const share = 2e-6 * Math.sqrt(count);
      add(node, share, share * (scale ?? count));
    }
  }
  if (path.some((node) => node.type.dtype === "f16")) add(path[0]!, HALF, HALF);
  const reason = because.length === 0 ? "roundings of f32" : `for ${[...new Set(because)].join(", ")}`;
  return { rtol, atol, ofSize: atol - own, nanMayVanish, reason };
}
