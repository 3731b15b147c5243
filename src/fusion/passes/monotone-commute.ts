/** @file P3b: the largest of φ(x) is φ of the largest x when φ never decreases. The maximum is taken first, φ then of one value a row. */
import { node, nodeId, sizeOf, type Graph, type Node, type NodeId, type Verdict } from "../ir";
import { opDef } from "../ops";
import type { Answer, Candidate } from "./define";
import type { Planner } from "./planner";
import { openRewriter, type NodeChange, type Rewriter } from "./rewriter";
import { propose, rewritingPass } from "./rewriting";
import { nameOf, no, yes } from "./words";

export const monotoneCommute = rewritingPass({
  name: "monotone-commute",
  title: "Take the maximum first",
  teaches: "monotone-commute",
  summary: "Swaps a maximum with a function that never decreases, which then works on one value a row.",
  numerics: "bitwise",
  *match(planner) {
    const rewriter = openRewriter(planner);
    const folds = [...planner.graph.nodes.values()].filter(({ op }) => op === "max" || op === "min");
    for (const { id } of folds.toSorted((a, b) => planner.position(a.id) - planner.position(b.id))) {
      for (let at: NodeId | null = id; at !== null;) at = yield* swap(planner, rewriter, at);
    }
  },
});

/** `up`: never decreases. `down`: never increases. `exact`: so does its rounded value, on any machine. */
interface Monotone {
  readonly way: "up" | "down";
  readonly exact: boolean;
  /** Which operand runs along the row. */
  readonly operand: number;
}

const UP_EXACT: ReadonlySet<string> = new Set(["relu", "floor", "ceil", "round", "sign", "clamp", "identity", "stop_gradient"]); // prettier-ignore
/** Non-decreasing as functions; a machine's approximation may dip by a last bit. */
const UP: ReadonlySet<string> = new Set(["exp", "exp2", "expm1", "tanh", "sigmoid", "softplus", "erf", "atan", "sinh", "softsign", "selu"]); // prettier-ignore
/** The same where the operand is not negative. */
const UP_ABOVE_ZERO: ReadonlySet<string> = new Set(["log", "log2", "log1p", "sqrt", "square"]);
const NOT_NEGATIVE: ReadonlySet<string> = new Set(["relu", "exp", "exp2", "sigmoid", "abs", "square", "softplus", "sqrt"]); // prettier-ignore

const constant = (graph: Graph, id: NodeId): number | null => {
  const n = node(graph, id);
  return n.op === "const" ? Number(n.attrs["value"]) : null;
};

/** How `n` runs with one of its operands; null when it may turn. */
function monotone(graph: Graph, n: Node, fold: Node): Monotone | null {
  if (UP_EXACT.has(n.op)) return { way: "up", exact: true, operand: 0 };
  if (UP.has(n.op)) return { way: "up", exact: false, operand: 0 };
  if (UP_ABOVE_ZERO.has(n.op) && NOT_NEGATIVE.has(node(graph, n.inputs[0]!).op))
    return { way: "up", exact: n.op === "square" || n.op === "sqrt", operand: 0 };
  if (n.op === "neg") return { way: "down", exact: true, operand: 0 };
  if (n.inputs.length !== 2) return null;
  const operand = [0, 1].find((at) => alongRow(graph, n, at, fold) && sameForRow(graph, n, 1 - at, fold));
  if (operand === undefined) return null;
  const other = n.inputs[1 - operand]!;
  switch (n.op) {
    case "add":
    case "maximum":
    case "minimum":
      return { way: "up", exact: true, operand };
    case "sub":
      return { way: operand === 0 ? "up" : "down", exact: true, operand };
    case "mul":
    case "div": {
      const by = constant(graph, other);
      if (by === null || by === 0 || !Number.isFinite(by) || (n.op === "div" && operand === 1)) return null;
      return { way: by > 0 ? "up" : "down", exact: n.op === "mul", operand };
    }
    default:
      return null;
  }
}

