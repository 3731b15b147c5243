/** @file From a key press to a command. */
import { commands, type Command, type Key } from "./commands";
import type { PlaygroundState } from "./types";

/** A key press, as far as it matters here. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/** Where the focus is: in text fields only keys with Ctrl work, inside the graph the arrows follow edges. */
export type FocusPlace = "text" | "graph" | "elsewhere";

/** `Ctrl` is the command key where there is one. */
export const showKey = ({ key, ctrl, shift }: Key, apple: boolean): string =>
  [ctrl ? (apple ? "⌘" : "Ctrl") : "", shift ? "Shift" : "", keyName(key)].filter(Boolean).join(" ");

const names: Readonly<Record<string, string>> = {
  ArrowRight: "→",
  ArrowLeft: "←",
  " ": "Space",
  Escape: "Esc",
};
const keyName = (key: string): string => names[key] ?? (key.length === 1 ? key.toUpperCase() : key);

const matches = (wanted: Key, press: Press): boolean => {
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  // On many keyboards `?` and `.` need Shift or not: for characters the character decides.
  const shiftCounts = wanted.ctrl || wanted.key.length > 1 || /[a-z]/.test(wanted.key);
  return (
    wanted.key === key &&
    Boolean(wanted.ctrl) === (press.ctrlKey || press.metaKey) &&
    (!shiftCounts || Boolean(wanted.shift) === press.shiftKey) &&
    !press.altKey
  );
};

/** The command that a key press asks for, or null. Commands whose keys belong to the graph are its own business. */
export function commandFor(press: Press, place: FocusPlace, state: PlaygroundState): Command | null {
  const command = commands.find(
    ({ keys, where = "outside-text" }) =>
      where !== "graph" &&
      keys.some(
        (wanted) =>
          matches(wanted, press) &&
          (wanted.ctrl || wanted.key === "Escape" || wanted.key === "F1" || place !== "text") &&
          (wanted.ctrl || wanted.key.length > 1 || state.letterKeys) &&
          !(place === "graph" && wanted.key.startsWith("Arrow")),
      ),
  );
  return command && (command.when?.(state) ?? true) ? command : null;
}
