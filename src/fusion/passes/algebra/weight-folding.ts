/** @file P3a: scales and shifts behind a product become part of its weights, and expressions of weights alone are computed before the run. */
import { node, sizeOf, type Node, type NodeId, madeFor, type Standing, isInput, standingOf } from "../../ir";
import { opDef, withDefaults, algebraOf, isSubtraction, isSum } from "../../ops";
import type { Answer, Candidate } from "../driver/define";
import type { Proposal } from "../driver/rule";
import type { Planner } from "../driver/planner";
import { openRewriter, type NodeChange, type Rewriter } from "../driver/rewriter";
import { propose, rewritingPass } from "../driver/rewriting";
import { nameOf, namesOf, yes, no } from "../driver/sentences";
import { affineChain, composed, type Around, type Link } from "./affine";
import { channelsOf, ownShape, type Channels, isChannelwise } from "./channels";
import { MAX_ELEMENTS, openConstants } from "./constants";
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
  if (dtype !== "f32" || sizeOf(shape) > MAX_ELEMENTS) return null;
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
  const recipe = openRecipe(graph, madeFor(standingOf(graph, last), "folded").id);
  const { scale, shift } = composed(around, recipe, product, channels, links);
  const here = ownShape(channels, last.type.shape);
  if (shift !== null && shift.literal === null && here === null) return null;
  const taken = recipe.take(weight);
  const scaled = scale === null ? null : recipe.op("mul", [taken, inWeight(recipe, channels, scale.id)]);
  const folded =
    scaled &&
    recipe.folded(scaled, {
      ...madeFor(standingOf(graph, product), "weight"),
      label: `${labelOf(planner, weight)}_folded`,
      origins: node(graph, weight).origins,
    });
  const added =
    shift &&
    (shift.literal !== null
      ? literalNode(madeFor(standingOf(graph, last), "shift"), shift.literal)
      : recipe.folded(broadcast(recipe, shift.id, channels, here!), {
          ...madeFor(standingOf(graph, last), "shift"),
          label: "shift_folded",
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
  const chain: Node[] = [{ ...product, inputs, origins: [...new Set([...product.origins, ...origins])] }];
  const dropped: NodeId[] = [];
  for (const { id, kind } of links) {
    if (kind === "view") chain.push({ ...node(graph, id), inputs: [chain.at(-1)!.id] });
    else if (id !== last.id) dropped.push(id);
  }
  const end = chain.at(-1)!;
  const inserted = [...(folded ? [folded] : []), ...(added ? [added] : [])];
  if (added) {
    const sum: Node = {
      ...last,
      op: "add",
      attrs: withDefaults(opDef("add"), {}),
      inputs: [end.id, added.id],
      origins,
    };
    return rewriter.replaced(dropped, [...inserted, ...chain, sum]);
  }
  if (!planner.isOutput(last.id)) {
    const readers = [...rewriter.readersOf(last.id)].map((id) => node(graph, id));
    const again = readers.map((n) => ({ ...n, inputs: n.inputs.map((input) => (input === last.id ? end.id : input)) }));
    return rewriter.replaced([...dropped, last.id], [...inserted, ...chain, ...again]);
  }
  const named: Node = {
    ...end,
    id: last.id,
    order: last.order,
    label: last.label,
    ...(last.span ? { span: last.span } : {}),
  };
  return {
    ...rewriter.replaced([...dropped, end.id], [...inserted, ...chain.slice(0, -1), named]),
    renamed: [end.id, last.id],
  };
}

/** The largest expressions of weights that something else reads. */
function* knownExpressions(
  planner: Planner,
  rewriter: Rewriter,
  { constants }: Around,
): Generator<Candidate, void, Answer> {
  for (const id of Array.from(planner.graph.nodes.keys())) {
    const n = planner.graph.nodes.get(id);
    if (!n || n.inputs.length === 0 || planner.isOutput(id) || !constants.known(id)) continue;
    const readers = [...rewriter.readersOf(id)];
    if (readers.every((reader) => constants.known(reader))) continue;
    const proposal = ahead(planner, rewriter, n, readers);
    if (proposal) yield* propose(planner, rewriter, proposal);
  }
}

function ahead(planner: Planner, rewriter: Rewriter, n: Node, readers: readonly NodeId[]): Proposal | null {
  const { graph } = planner;
  const recipe = openRecipe(graph, madeFor(standingOf(graph, n), "folded").id);
  const value = recipe.take(n.id);
  if (n.type.dtype !== "f32" || sizeOf(n.type.shape) > MAX_ELEMENTS) return null;
  const folded = recipe.folded(value, {
    ...madeFor(standingOf(graph, n), "known"),
    label: n.label,
    origins: n.origins,
  });
  const computes = folded.recipe!.some(({ op }) => ["elementwise", "reduce"].includes(opDef(op).kind));
  if (!computes || !folded.recipe!.some(isInput)) return null;
  const again = readers.map((id) => {
    const reader = node(graph, id);
    return {
      ...reader,
      inputs: reader.inputs.map((input) => (input === n.id ? folded.id : input)),
    };
  });
  const change = rewriter.replaced([n.id], [folded, ...again]);
  const text = `${nameOf(graph, n.id)} depends on weights alone, so it is computed once, before the run, and ${namesOf(graph, readers)} ${readers.length === 1 ? "reads" : "read"} the result in every run.`;
  return { rule: "known", change, verdict: yes("A_PATTERN", [n.id], text), nodes: [n.id, ...readers.slice(0, 3)] };
}

/** Only a scale that differs from channel to channel is worth a word about what is missing. */
const namedScale = ({ graph }: Around, product: Node, work: readonly Link[]): boolean =>
  work.some(
    ({ id, kind }) => kind === "scale" && node(graph, id).inputs.some((input) => isVector(node(graph, input), product)),
  );
const isVector = ({ type }: Node, product: Node): boolean =>
  sizeOf(type.shape) > 1 && sizeOf(type.shape) < sizeOf(product.type.shape);

/** Weights or scales that a run brings, or that the run itself computes. */
function tooLate(
  planner: Planner,
  product: Node,
  { reader, operand }: { reader: NodeId; operand: NodeId },
): Proposal | null {
  const { graph } = planner;
  const n = node(graph, operand);
  if (sizeOf(n.type.shape) === 1) return null;
  const inputs = lateInputs(planner, operand);
  const own = inputs === null;
  if (!own && inputs.length === 0) return null;
  const text = own
    ? `${nameOf(graph, reader)} scales by numbers that come from ${nameOf(graph, product.id)} itself, as a batch norm in training does: they are not known before the run.`
    : `${nameOf(graph, reader)} could be part of the weights of ${nameOf(graph, product.id)}, but ${namesOf(graph, inputs)} ${inputs.length === 1 ? "is an input" : "are inputs"} of each run, not known before.`;
  const remedy = own
    ? "Inference mode, with fixed statistics."
    : `Declaring what does not change as a weight: \`= param()\`.`;
  const nodes = [product.id, reader];
  return { rule: "into-weight", change: null, verdict: no("L_NOT_CONST", nodes, text, { remedy }), nodes };
}

/** Far enough back to see from a batch norm's scale to the product that it normalises. */
const LOOK_BACK = 64;

/** Inputs of a run that `id` is computed of; null when a product is among them. */
function lateInputs({ graph }: Planner, id: NodeId): NodeId[] | null {
  const seen = new Set([id]);
  const late: NodeId[] = [];
  for (const each of seen) {
    const n = node(graph, each);
    if (opDef(n.op).kind === "contraction" || seen.size > LOOK_BACK) return null;
    if (isInput(n) && n.attrs["role"] === "input") late.push(each);
    for (const input of n.inputs) seen.add(input);
  }
  return late;
}

/** Several readers of a product (through views): a normalisation over its own values folds nowhere. */
function tangled(planner: Planner, { readersOf }: Around, product: Node, channels: Channels): Proposal | null {
  const { graph } = planner;
  let value = product;
  for (let readers = [...readersOf(value.id)]; readers.length === 1; readers = [...readersOf(value.id)]) {
    const next = node(graph, readers[0]!);
    if (opDef(next.op).movement?.free !== true && !isSum(algebraOf(next.op))) break;
    value = next;
  }
  const readers = [...readersOf(value.id)].map((id) => node(graph, id));
  const fold = readers.find((n) => opDef(n.op).kind === "reduce");
  const centred = readers.find((n) => isSubtraction(algebraOf(n.op)) && n.inputs.some((input) => input === fold?.id));
  if (!fold || !centred || !isChannelwise(channels, fold.type.shape, value.type.shape)) return null;
  return tooLate(planner, product, { reader: centred.id, operand: fold.id });
}
