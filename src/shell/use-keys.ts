/** @file One listener for the whole page: from a key press to a command of the registry. */
import { useEffect } from "react";
import { commandFor, playground, worksEverywhere, type FocusArea, type PlaygroundState } from "../state";
import { takeKeyBuffer, bufferKey } from "./key-buffer";

function areaOf(target: EventTarget | null): FocusArea {
  if (!(target instanceof Element)) return "elsewhere";
  // A dialog of a panel's own, too, keeps its keys.
  if (target.closest(".monaco-editor, dialog")) return "editor";
  if (target.closest("input, textarea, select, [contenteditable]")) return "text";
  return target.closest(".react-flow") ? "graph" : "elsewhere";
}

const PANES = "[data-pane]";

/** Moves the focus to the next pane that is on the screen, round and round. */
function focusNextPane(): void {
  const panes = [...document.querySelectorAll<HTMLElement>(PANES)].filter((pane) => pane.offsetParent !== null);
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(at + 1) % panes.length];
  if (!next) return;
  // A press of the mouse focuses a pane too; only a key needs to see where the focus went.
  next.dataset["byKey"] = "";
  next.addEventListener("blur", () => delete next.dataset["byKey"], { once: true });
  next.focus();
}

/** Keys that belong to the thing in focus: Enter and Space press it, arrows move inside tabs, lists and sliders. */
function belongsToFocus({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (key === "Enter" || key === " ") return target.matches("button, a, summary, [role=button], [role=option]");
  return key.startsWith("Arrow") || key === "Home" || key === "End"
    ? target.closest(
        "[role=tablist], [role=listbox], [role=menu], [role=radiogroup], [role=slider], [role=separator]",
      ) !== null
    : false;
}

/** A letter for the field of Find or do, which is on its way. */
function isForFind(
  { key, ctrlKey, metaKey, altKey, target }: KeyboardEvent,
  dialog: PlaygroundState["dialog"],
): boolean {
  const inside = target instanceof Element && target.closest("dialog") !== null;
  return dialog === "find" && !inside && key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const state = playground.getState();
  // Beside the options the page goes on as without them.
  const beside = state.dialog === "options" && !(event.target as Element).closest("[role=dialog]");
  const area = state.dialog === "none" || beside ? areaOf(event.target) : "dialog";
  if (isForFind(event, state.dialog)) {
    event.preventDefault();
    bufferKey(event.key);
    return;
  }
  if (!event.ctrlKey && !event.metaKey && belongsToFocus(event)) return;
  const command = commandFor(event, area, state);
  // An embedded page has steps, and nothing that opens over them.
  if (!command || (state.embed && command.group !== "Steps")) return;
  // Beside the playground there is no plan to step through.
  if (state.page !== "playground" && command.group !== "Page") return;
  event.preventDefault();
  event.stopPropagation();
  if (event.repeat && !command.repeats) return;
  if (command.id === "find") takeKeyBuffer();
  if (command.id === "next-pane") focusNextPane();
  else command.run(state);
}

/** Listens while the page is open. What works everywhere is caught before an editor sees it. */
export function useKeys(): void {
  useEffect(() => {
    const early = (event: KeyboardEvent): void => {
      if (worksEverywhere(event)) press(event);
    };
    window.addEventListener("keydown", early, { capture: true });
    window.addEventListener("keydown", press);
    return () => {
      window.removeEventListener("keydown", early, { capture: true });
      window.removeEventListener("keydown", press);
    };
  }, []);
}
