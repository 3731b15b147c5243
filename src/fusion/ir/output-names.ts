/** @file What the text calls the results. */
import type { Graph } from "./graph";
import type { NodeId } from "./ids";

interface Named {
  readonly name: string;
  readonly node: NodeId | null;
}

/** The name that the text binds each output of `graph` to, the last one where there are several; null where it has none. */
export function outputNames({ outputs }: Graph, symbols: readonly Named[]): readonly (string | null)[] {
  const named = new Map(symbols.flatMap(({ name, node }) => (node === null ? [] : [[node, name] as const])));
  return outputs.map((id) => named.get(id) ?? null);
}
