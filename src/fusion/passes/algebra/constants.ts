/** @file Which values are known before a run: literals, weights, and what is computed from nothing else. */
import { type Graph, isInput, isLiteral, literalOf, node, type NodeId } from "../../ir";
import { opDef } from "../../ops";

/** Elements of a constant that are computed ahead: more would keep a page waiting. */
export const MAX_ELEMENTS = 2 ** 24;

const KNOWN_ROLES: ReadonlySet<unknown> = new Set(["param", "const"]);
/** Kinds of ops that are computed ahead: linear in what they read. */
const CHEAP: ReadonlySet<string> = new Set(["elementwise", "movement", "reduce"]);

export interface Constants {
  /** Known before the run: a literal, a weight, or an expression of those. */
  readonly known: (id: NodeId) => boolean;
  /** The number, when the value is a literal. */
  readonly literal: (id: NodeId) => number | null;
}

/** What is known in a live graph. Rewrites keep values, so an answer stays true of its name. */
export function openConstants(graph: Graph): Constants {
  const answers = new Map<NodeId, boolean>();
  const open: NodeId[] = [];
  const known = (id: NodeId): boolean => {
    open.push(id);
    while (open.length > 0) {
      const current = open.at(-1)!;
      const n = node(graph, current);
      const waiting = n.inputs.filter((input) => !answers.has(input));
      if (answers.has(current) || waiting.length === 0) {
        open.pop();
        if (!answers.has(current)) answers.set(current, isKnown(graph, current, answers));
      } else open.push(...waiting);
    }
    return answers.get(id)!;
  };
  return {
    known,
    literal: (id) => literalOf(graph, id),
  };
}

function isKnown(graph: Graph, id: NodeId, answers: ReadonlyMap<NodeId, boolean>): boolean {
  const n = node(graph, id);
  if (isLiteral(n)) return true;
  if (isInput(n)) return KNOWN_ROLES.has(n.attrs["role"]);
  return n.inputs.length > 0 && CHEAP.has(opDef(n.op).kind) && n.inputs.every((input) => answers.get(input)!);
}
