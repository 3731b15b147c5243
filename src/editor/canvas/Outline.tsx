/** @file The graph as a list: every op with its type and kernel, to read and to jump to. */
import { useState } from "react";
import { ListBox } from "./ListBox";
import { closeList } from "./canvas-store";
import type { NodeId } from "../../fusion";
import type { Scene } from "../../picture";

export function Outline({ scene, onJump }: { readonly scene: Scene; readonly onJump: (id: NodeId) => void }) {
  const [query, setQuery] = useState("");
  const shown = scene.nodes.filter(({ label }) => label.toLowerCase().includes(query.trim().toLowerCase()));
  return (
    <ListBox
      title="Outline of ops"
      placeholder="Find an op"
      entries={shown.map(({ id, label }) => ({ key: id, row: <span>{label}</span> }))}
      empty="No matching op."
      onSearch={setQuery}
      onClose={closeList}
      onTake={(index) => {
        closeList();
        onJump(shown[index]!.id);
      }}
    />
  );
}
