/** @file A no, with what would turn it into a yes. */
import { node, type Graph, type NodeId, type Verdict } from "../ir";
import type { Classified } from "./types";

export const refusal = (
  code: Verdict["code"],
  nodes: readonly NodeId[],
  text: string,
  remedy?: string,
  numbers?: Verdict["numbers"],
): Verdict => ({
  ok: false,
  code,
  text,
  nodes,
  ...(remedy === undefined ? {} : { remedy }),
  ...(numbers === undefined ? {} : { numbers }),
});

/** The same as an answer of `classify`. */
export const refuse = (...said: Parameters<typeof refusal>): Classified => ({ ok: false, verdict: refusal(...said) });

/** What would help where `value` must be stored and the loop around `core` can't do that: nothing, unless the value leads there. */
export function storedRemedy(graph: Graph, members: readonly NodeId[], value: NodeId, core: NodeId): string {
  const inside = new Set(members);
  const reached = new Set([core]);
  for (const id of reached) for (const input of node(graph, id).inputs) if (inside.has(input)) reached.add(input);
  return reached.has(value)
    ? "A program in which nothing else needs it."
    : "Nothing here: a kernel of its own has to store it.";
}
