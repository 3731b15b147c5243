/** @file P3b: the largest of φ(x) is φ of the largest x when φ never decreases. The maximum is taken first, φ then of one value a row. */
import { opDef } from "../../ops";
import {
  node,
  sameShape,
  sizeOf,
  type Graph,
  type Node,
  type NodeId,
  type Verdict,
  madeFor,
  standingOf,
} from "../../ir";
import type { Answer, Candidate } from "../driver/define";
import { maskedOperand, monotone, type Runs } from "./monotone";
import type { Planner } from "../driver/planner";
import { openRewriter, type NodeChange, type Rewriter } from "../driver/rewriter";
import { propose, rewritingPass } from "../driver/rewriting";
import { nameOf, no, STRICT_OFF, yes } from "../driver/sentences";
import { titled } from "../catalogue";

export const monotoneCommute = rewritingPass({
  ...titled("monotone-commute"),
  *match(planner) {
    const rewriter = openRewriter(planner);
    const folds = [...planner.graph.nodes.values()].filter(({ op }) => opDef(op).reduce?.picks);
    for (const { id } of folds.toSorted((a, b) => planner.position(a.id) - planner.position(b.id))) {
      for (let at: NodeId | null = id; at !== null;) at = yield* swap(planner, rewriter, at);
    }
  },
});

/** One swap below `id`; the fold to go on with, or null. */
function* swap(planner: Planner, rewriter: Rewriter, id: NodeId): Generator<Candidate, NodeId | null, Answer> {
  const { graph } = planner;
  const fold = node(graph, id);
  const inner = node(graph, fold.inputs[0]!);
  const alone = (n: Node): boolean => rewriter.readersOf(n.id).size === 1 && !planner.isOutput(n.id);
  if (alone(inner) && (yield* maskFirst(planner, rewriter, fold, inner, alone))) return id;
  const found = alone(inner) && inner.inputs.length > 0 ? monotone(graph, inner, fold) : null;
  // The largest of no values is −∞, and an op need not leave that as it is.
  if (!found || sizeOf(inner.type.shape) <= sizeOf(fold.type.shape)) return null;
  const x = inner.inputs[found.operand]!;
  const { dtype, shape } = node(graph, x).type;
  const converts = opDef(inner.op).algebra?.sameValue === true;
  if (dtype === "bool" || (dtype !== inner.type.dtype && !converts) || !sameShape(shape, inner.type.shape)) return null;
  if (inner.type.dtype !== "f32" && !converts) return null;
  const nodes = [x, inner.id, id];
  if (planner.options.strict && !found.exact) {
    const text = `${nameOf(graph, inner.id)} never decreases, but a machine's ${inner.op} may dip by a last bit: taking the largest value first could change the result, and strict mode keeps it.`;
    const verdict = no("L_STRICT", nodes, text, STRICT_OFF);
    yield* propose(planner, rewriter, { rule: "maximum-first", change: null, verdict, nodes });
    return null;
  }
  const { change, first } = swapped(graph, fold, inner, node(graph, x), found);
  const verdict = said(graph, fold, inner, found);
  const made = yield* propose(planner, rewriter, { rule: "maximum-first", change, verdict, nodes });
  return made ? first : null;
}

/** max(mask · φ(x)) = max(φ(mask · x)) where φ leaves 0 as it is: φ is then next to the maximum. */
function* maskFirst(
  planner: Planner,
  rewriter: Rewriter,
  fold: Node,
  masked: Node,
  alone: (n: Node) => boolean,
): Generator<Candidate, boolean, Answer> {
  const { graph } = planner;
  const at = maskedOperand(graph, masked);
  const inner = at === null ? null : node(graph, masked.inputs[at]!);
  if (!inner || !alone(inner)) return false;
  const x = inner.inputs[0]!;
  const first: Node = { ...masked, inputs: masked.inputs.map((input, i) => (i === at ? x : input)) };
  const last: Node = { ...inner, ...madeFor(standingOf(graph, fold), inner.op), inputs: [masked.id] };
  const change: NodeChange = {
    gone: [inner.id],
    after: [first, last, { ...fold, inputs: [last.id] }],
    inserted: [[last.id, fold.id]],
  };
  const text = `\`${inner.op}\` leaves 0 where it is, so the mask may come before it as well as after: then \`${inner.op}\` stands next to ${nameOf(graph, fold.id)}.`;
  const nodes = [x, inner.id, masked.id];
  const verdict = yes("A_PATTERN", nodes, text);
  return yield* propose(planner, rewriter, { rule: "mask-first", change, verdict, nodes });
}

function swapped(
  graph: Graph,
  fold: Node,
  inner: Node,
  x: Node,
  { way, operand }: Runs,
): { change: NodeChange; first: NodeId } {
  const op = way === "up" ? fold.op : opDef(fold.op).reduce!.picks!.opposite;
  const first = madeFor(standingOf(graph, fold), op);
  const folded: Node = {
    ...fold,
    ...first,
    op,
    inputs: [x.id],
    label: op,
    type: { ...fold.type, dtype: x.type.dtype },
  };
  const origins = [...new Set([...fold.origins, ...inner.origins])];
  const last: Node = {
    ...fold,
    op: inner.op,
    attrs: inner.attrs,
    inputs: inner.inputs.map((input, i) => (i === operand ? first.id : input)),
    label: fold.order ? inner.label : fold.label,
    origins,
  };
  return { change: { gone: [inner.id], after: [folded, last], inserted: [[first.id, fold.id]] }, first: first.id };
}

function said(graph: Graph, fold: Node, inner: Node, { way }: Runs): Verdict {
  const [before, after] = [sizeOf(inner.type.shape), sizeOf(fold.type.shape)];
  const { which } = opDef(fold.op).reduce!.picks!;
  const runs =
    way === "up"
      ? `never decreases, so the ${which} output comes from the ${which} input`
      : `never increases, so the ${which} output comes from the ${which === "largest" ? "smallest" : "largest"} input`;
  const text = `\`${inner.op}\` ${runs}: ${nameOf(graph, fold.id)} goes first, and ${nameOf(graph, inner.id)} is computed for ${after.toLocaleString("en")} values instead of ${before.toLocaleString("en")}.`;
  return yes("A_PATTERN", [inner.id, fold.id], text, { numbers: { before, after } });
}