const alongRow = (graph: Graph, n: Node, operand: number, fold: Node): boolean =>
  node(graph, n.inputs[operand]!).type.shape.join() === n.type.shape.join() && fold.inputs[0] === n.id;

/** The other operand may be met after the fold instead: it has no extent along the folded axes and lines up with the result. */
function sameForRow(graph: Graph, n: Node, operand: number, fold: Node): boolean {
  const { shape } = node(graph, n.inputs[operand]!).type;
  const rank = n.type.shape.length;
  const axes = opDef(fold.op).reduce!.axes(fold.attrs, n.type.shape);
  if (sizeOf(shape) === 1 && shape.length === 0) return true;
  const kept = fold.type.shape.length === rank;
  const first = rank - shape.length;
  return axes.every((axis) => (kept ? axis < first || shape[axis - first] === 1 : axis < first));
}

const TURNED: Readonly<Record<string, string>> = { max: "min", min: "max" };

/** One swap below `id`; the fold to go on with, or null. */
function* swap(planner: Planner, rewriter: Rewriter, id: NodeId): Generator<Candidate, NodeId | null, Answer> {
  const { graph } = planner;
  const fold = node(graph, id);
  const inner = node(graph, fold.inputs[0]!);
  const isAlone = rewriter.readersOf(inner.id).size === 1 && !planner.isOutput(inner.id);
  const found = isAlone && inner.type.dtype === "f32" ? monotone(graph, inner, fold) : null;
  if (!found || sizeOf(inner.type.shape) === sizeOf(fold.type.shape)) return null;
  const x = inner.inputs[found.operand]!;
  if (node(graph, x).type.dtype !== inner.type.dtype || node(graph, x).type.shape.join() !== inner.type.shape.join()) return null; // prettier-ignore
  const nodes = [x, inner.id, id];
  if (planner.options.strict && !found.exact) {
    const text = `${nameOf(graph, inner.id)} never decreases, but a machine's ${inner.op} may dip by a last bit: taking the largest value first could change the result, and strict mode keeps it.`;
    const verdict = no("L_STRICT", nodes, text, { wayOut: "Switch strict mode off." });
    yield* propose(planner, rewriter, { rule: "maximum-first", change: null, verdict, nodes });
    return null;
  }
  const { change, first } = swapped(fold, inner, x, found);
  const verdict = said(graph, fold, inner, found);
  const made = yield* propose(planner, rewriter, { rule: "maximum-first", change, verdict, nodes });
  return made ? first : null;
}

function swapped(
  fold: Node,
  inner: Node,
  x: NodeId,
  { way, operand }: Monotone,
): { change: NodeChange; first: NodeId } {
  const op = way === "up" ? fold.op : TURNED[fold.op]!;
  const first = nodeId(`${fold.id}~${op}`);
  const folded: Node = { ...fold, id: first, op, inputs: [x], label: op, origins: fold.origins };
  const origins = [...new Set([...fold.origins, ...inner.origins])];
  const last: Node = { ...fold, op: inner.op, attrs: inner.attrs, inputs: inner.inputs.map((input, i) => (i === operand ? first : input)), label: fold.id.includes("~") ? inner.label : fold.label, origins }; // prettier-ignore
  return { change: { gone: [inner.id], after: [folded, last], born: [[first, fold.id]] }, first };
}

function said(graph: Graph, fold: Node, inner: Node, { way }: Monotone): Verdict {
  const [before, after] = [sizeOf(inner.type.shape), sizeOf(fold.type.shape)];
  const which = fold.op === "max" ? "largest" : "smallest";
  const runs = way === "up" ? `never decreases, so the ${which} output comes from the ${which} input` : `never increases, so the ${which} output comes from the ${which === "largest" ? "smallest" : "largest"} input`; // prettier-ignore
  const text = `\`${inner.op}\` ${runs}: the fold goes first, and ${nameOf(graph, inner.id)} is computed for ${after.toLocaleString("en")} values instead of ${before.toLocaleString("en")}.`;
  return yes("A_PATTERN", [inner.id, fold.id], text, { numbers: { before, after } });
}
