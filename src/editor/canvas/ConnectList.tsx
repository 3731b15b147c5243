/** @file Connecting without a mouse: the operands that fit, empty ones first; Enter connects. */
import { useMemo, useState } from "react";
import type { Graph, NodeId } from "../../fusion";
import { playground, usePlayground } from "../../state";
import { ListBox } from "./ListBox";
import { closeList, say } from "./canvas-store";
import { nameIn } from "../../picture";
import { choicesOf, targetsOf } from "./targets";

export function ConnectList({ graph, from }: { readonly graph: Graph; readonly from: NodeId }) {
  const text = usePlayground((s) => s.document.text);
  const [query, setQuery] = useState("");
  const choices = useMemo(() => choicesOf(graph, targetsOf(text, from)), [graph, text, from]);
  const wanted = query.trim().toLowerCase();
  const shown = choices.filter((choice) => choice.text.toLowerCase().includes(wanted));
  return (
    <ListBox
      title={`Connect ${nameIn(graph, from)} to`}
      placeholder={`Connect ${nameIn(graph, from)} to …`}
      entries={shown.map((choice) => ({
        key: choice.text,
        row: (
          <>
            <b>{choice.text}</b>
            <code>{choice.now}</code>
          </>
        ),
      }))}
      empty={choices.length === 0 ? "No operand takes this shape and type." : "No matching operand."}
      onSearch={setQuery}
      onClose={closeList}
      onTake={(index) => {
        const { consumer, operand } = shown[index]!;
        say(playground.getState().actions.connect(from, consumer, operand));
        closeList();
      }}
    />
  );
}
