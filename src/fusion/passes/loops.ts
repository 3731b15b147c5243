/** @file All iterations of a loop in one kernel: what it carries stays in registers, and memory is met before the first and after the last. */
import { node, type Node, type NodeId } from "../ir";
import { bodyText, opDef, pruned } from "../ops";
import { isLaunched, loopsIn, resultsOf, sharesRuns, statementsIn } from "../kernel";
import type { FusionPass } from "./driver/define";
import { bindingsOf, patchOf } from "./driver/merge";
import { openRewriter, type NodeChange, type Rewriter } from "./driver/rewriter";
import { propose, rewritingPass } from "./driver/rewriting";
import { namesOf, no, showBytes, showCount, STRICT_OFF, yes } from "./driver/sentences";
import { STATEMENT_LIMIT } from "./profitability/profitability";
import { titled } from "./catalogue";

const rewriting = rewritingPass({
  ...titled("loops"),
  *match(planner) {
    const rewriter = openRewriter(planner);
    const launched = [...planner.graph.nodes.values()].filter(isLaunched).map(({ id }) => id);
    for (const results of loopsIn(planner.graph, launched)) {
      const nodes = results.map(({ id }) => id);
      const [first] = results as [Node];
      const iterations = opDef(first.op).loop!.iterations(first.attrs);
      const named = namesOf(planner.graph, nodes);
      const verdict = yes(
        "A_PATTERN",
        nodes,
        opDef(first.op).loop!.isPlain(opDef(first.op).loop!.bodyOf(first.attrs))
          ? `Each iteration works element by element, so one kernel makes all ${showCount(iterations)} iterations for ${named}: what they carry stays in registers.`
          : `Each row goes its own way through all ${showCount(iterations)} iterations, so one kernel makes them for ${named}: ${sharesRuns(first) ? "the threads of a workgroup hold it in workgroup memory" : "a thread holds its row in registers"}.`,
      );
      yield* propose(planner, rewriter, { rule: "loop", change: inOneKernel(rewriter, results), verdict, nodes });
    }
  },
});

/** The same results by one loop inside a kernel, which carries only what they need. */
function inOneKernel(rewriter: Rewriter, results: readonly Node[]): NodeChange {
  const [{ op, attrs }] = results as [Node];
  const left = pruned(opDef(op).loop!.bodyOf(attrs), resultsOf(results));
  const body = bodyText(left.body);
  const after = results.map((n): Node => {
    const result = left.results.get(opDef(op).loop!.result(n.attrs))!;
    return {
      ...n,
      inputs: left.params.map((at) => n.inputs[at]!),
      attrs: { ...n.attrs, body, result, launched: false },
    };
  });
  return rewriter.replaced([], after);
}

export const loops: FusionPass = {
  ...rewriting,
  legal(planner, candidate) {
    const verdict = rewriting.legal(planner, candidate);
    if (!verdict.ok) return verdict;
    const folds = planner.options.strict ? roundingFold(planner.graph.nodes, candidate.nodes) : null;
    if (folds !== null)
      return no(
        "L_STRICT",
        candidate.nodes,
        `\`${folds}\` adds up along a row: the kernels of an iteration may group its terms in another way than a thread that holds the whole row, and strict mode forbids that.`,
        STRICT_OFF,
      );
    return planner.supposing(patchOf(candidate), () => {
      const { maxBindings } = planner.profile;
      for (const region of candidate.add) {
        const bindings = bindingsOf(planner, planner.factsOf(region));
        if (region.members.some((id) => candidate.nodes.includes(id)) && bindings > maxBindings)
          return no(
            "L_BINDINGS",
            candidate.nodes,
            `One kernel for all iterations of ${namesOf(planner.graph, candidate.nodes)} would bind ${bindings} buffers, and the device allows ${maxBindings}: its iterations stay launches of their own.`,
            {
              numbers: { bindings, limit: maxBindings },
              limit: { what: "buffers", value: bindings, limit: maxBindings, unit: "" },
              remedy: "A loop that carries and reads fewer values, or a device that binds more buffers.",
            },
          );
      }
      const { workgroupBytes: room } = planner.profile;
      const bytes = Math.max(0, ...candidate.add.map((region) => planner.figuresOf(region).schedule.workgroupBytes));
      if (bytes > room)
        return no(
          "L_WGMEM",
          candidate.nodes,
          `The threads of a workgroup would hold ${showBytes(bytes)} of a row, and the device grants ${showBytes(room)}: each iteration stays a launch of its own.`,
          {
            numbers: { bytes, limit: room },
            limit: { what: "workgroup memory", value: bytes, limit: room, unit: "B" },
            remedy: "Shorter rows, or a device with more workgroup memory.",
          },
        );
      const ops = opsOf(planner.graph.nodes, candidate.nodes);
      if (ops <= STATEMENT_LIMIT) return verdict;
      return no(
        "C_COMPILE_BUDGET",
        candidate.nodes,
        `An iteration has ${showCount(ops)} statements, and a kernel has at most ${STATEMENT_LIMIT} statements: each iteration stays a launch of its own.`,
        {
          numbers: { statements: ops, limit: STATEMENT_LIMIT },
          limit: { what: "statements in a kernel", value: ops, limit: STATEMENT_LIMIT, unit: "" },
          remedy: "Nothing here: a larger kernel would take too long to compile.",
        },
      );
    });
  },
};

/** A value of the loop's body that adds up rounded numbers; null where none does. */
function roundingFold(nodes: ReadonlyMap<NodeId, Node>, [first]: readonly NodeId[]): string | null {
  const { op, attrs } = node({ nodes, outputs: [] }, first!);
  const loop = opDef(op).loop!;
  const body = loop.bodyOf(attrs);
  const at = body.values.findIndex((value, i) => {
    const { kind, tolerance } = opDef(value.op);
    return (
      loop.typesOf(body)[i]!.dtype === "f32" && (kind === "contraction" || (kind === "reduce" && tolerance.rtol > 0))
    );
  });
  return body.values[at]?.name ?? null;
}

function opsOf(nodes: ReadonlyMap<NodeId, Node>, [first]: readonly NodeId[]): number {
  const loop = node({ nodes, outputs: [] }, first!);
  return statementsIn(opDef(loop.op).loop!.bodyOf(loop.attrs), [loop]);
}
