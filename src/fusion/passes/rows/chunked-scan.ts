/**
 * @file Scans of few long rows: chunks are scanned at the same time, and each then takes in what the chunks before it came to. A row is
 * read twice for that, by the whole machine and not by a part of it.
 * @about gather, where: a chunk takes the total of its neighbour, and the first has none.
 */
import { node, sameShape, sizeOf, type Node, type NodeId, type Shape } from "../../ir";
import { opDef } from "../../ops";
import { titled } from "../catalogue";
import type { FusionPass } from "../driver/define";
import type { Proposal } from "../driver/rule";
import { patchOf } from "../driver/merge";
import type { Planner } from "../driver/planner";
import { forcing, judge } from "../profitability/profitability";
import { openRewriter, type Rewriter } from "../driver/rewriter";
import { outlasts, propose, rewritingPass } from "../driver/rewriting";
import { NodeFactory } from "../saved/node-factory";
import { nameOf, no, showCount, yes } from "../driver/sentences";
import { bothWays, NO_MICROS, timeOf, weigh } from "../profitability/weigh";

const rewriting = rewritingPass({
  ...titled("chunked-scan"),
  *match(planner) {
    const rewriter = openRewriter(planner);
    for (const n of planner.graph.nodes.values()) {
      const cut = opDef(n.op).scan ? cutOf(planner, n) : null;
      if (!cut || !outlasts(planner, rewriter, n.id, MIN_LAUNCHES)) continue;
      if (yield* propose(planner, rewriter, proposalFor(planner, rewriter, n, cut))) planner.reorder();
    }
  },
});

export const chunkedScan: FusionPass = {
  ...rewriting,
  profitability(planner, candidate, delta) {
    const { nodes } = candidate;
    const { apart, fused } = delta;
    const doing = `Scanning ${nameOf(planner.graph, nodes[0]!)} in chunks`;
    if (fused.micros < apart.micros - NO_MICROS)
      return planner.supposing(patchOf(candidate), () => judge(planner, candidate, delta, doing));
    return no("C_NEGATIVE", nodes, `${doing} takes longer than scanning whole rows: ${timeOf(fused, apart)}.`, {
      numbers: { bytesSaved: apart.bytes - fused.bytes, launchesSaved: apart.launches - fused.launches },
      weighed: weigh("time", bothWays(candidate, delta)),
      ...forcing(planner, candidate, "Fewer rows, or longer ones."),
    });
  },
};

/** A row as so many chunks of so many elements each. */
interface Cut {
  readonly axis: number;
  readonly shape: Shape;
  readonly chunks: number;
  readonly each: number;
}

/** Launches that the other way takes at least: it folds the chunks, scans what they came to, and scans the chunks. */
const MIN_LAUNCHES = 3;
/** Chunks that give each multiprocessor work, and elements of one at least. */
const PER_MULTIPROCESSOR = 8;
const MIN_CHUNK = 256;

/** In what chunks a scan is cut; null where its rows keep the machine busy, or can't be cut into equal ones. */
function cutOf({ graph, profile }: Planner, { op, attrs, inputs }: Node): Cut | null {
  const { scan } = opDef(op);
  const { shape } = node(graph, inputs[0]!).type;
  const axis = scan!.axis(attrs, shape);
  const length = shape[axis]!;
  const rows = sizeOf(shape) / Math.max(1, length);
  if (!scan!.fold.reduce!.ofTwo || length < 2 * MIN_CHUNK || rows >= profile.multiprocessors) return null;
  const wanted = (PER_MULTIPROCESSOR * profile.multiprocessors) / rows;
  const each = chunkLength(length, Math.max(MIN_CHUNK, length / wanted));
  return each === null ? null : { axis, shape, chunks: length / each, each };
}

/** The divisor of `length` that lies nearest to `wanted`, of those that leave chunks and are no shorter than the shortest. */
function chunkLength(length: number, wanted: number): number | null {
  let best: number | null = null;
  const far = (each: number): number => Math.abs(Math.log2(each / wanted));
  for (let small = 1; small * small <= length; small++) {
    if (length % small !== 0) continue;
    for (const each of [small, length / small])
      if (each >= MIN_CHUNK && each < length && (best === null || far(each) < far(best))) best = each;
  }
  return best;
}

function proposalFor(planner: Planner, rewriter: Rewriter, n: Node, cut: Cut): Proposal {
  const { graph } = planner;
  const { axis, shape, chunks, each } = cut;
  const { fold, reverse } = opDef(n.op).scan!;
  const make = new NodeFactory(graph, n.id, "chunked");
  const call = (op: string, inputs: readonly NodeId[], attrs: Node["attrs"] = {}): NodeId =>
    make.call(op, inputs, attrs, n, n.phase === "backward");
  const [before, after] = [shape.slice(0, axis), shape.slice(axis + 1)];
  const cutShape = [...before, chunks, each, ...after];
  const rank = cutShape.length;
  const x = call("reshape", [n.inputs[0]!], { shape: cutShape });
  const totals = call(fold.name, [x], { axes: [axis + 1], keepdims: false });
  const walked = call(n.op, [totals], { axis, reverse: reverse(n.attrs) });
  const own = make.computed();
  const number = call("iota", [], { start: 0, stop: chunks, dtype: "i32" });
  const int = (value: number): NodeId => call("const", [], { value, dtype: "i32" });
  const backwards = reverse(n.attrs);
  const neighbour = call("clamp", [call("add", [number, int(backwards ? 1 : -1)])], { min: 0, max: chunks - 1 });
  const carried = call("gather", [walked, neighbour], { axis });
  const spread = (id: NodeId, to: Shape): NodeId => call("reshape", [id], { shape: to });
  const others = spread(carried, [...before, chunks, 1, ...after]);
  const here = call(n.op, [x], { ...n.attrs, axis: axis + 1 });
  const column = spread(
    number,
    Array.from({ length: rank }, (_, i) => (i === axis ? chunks : 1)),
  );
  const hasOthers = call(backwards ? "lt" : "gt", [column, int(backwards ? chunks - 1 : 0)]);
  const joined = call("where", [hasOthers, call(fold.reduce!.ofTwo!, [here, others]), here]);
  if (!sameShape(cutShape, n.type.shape)) call("reshape", [joined], { shape: n.type.shape });
  const inserted = make.computed().filter((id) => !own.includes(id));
  const top = make.made.pop()!;
  const last: Node = { ...n, op: top.op, inputs: top.inputs, attrs: top.attrs };
  const text = `${nameOf(graph, n.id)} scans ${showCount(shape[axis]!)} elements one after the other. In ${showCount(chunks)} chunks of ${showCount(each)}, all of them are scanned at the same time: each is then combined with the total of those before it.`;
  return {
    rule: "scan-chunks",
    change: {
      ...rewriter.replaced([], [...make.made, last]),
      ownRegions: own,
      inserted: inserted.filter((id) => id !== top.id).map((id) => [id, n.id] as const),
    },
    verdict: yes("A_PATTERN", [n.id], text),
    nodes: [n.id],
  };
}
