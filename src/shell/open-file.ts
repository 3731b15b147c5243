/** @file Opens a file that the person chose: a saved document, or the text of a program. */
import { decodeFile } from "../document";
import { playground } from "../state";

/** Null when it is open, otherwise why not. What was open before is kept as earlier work. */
export function openText(name: string, text: string): string | null {
  const { actions, document } = playground.getState();
  if (!name.endsWith(".json")) {
    actions.openDocument({ ...document, text, positions: {}, savedChoices: {}, example: null }, null, "link");
  } else {
    const opened = decodeFile(text);
    if (!opened.ok) return `${name} can't be opened. ${opened.text}`;
    actions.openDocument(opened.value.state.document, opened.value.state.decision, "link");
  }
  actions.openDialog("none");
  return null;
}
