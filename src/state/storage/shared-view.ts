/** @file What a link holds of where a person looks, and what it restores on another machine. */
import { nodeId } from "../../fusion";
import { decisionAt, pillTarget, type SharedState, type SharedView } from "../../document";
import type { PlaygroundState, Selection } from "../types";

type Looked = Pick<PlaygroundState, "selection" | "folds" | "camera" | "programs">;

/** What another program begins with: what was chosen in one is not what has its name in the next. */
export const lookedAnew = ({ programs }: PlaygroundState): Looked => ({
  selection: { kind: "none" },
  folds: new Map(),
  camera: null,
  programs: programs + 1,
});

/** Where the person looks, small: what the page would choose by itself is left out. */
function viewOf(state: PlaygroundState): SharedView {
  const { tab, pane, inspector, kernel, selection, folds, camera, lesson, cursor, derived, comparison, race, inside } =
    state;
  const by = (fold: "open" | "closed"): string[] => [...folds].filter(([, at]) => at === fold).map(([id]) => id);
  const [opened, closed] = [by("open"), by("closed")];
  return {
    version: 1,
    tab,
    pane,
    inspector,
    ...(kernel === null ? {} : { kernel }),
    ...(selection.kind === "none" ? {} : { selection: { kind: selection.kind, id: selection.id } }),
    ...(opened.length > 0 ? { opened } : {}),
    ...(closed.length > 0 ? { closed } : {}),
    ...(camera ? { camera } : {}),
    ...(cursor === 0 && (derived.compilation?.steps.length ?? 0) > 0 ? { naive: true } : {}),
    ...(comparison ? { compare: comparison } : {}),
    ...(race ? { race } : {}),
    ...(inside ? { inside } : {}),
    ...(lesson ? { lesson: { id: lesson.content.id, step: lesson.step } } : {}),
  };
}

/** What Share encodes: the document, without positions of nodes that are gone, the shown decision, and where one looks. */
export function sharedState(state: PlaygroundState): SharedState {
  const { document, derived, cursor } = state;
  const known = derived.latest?.drawn.nodes;
  const positions = Object.fromEntries(
    Object.entries(document.positions).filter(([id]) => !known || known.has(pillTarget(id) ?? nodeId(id))),
  );
  const steps = derived.compilation?.steps ?? [];
  return { version: 1, document: { ...document, positions }, decision: decisionAt(steps, cursor), view: viewOf(state) };
}

/** For where no lesson is opened. */
export function withoutLesson(view: SharedView): SharedView {
  const { lesson: _, pane, ...rest } = view;
  return { ...rest, ...(pane && pane !== "lesson" ? { pane } : {}) };
}

/** The state's parts that a link's view says; what it leaves out stays as it is. Its lesson is opened apart. */
export function restored(view: SharedView): Partial<PlaygroundState> {
  const { tab, pane, inspector, kernel, selection, opened = [], closed = [], camera, compare, race, inside } = view;
  const folds = [...opened.map((id) => [id, "open"] as const), ...closed.map((id) => [id, "closed"] as const)];
  return {
    ...(tab ? { tab } : {}),
    ...(pane ? { pane } : {}),
    ...(inspector === undefined ? {} : { inspector }),
    ...(kernel === undefined ? {} : { kernel }),
    // Identities of what is gone select nothing.
    ...(selection ? { selection: selection as Selection } : {}),
    folds: new Map(folds),
    camera: camera ?? null,
    comparison: compare ?? null,
    race: race ?? null,
    inside: inside ?? null,
  };
}
