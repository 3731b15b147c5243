/** @file The program in a plain text field: on touch screens, and until Monaco has loaded. */
import type { KeyboardEvent, Ref } from "react";
import { playground, usePlayground } from "../../state";

/** One history for text and graph: the field's own must not answer. */
function undoKeys(event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  const { actions } = playground.getState();
  if (key === "y" || (key === "z" && event.shiftKey)) actions.redo();
  else if (key === "z") actions.undo();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

export function PlainProgram({ field }: { readonly field?: Ref<HTMLTextAreaElement> }) {
  const text = usePlayground((state) => state.document.text);
  return (
    <textarea
      ref={field}
      className="program-plain"
      aria-label="Program text"
      spellCheck={false}
      autoCapitalize="off"
      autoCorrect="off"
      rows={Math.min(24, text.split("\n").length + 1)}
      value={text}
      onChange={(event) => playground.getState().actions.typeText(event.target.value)}
      onKeyDown={undoKeys}
    />
  );
}
