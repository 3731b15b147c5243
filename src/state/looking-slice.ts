/** @file Where the person looks: the cursor over the steps, selection, panes, theme. Nothing here is undoable. */
import type { Step } from "../fusion";
import type { Deeds, Slice } from "./slice";

/** Play holds an accepted step this long, and a refused one longer, since there is a reason to read. */
export const ACCEPTED_MILLIS = 900;
export const REFUSED_MILLIS = 1400;

/** The cursor that shows the first step of the next or previous pass; 0 or the end when there is none. */
export function passCursor(steps: readonly Step[], cursor: number, direction: 1 | -1): number {
  const starts = steps.flatMap((step, i) => (step.pass === steps[i - 1]?.pass ? [] : [i + 1]));
  return direction === 1
    ? (starts.find((start) => start > cursor) ?? steps.length)
    : (starts.findLast((start) => start < cursor) ?? 0);
}

/** The cursor of the next refused step, from the beginning again after the last one; null when none is refused. */
export function refusalCursor(steps: readonly Step[], cursor: number): number | null {
  const later = steps.findIndex((step, i) => i >= cursor && !step.accepted);
  if (later !== -1) return later + 1;
  const first = steps.findIndex((step) => !step.accepted);
  return first === -1 ? null : first + 1;
}

const stepsOf = (deeds: Deeds): readonly Step[] => deeds.get().derived.compilation?.steps ?? [];

/** Advances the cursor on a timer until the last step. */
function player(deeds: Deeds): { toggle(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    if (deeds.get().playing) deeds.set({ playing: false });
  };
  const hold = (): void => {
    clearTimeout(timer);
    const { cursor } = deeds.get();
    const shown = stepsOf(deeds)[cursor - 1];
    timer = setTimeout(advance, shown && !shown.accepted ? REFUSED_MILLIS : ACCEPTED_MILLIS);
  };
  const advance = (): void => {
    const { cursor, playing } = deeds.get();
    // Another program was opened meanwhile.
    if (!playing) return;
    const last = stepsOf(deeds).length;
    if (cursor < last) deeds.set({ cursor: cursor + 1, selection: { kind: "none" } });
    if (cursor + 1 >= last) stop();
    else hold();
  };
  return {
    stop,
    toggle() {
      if (deeds.get().playing) {
        stop();
        return;
      }
      const last = stepsOf(deeds).length;
      if (last === 0) return;
      deeds.set({ playing: true, ...(deeds.get().cursor >= last ? { cursor: 0 } : {}) });
      hold();
    },
  };
}

type Stepping = "stepTo" | "stepForward" | "stepBack" | "nextPass" | "nextRefusal" | "togglePlay";

export const steppingSlice: Slice<Stepping> = (deeds) => {
  const play = player(deeds);
  const stepTo = (cursor: number): void => {
    play.stop();
    const next = Math.min(Math.max(Math.trunc(cursor), 0), stepsOf(deeds).length);
    // The card shows the step's own candidate, so an edge chosen before gives way.
    const selection = deeds.get().selection.kind === "edge" ? { selection: { kind: "none" } as const } : {};
    deeds.set({ cursor: next, ...selection });
  };
  return {
    stepTo,
    stepForward: () => stepTo(deeds.get().cursor + 1),
    stepBack: () => stepTo(deeds.get().cursor - 1),
    nextPass: (direction) => stepTo(passCursor(stepsOf(deeds), deeds.get().cursor, direction)),
    nextRefusal() {
      const cursor = refusalCursor(stepsOf(deeds), deeds.get().cursor);
      if (cursor !== null) stepTo(cursor);
    },
    togglePlay: () => play.toggle(),
  };
};

type Looking =
  | "select"
  | "hover"
  | "showKernel"
  | "showTab"
  | "showPane"
  | "togglePresenter"
  | "toggleFold"
  | "openDialog"
  | "dismissNotice"
  | "revealSpan"
  | "blank"
  | "showSide";

export const lookingSlice: Slice<Looking> = (deeds) => ({
  select: (selection) => deeds.set({ selection, kernel: null }),
  hover(id) {
    if (id !== deeds.get().hovered) deeds.set({ hovered: id });
  },
  showKernel: (kernel) => deeds.set({ kernel }),
  showTab: (tab) => deeds.set({ tab }),
  showPane: (pane) => deeds.set({ pane }),
  togglePresenter: () => deeds.set({ presenter: !deeds.get().presenter, presenterSide: "words", blanked: false }),
  toggleFold(id) {
    const folded = new Set(deeds.get().folded);
    if (!folded.delete(id)) folded.add(id);
    deeds.set({ folded });
  },
  openDialog: (dialog) => deeds.set({ dialog }),
  dismissNotice: () => deeds.set({ notice: null }),
  revealSpan: (span) => deeds.set({ revealed: { from: span.from, to: span.to }, pane: "text" }),
  blank: (blanked) => deeds.set({ blanked }),
  showSide(presenterSide) {
    const { tab } = deeds.get();
    const shown = presenterSide === "wgsl" || presenterSide === "traffic" ? presenterSide : tab;
    deeds.set({ presenterSide, tab: shown });
  },
});
