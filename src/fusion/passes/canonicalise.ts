/** @file Exact identities, equal subexpressions, dead values. Each rewrite is a step of its own. */
import { isHole, isInput, isLiteral, isSource, node, type Node, type NodeId, type Region } from "../ir";
import { opDef } from "../ops";
import { isFreeView } from "../kernel";
import type { Answer, Candidate, FusionPass } from "./driver/define";
import { identity } from "./algebra/identities";
import type { Planner } from "./driver/planner";
import { openRewriter, type Rewriter } from "./driver/rewriter";
import { propose, rewritingPass, untilNoneFits } from "./driver/rewriting";
import { nameOf, no, yes } from "./driver/sentences";
import { addedApart, rounds } from "./driver/strict-order";
import { titled } from "./catalogue";

export const canonicalise: FusionPass = rewritingPass({
  ...titled("canonicalise"),
  *match(planner) {
    const rewriter = openRewriter(planner);
    yield* dead(planner, rewriter);
    yield* untilNoneFits(planner, rewriter, [identity]);
    yield* equals(planner, rewriter);
  },
});

const hasEffect = (op: string): boolean => opDef(op).boundary?.code === "L_EFFECT";

/** Values that nobody reads and nobody asked for. */
function* dead(planner: Planner, rewriter: Rewriter): Generator<Candidate, void, Answer> {
  for (const id of [...planner.graph.nodes.keys()].toReversed()) {
    const n = planner.graph.nodes.get(id);
    if (!n || isSource(n) || planner.isOutput(id) || rewriter.readersOf(id).size > 0) continue;
    if (hasEffect(n.op)) {
      const text = `Nothing reads ${nameOf(planner.graph, id)}, but it has a side effect: it is computed all the same.`;
      yield* propose(planner, rewriter, {
        rule: "dead",
        change: null,
        verdict: no("L_EFFECT", [id], text),
        nodes: [id],
      });
      continue;
    }
    const verdict = yes(
      "A_PATTERN",
      [id],
      `Nothing reads ${nameOf(planner.graph, id)} and it is no result, so it is not computed.`,
    );
    yield* propose(planner, rewriter, { rule: "dead", change: rewriter.drop(id), verdict, nodes: [id] });
  }
}

/** Equal expressions, consumers first: a whole repeated call goes in one step. */
function* equals(planner: Planner, rewriter: Rewriter): Generator<Candidate, void, Answer> {
  const holding = (id: NodeId): Region[] => rewriter.regionsOf(id).map(planner.region);
  for (const [later, earlier] of repeated(planner).toReversed()) {
    const [n, first] = [planner.graph.nodes.get(later), planner.graph.nodes.get(earlier)];
    if (!n || !first) continue;
    const nodes = [later, earlier];
    const [a, b] = [nameOf(planner.graph, later), nameOf(planner.graph, earlier)];
    const draws = opDef(n.op).kind === "random";
    if (draws || hasEffect(n.op)) {
      const text = draws
        ? `${a} draws random numbers as ${b} does. Each draw is its own, so both stay.`
        : `${a} has the side effect that ${b} has. Each happens, so both stay.`;
      yield* propose(planner, rewriter, { rule: "equal", change: null, verdict: no("L_EFFECT", nodes, text), nodes });
      continue;
    }
    const refused = planner.options.strict ? addedApart(planner, twinFolds(planner, later, earlier), holding) : null;
    if (refused) {
      yield* propose(planner, rewriter, { rule: "equal", change: null, verdict: refused, nodes });
      continue;
    }
    const apart = (id: NodeId): boolean =>
      rewriter.regionsOf(id).some((region) => planner.region(region).members.length > 1);
    if (isFreeView(n) && (apart(later) || apart(earlier))) continue;
    if (planner.isOutput(later) && planner.isOutput(earlier)) continue;
    const change = planner.isOutput(later) ? rewriter.rename(later, earlier) : rewriter.redirect(later, earlier);
    if (!change) continue;
    const name = a === b ? `A second ${a}` : a;
    const verdict = yes(
      "A_PATTERN",
      nodes,
      `${name} computes what ${a === b ? "the first one" : b} computed from the same operands, so it is computed once.`,
    );
    yield* propose(planner, rewriter, { rule: "equal", change, verdict, nodes });
  }
}

/** Folds behind two equal expressions that each of them has of its own, pair by pair. */
function twinFolds({ graph }: Planner, later: NodeId, earlier: NodeId): (readonly [NodeId, NodeId])[] {
  const found: (readonly [NodeId, NodeId])[] = [];
  const seen = new Set<NodeId>();
  const open: (readonly [NodeId, NodeId])[] = [[later, earlier]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [a, b] = pair;
    if (a === b || seen.has(a)) continue;
    seen.add(a);
    if (rounds(graph, a)) found.push(pair);
    const others = node(graph, b).inputs;
    node(graph, a).inputs.forEach((input, operand) => open.push([input, others[operand]!]));
  }
  return found;
}

/** Pairs [later, earlier] of equal expressions, by value numbers. */
function repeated(planner: Planner): [NodeId, NodeId][] {
  const numbers = new Map<NodeId, NodeId>();
  const known = new Map<string, NodeId>();
  const pairs: [NodeId, NodeId][] = [];
  const ids = [...planner.graph.nodes.keys()].toSorted((a, b) => planner.position(a) - planner.position(b));
  for (const id of ids) {
    const n = node(planner.graph, id);
    if (isInput(n) || isHole(n)) continue;
    const key = keyOf(n, numbers);
    const first = known.get(key);
    if (first === undefined) known.set(key, id);
    else {
      numbers.set(id, first);
      if (!isLiteral(n)) pairs.push([id, first]);
    }
  }
  return pairs;
}

function keyOf(n: Node, numbers: ReadonlyMap<NodeId, NodeId>): string {
  const { op, inputs, attrs, type, rounded } = n;
  const operands = inputs.map((input) => numbers.get(input) ?? input).join();
  const seen = JSON.stringify(attrs);
  return `${op}(${operands})${seen}${type.dtype}${type.shape.join()}${rounded ? "~" : ""}`;
}
