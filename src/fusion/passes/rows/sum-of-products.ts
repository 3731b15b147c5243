/**
 * @file A contraction with a vector beside a kernel that walks the same matrix, or vector: written as a sum of products, it takes each
 * element where it passes by, and both are one kernel.
 */
import {
  madeFor,
  node,
  sameShape,
  type Node,
  type NodeId,
  type Patch,
  type Region,
  type Shape,
  standingOf,
} from "../../ir";
import { opDef, withDefaults } from "../../ops";
import type { Answer, Candidate } from "../driver/define";
import { neededOutside, unionOf } from "../driver/merge";
import type { Planner } from "../driver/planner";
import { nameOf, yes } from "../driver/sentences";

export const SUM_OF_PRODUCTS = "sum-of-products";

/** Candidates for every contraction with a vector that walks what another kernel walks. Its sums are taken in another order. */
export function* sumsOfProducts(planner: Planner): Generator<Candidate, void, Answer> {
  if (planner.options.strict) return;
  for (const id of planner.inOrder()) {
    const region = planner.regions.get(id);
    const walked = region && walkedOf(planner, region);
    if (!region || !walked) continue;
    for (const other of walkersOf(planner, region, walked)) {
      const candidate = written(planner, region, other, walked);
      if (!candidate || !(yield candidate).accepted) continue;
      planner.reorder();
      break;
    }
  }
}

interface Walked {
  readonly contraction: Node;
  /** The operand whose elements it uses once each, and its shape. */
  readonly value: NodeId;
  readonly shape: Shape;
}

/** What a contraction walks if its right operand is a vector: the left one. Only where products and sums are of one type. */
function walkedOf(planner: Planner, region: Region): Walked | null {
  const { graph } = planner;
  const { form } = planner.factsOf(region);
  if (planner.isView(region) || !form || form.contraction === null) return null;
  const contraction = node(graph, form.contraction);
  const [left, right] = contraction.inputs.map((input) => node(graph, input));
  if (
    !left ||
    right?.type.shape.length !== 1 ||
    [left, right].some(({ type }) => type.dtype !== contraction.type.dtype)
  )
    return null;
  return contraction.type.dtype === "f32" ? { contraction, value: left.id, shape: left.type.shape } : null;
}

/** Kernels that walk the same, read it too, and wait for nothing between. */
function walkersOf(planner: Planner, region: Region, { value, shape }: Walked): Region[] {
  return [...planner.regionsReading(value)]
    .filter((id) => id !== region.id && !planner.order.returns([region.id, id]).found)
    .map((id) => planner.region(id))
    .filter((other) => {
      if (planner.isView(other)) return false;
      const { form } = planner.factsOf(other);
      return form !== null && form.contraction === null && sameShape(form.space, shape);
    })
    .toSorted((a, b) => planner.order.at(a.id) - planner.order.at(b.id));
}

/** Whether the contraction in `region` could take what it adds up where `other` has read it. */
export function takesAsItPasses(planner: Planner, region: Region, other: Region): boolean {
  const walked = walkedOf(planner, region);
  return walked !== null && walkersOf(planner, region, walked).some(({ id }) => id === other.id);
}

function written(planner: Planner, region: Region, other: Region, { contraction, shape }: Walked): Candidate | null {
  const { graph } = planner;
  const product: Node = {
    ...contraction,
    ...madeFor(standingOf(graph, contraction), "products"),
    op: "mul",
    attrs: {},
    type: { ...contraction.type, shape },
    label: "mul",
  };
  if (graph.nodes.has(product.id)) return null;
  const attrs = withDefaults(opDef("sum"), { axes: [shape.length - 1], keepdims: false });
  const sum: Node = { ...contraction, op: "sum", attrs, inputs: [product.id] };
  const at = (id: NodeId): number => planner.position(id, new Map([[product.id, product]]));
  const group = new Set([region.id, other.id]);
  const whole: Region = {
    id: region.id,
    members: [...unionOf(planner, [region, other]), product.id].toSorted((a, b) => at(a) - at(b)),
    outputs: [region, other].flatMap(({ outputs }) => outputs.filter((id) => neededOutside(planner, id, group))),
  };
  const patch: Patch = {
    removedNodes: [contraction],
    addedNodes: [product, sum],
    removedRegions: [region, other],
    addedRegions: [whole],
    outputs: null,
  };
  const text = `${nameOf(graph, contraction.id)} uses each element of ${nameOf(graph, contraction.inputs[0]!)} once: as a sum of products it takes them where ${nameOf(graph, other.outputs[0]!)} has read them. The sums are taken in another order, which may change their last bits.`;
  return {
    rule: SUM_OF_PRODUCTS,
    kind: "graph",
    edges: [],
    nodes: [contraction.id, other.outputs[0]!],
    remove: patch.removedRegions,
    add: patch.addedRegions,
    into: region.id,
    merged: [],
    rewrite: { patch, verdict: yes("A_PATTERN", [contraction.id], text) },
  };
}
