/** @file Every op, to add by name or to drag onto the canvas. */
import { useMemo, useState } from "react";
import { playground } from "../../state";
import type { Position } from "../../document";
import { Glyph } from "./Glyph";
import { ListBox } from "./ListBox";
import { closeList, say } from "./canvas-store";
import { searchPalette } from "../../picture";

const INPUT = "input";

export function addOp(op: string, at: Position | null): void {
  const { actions } = playground.getState();
  say(op === INPUT ? actions.addInput() : actions.addOp(op, at));
}

export function Palette({ at }: { readonly at: Position | null }) {
  const [query, setQuery] = useState("");
  const found = useMemo(() => searchPalette(query), [query]);
  const withInput = INPUT.startsWith(query.trim().toLowerCase());
  const names = [...(withInput ? [INPUT] : []), ...found.map(({ name }) => name)];
  const entries = names.map((name) => {
    const entry = found.find((each) => each.name === name);
    return {
      key: name,
      dragged: name,
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
      title="Add an op"
      placeholder="Add an op: name or formula"
      entries={entries}
      empty="No matching op."
      onSearch={setQuery}
      onClose={closeList}
      onTake={(index) => {
        addOp(names[index]!, at);
        closeList();
      }}
    />
  );
}
