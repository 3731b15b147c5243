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

/** Where the focus is: `editor` is the program's own, `text` any other field, `dialog` while one is open. */
export type FocusArea = "editor" | "text" | "graph" | "dialog" | "elsewhere";

const names: Readonly<Record<string, string>> = {
  ArrowRight: "→",
  ArrowLeft: "←",
  " ": "Space",
  Escape: "Esc",
};
const keyName = (key: string): string => names[key] ?? (key.length === 1 ? key.toUpperCase() : key);

/** `Ctrl Shift Z`, or `⌘ Shift Z` on an `apple` keyboard. */
export const showKey = ({ key, ctrl, shift }: Key, apple = false): string =>
  [ctrl ? (apple ? "⌘" : "Ctrl") : "", shift ? "Shift" : "", keyName(key)].filter(Boolean).join(" ");

function matches(wanted: Key, press: Press): boolean {
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  // Whether `?` and `.` need Shift depends on the keyboard: for characters other than letters only the character counts.
  const shiftCounts = wanted.key.length > 1 || /[a-z]/.test(wanted.key);
  return (
    wanted.key === key &&
    Boolean(wanted.ctrl) === (press.ctrlKey || press.metaKey) &&
    (!shiftCounts || Boolean(wanted.shift) === press.shiftKey) &&
    !press.altKey
  );
}

/** Whether a key works with the focus at `area`: plain letters never type into a field and act at once. */
function worksAt(wanted: Key, area: FocusArea, letterKeys: boolean): boolean {
  if (wanted.everywhere) return area !== "dialog" || wanted.key !== "F6";
  switch (area) {
    case "dialog":
      return wanted.key === "Escape";
    case "editor":
      return false;
    case "text":
      return wanted.key === "Escape";
    case "graph":
      // Inside the graph the arrows follow edges, and Escape and the letters are offered to it first.
      return !wanted.key.startsWith("Arrow") && (wanted.ctrl || wanted.key.length > 1 || letterKeys);
    case "elsewhere":
      return wanted.ctrl || wanted.key.length > 1 || letterKeys;
  }
}

/** Whether a press asks for the same wherever the focus is, so that no editor may see it first: Monaco waits for a second key after Ctrl K. */
export const worksEverywhere = (press: Press): boolean =>
  commands.some(({ keys }) => keys.some((wanted) => wanted.everywhere && matches(wanted, press)));

/** The command that a key press asks for, or null. Keys of `where: "graph"` commands are the canvas's own. */
export function commandFor(press: Press, area: FocusArea, state: PlaygroundState): Command | null {
  return (
    commands.find(
      ({ keys, where, when }) =>
        where !== "graph" &&
        keys.some((wanted) => matches(wanted, press) && worksAt(wanted, area, state.letterKeys)) &&
        (when?.(state) ?? true),
    ) ?? null
  );
}
