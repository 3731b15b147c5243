/** @file P3a: scales and shifts behind a product become part of its weights, and expressions of weights alone are computed before the run. */
import { node, sizeOf, type Node, type NodeId, madeFor, type Standing } from "../../ir";
import { opDef, withDefaults } from "../../ops";
import type { Answer, Candidate } from "../define";
import type { Proposal } from "../rule";
import type { Planner } from "../planner";
import { openRewriter, type NodeChange, type Rewriter } from "../rewriter";
import { propose, rewritingPass } from "../rewriting";
import { nameOf, namesOf, yes } from "../sentences";
import { affineChain, composed, type Around, type Link } from "./affine";
import { channelsOf, ownShape, type Channels } from "./channels";
import { MOST_ELEMENTS, openConstants } from "./constants";
import { knownExpressions } from "./known-early";
import { namedScale, tangled, tooLate } from "./known-late";
import { openRecipe, type Recipe } from "./recipe";
import { titled } from "../catalogue";

export const weightFolding = rewritingPass({
  ...titled("weight-folding"),
  *match(planner) {
    const rewriter = openRewriter(planner);
    const around: Around = {
      graph: planner.graph,
      constants: openConstants(planner.graph),
      readersOf: rewriter.readersOf,
      isOutput: planner.isOutput,
    };
    yield* products(planner, rewriter, around);
    yield* knownExpressions(planner, rewriter, around);
  },
});

function* products(planner: Planner, rewriter: Rewriter, around: Around): Generator<Candidate, void, Answer> {
  for (const id of Array.from(planner.graph.nodes.keys())) {
    const n = planner.graph.nodes.get(id);
    if (!n || opDef(n.op).kind !== "contraction" || n.type.dtype !== "f32" || sizeOf(n.type.shape) === 0) continue;
    if (n.inputs.some((input) => node(planner.graph, input).type.shape.length < 2)) continue;
    for (const side of [0, 1] as const) {
      const proposal = intoWeight(planner, rewriter, around, n, side);
      if (!proposal) continue;
      yield* propose(planner, rewriter, proposal);
      break;
    }
  }
}

function intoWeight(planner: Planner, rewriter: Rewriter, around: Around, product: Node, side: 0 | 1): Proposal | null {
  const { graph } = planner;
  const weight = product.inputs[side]!;
  const { shape, dtype } = node(graph, weight).type;
  if (dtype !== "f32" || sizeOf(shape) > MOST_ELEMENTS) return null;
  if (around.constants.known(product.inputs[1 - side]!)) return null;
  const channels = channelsOf(product.type.shape, shape, side);
  const { links, late } = affineChain(around, product, channels);
  const work = links.filter(({ kind }) => kind !== "view");
  const known = around.constants.known(weight);
  if (late && work.every(({ kind }) => kind !== "scale")) return tooLate(planner, product, late);
  if (work.length === 0 || (work.length === 1 && work[0]!.kind === "shift"))
    return known ? tangled(planner, around, product, channels) : null;
  const last = node(graph, work.at(-1)!.id);
  if (!known)
    return namedScale(around, product, work) ? tooLate(planner, product, { reader: last.id, operand: weight }) : null;
  const recipe = openRecipe(graph, madeFor(last, "folded").id);
  const { scale, shift } = composed(around, recipe, product, channels, links);
  const here = ownShape(channels, last.type.shape);
  if (shift !== null && shift.literal === null && here === null) return null;
  const taken = recipe.take(weight);
  const scaled = scale === null ? null : recipe.op("mul", [taken, inWeight(recipe, channels, scale.id)]);
  const folded =
    scaled &&
    recipe.folded(scaled, {
      ...madeFor(product, "weight"),
      label: `folded_${labelOf(planner, weight)}`,
      origins: node(graph, weight).origins,
    });
  const added =
    shift &&
    (shift.literal !== null
      ? literalNode(madeFor(last, "shift"), shift.literal)
      : recipe.folded(broadcast(recipe, shift.id, channels, here!), {
          ...madeFor(last, "shift"),
          label: "folded_shift",
          origins: last.origins,
        }));
  const change = folding(planner, rewriter, { product, side, links, folded, added });
  if (!change) return null;
  const names = namesOf(
    graph,
    work.map(({ id }) => id),
  );
  const text = folded
    ? `${names} ${added ? "scale and shift" : "scale"} each output of ${nameOf(graph, product.id)} by numbers that are known before the run. The scale becomes part of the weights${added ? ", the shift one added number" : ""}; the last bits may differ by rounding.`
    : `${names} add numbers that are known before the run: only their sum is added.`;
  return {
    rule: folded ? "into-weight" : "shifts",
    change,
    verdict: yes("A_PATTERN", [product.id, ...work.map(({ id }) => id)], text),
    nodes: [product.id, ...work.map(({ id }) => id)],
  };
}

