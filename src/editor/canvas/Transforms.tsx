/** @file The program differentiated or batched as a whole: each is an edit of the text that undo takes back. */
import { useState } from "react";
import type { TransformName } from "../../fusion";
import { playground } from "../../state";
import { ListBox } from "./ListBox";
import { closeList, say } from "./canvas-store";

const transforms: readonly (readonly [name: TransformName, formula: string, says: string])[] = [
  ["grad", "∂f/∂w", "The derivative of what the program returns, by its parameters or inputs."],
  ["value_and_grad", "f, ∂f/∂w", "The same, with the value itself."],
  ["vjp", "f, v·J", "Reverse mode: how each input changes a weighted sum of the results."],
  ["jvp", "f, J·v", "Forward mode: how the results change when the inputs change in one direction."],
  ["vmap", "f for each x", "The program for 8 examples at once; parameters stay as they are."],
];

export function Transforms() {
  const [query, setQuery] = useState("");
  const shown = transforms.filter(([name, , says]) =>
    `${name} ${says}`.toLowerCase().includes(query.trim().toLowerCase()),
  );
  return (
    <ListBox
      title="Transform the program"
      placeholder="Transform: grad, vjp, vmap …"
      entries={shown.map(([name, formula, says]) => ({
        key: name,
        row: (
          <>
            <span aria-hidden="true" />
            <b>{name}</b>
            <code>{formula}</code>
            <small>{says}</small>
          </>
        ),
      }))}
      empty="No matching transform."
      onSearch={setQuery}
      onClose={closeList}
      onTake={(index) => {
        say(playground.getState().actions.transform(shown[index]![0]));
        closeList();
      }}
    />
  );
}
