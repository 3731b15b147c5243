/** @file Every op, to add by name or to drag onto the canvas. */
import { useReactFlow } from "@xyflow/react";
import { useMemo, useState } from "react";
import { playground, usePlayground, type PlaygroundState } from "../../state";
import type { Graph, NodeId } from "../../fusion";
import type { Position } from "../../document";
import { Glyph } from "./nodes/Glyph";
import { ListBox } from "./ListBox";
import { closeList, say } from "./canvas-store";
import { paletteEntries, searchPalette } from "../../picture";

const INPUT = "input";

/** Names of the ops and calls of the program as it is written, for as long as the same graph is drawn. */
const usedIn = new WeakMap<Graph, ReadonlySet<string>>();
function selectUsedOps({ derived }: PlaygroundState): ReadonlySet<string> {
  const graph = (derived.latest ?? derived.compilation)?.drawn;
  if (!graph) return NONE;
  const known = usedIn.get(graph);
  if (known) return known;
  const used = new Set([...graph.nodes.values()].flatMap(({ op, groups }) => groups[0]?.label ?? op));
  usedIn.set(graph, used);
  return used;
}
const NONE: ReadonlySet<string> = new Set();

export function addOp(op: string, at: Position | null, from: NodeId | null = null): void {
  const { actions } = playground.getState();
  say(op === INPUT ? actions.addInput(at) : actions.addOp(op, at, from));
}

interface Named {
  readonly name: string;
  readonly heading: string | null;
}

/** What is found, best first; by family while nothing is searched, after an input and what the program has already. */
function namesFor(query: string, used: ReadonlySet<string>): Named[] {
  const found = searchPalette(query);
  const input = INPUT.startsWith(query.trim().toLowerCase()) ? [{ name: INPUT, heading: null }] : [];
  if (query.trim() !== "") return [...input, ...found.map(({ name }) => ({ name, heading: null }))];
  const known = found.filter(({ name }) => used.has(name)).map(({ name }) => ({ name, heading: "In this program" }));
  const others = found.filter(({ name }) => !used.has(name));
  return [...input, ...known, ...others.map(({ name, family }) => ({ name, heading: family }))];
}

interface PaletteProps {
  readonly at: Position | null;
  /** The value that the op is to read; null: none. */
  readonly from: NodeId | null;
}

export function Palette({ at, from }: PaletteProps) {
  const [query, setQuery] = useState("");
  const used = usePlayground(selectUsedOps);
  const { flowToScreenPosition } = useReactFlow();
  const [near] = useState(() => at && flowToScreenPosition(at));
  const names = useMemo(
    () => namesFor(query, used).filter(({ name }) => from === null || name !== INPUT),
    [query, used, from],
  );
  const entries = names.map(({ name, heading }, i) => {
    const entry = paletteEntries.find((each) => each.name === name);
    return {
      key: `${heading} ${i}`,
      dragged: name,
      heading,
      row: (
        <>
          <Glyph name={entry?.glyph ?? "input"} />
          <b>{name}</b>
          <code>{entry?.formula ?? "x: f32[…]"}</code>
          {entry && <small>{entry.teaches}</small>}
        </>
      ),
    };
  });
  return (
    <ListBox
      title={from === null ? "Add an op" : "Add an op that reads this value"}
      placeholder={from === null ? "Add an op: name or formula" : "Add an op that reads this value"}
      entries={entries}
      empty="No matching op."
      near={near}
      onSearch={setQuery}
      onClose={closeList}
      onTake={(index) => {
        addOp(names[index]!.name, at, from);
        closeList();
      }}
    />
  );
}