const labelOf = (planner: Planner, id: NodeId): string => {
  let n = node(planner.graph, id);
  while (n.inputs.length > 0) n = node(planner.graph, n.inputs[0]!);
  return n.label;
};

const inWeight = (recipe: Recipe, { inWeight: shape }: Channels, scale: NodeId): NodeId =>
  sizeOf(recipe.typeOf(scale).shape) === 1 ? scale : recipe.op("reshape", [scale], { shape });

/** A shift in the weight's extents as it meets the chain's last value: leading axes of 1 are left out. */
function broadcast(recipe: Recipe, shift: NodeId, { extents }: Channels, here: readonly number[]): NodeId {
  const wide =
    sizeOf(recipe.typeOf(shift).shape) === sizeOf(extents)
      ? shift
      : recipe.op("expand", [recipe.op("reshape", [shift], { shape: extents.map(() => 1) })], { shape: extents });
  const first = here.findIndex((extent) => extent > 1);
  return recipe.op("reshape", [wide], { shape: first < 0 ? [1] : here.slice(first) });
}

const literalNode = (standing: Standing, value: number): Node => ({
  ...standing,
  op: "const",
  inputs: [],
  attrs: { value },
  type: { dtype: "f32", shape: [] },
  label: String(Number(value.toPrecision(6))),
  origins: [],
  groups: [],
});

interface Folding {
  readonly product: Node;
  readonly side: 0 | 1;
  readonly links: readonly Link[];
  readonly folded: Node | null;
  readonly added: Node | null;
}

/** The product with its new weight, the views that stay, and the one addition that is left. */
function folding(
  planner: Planner,
  rewriter: Rewriter,
  { product, side, links, folded, added }: Folding,
): NodeChange | null {
  const { graph } = planner;
  const last = node(graph, links.at(-1)!.id);
  const origins = [...new Set(links.flatMap(({ id }) => node(graph, id).origins))];
  const inputs = product.inputs.map((input, i) => (i === side && folded ? folded.id : input));
  const kept: Node[] = [{ ...product, inputs, origins: [...new Set([...product.origins, ...origins])] }];
  const dropped: NodeId[] = [];
  for (const { id, kind } of links) {
    if (kind === "view") kept.push({ ...node(graph, id), inputs: [kept.at(-1)!.id] });
    else if (id !== last.id) dropped.push(id);
  }
  const end = kept.at(-1)!;
  const inserted = [...(folded ? [folded] : []), ...(added ? [added] : [])];
  if (added) {
    const sum: Node = {
      ...last,
      op: "add",
      attrs: withDefaults(opDef("add"), {}),
      inputs: [end.id, added.id],
      origins,
    };
    return rewriter.replaced(dropped, [...inserted, ...kept, sum]);
  }
  if (!planner.isOutput(last.id)) {
    const readers = [...rewriter.readersOf(last.id)].map((id) => node(graph, id));
    const again = readers.map((n) => ({ ...n, inputs: n.inputs.map((input) => (input === last.id ? end.id : input)) }));
    return rewriter.replaced([...dropped, last.id], [...inserted, ...kept, ...again]);
  }
  const named: Node = {
    ...end,
    id: last.id,
    order: last.order,
    label: last.label,
    ...(last.span ? { span: last.span } : {}),
  };
  return {
    ...rewriter.replaced([...dropped, end.id], [...inserted, ...kept.slice(0, -1), named]),
    renamed: [end.id, last.id],
  };
}
