/** @file Where the person looks: the cursor over the steps, selection, panes, theme. Nothing here is undoable. */
import type { Step } from "../fusion";
import type { SliceContext, Slice } from "./slice-context";

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

const stepsOf = (context: SliceContext): readonly Step[] => context.get().derived.compilation?.steps ?? [];

/** Advances the cursor on a timer until the last step. */
function player(context: SliceContext): { toggle(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    if (context.get().playing) context.set({ playing: false });
  };
  const hold = (): void => {
    clearTimeout(timer);
    const { cursor } = context.get();
    const shown = stepsOf(context)[cursor - 1];
    timer = setTimeout(advance, shown && !shown.accepted ? REFUSED_MILLIS : ACCEPTED_MILLIS);
  };
  const advance = (): void => {
    const { cursor, playing } = context.get();
    // Another program was opened meanwhile.
    if (!playing) return;
    const last = stepsOf(context).length;
    if (cursor < last) context.set({ cursor: cursor + 1, selection: { kind: "none" } });
    if (cursor + 1 >= last) stop();
    else hold();
  };
  return {
    stop,
    toggle() {
      if (context.get().playing) {
        stop();
        return;
      }
      const last = stepsOf(context).length;
      if (last === 0) return;
      context.set({ playing: true, ...(context.get().cursor >= last ? { cursor: 0 } : {}) });
      hold();
    },
  };
}

type Stepping = "stepTo" | "stepForward" | "stepBack" | "nextPass" | "nextRefusal" | "togglePlay";

export const steppingSlice: Slice<Stepping> = (context) => {
  const play = player(context);
  const stepTo = (cursor: number): void => {
    play.stop();
    const next = Math.min(Math.max(Math.trunc(cursor), 0), stepsOf(context).length);
    // The card shows the step's own candidate, so an edge chosen before gives way.
    const selection = context.get().selection.kind === "edge" ? { selection: { kind: "none" } as const } : {};
    context.set({ cursor: next, ...selection });
  };
  return {
    stepTo,
    stepForward: () => stepTo(context.get().cursor + 1),
    stepBack: () => stepTo(context.get().cursor - 1),
    nextPass: (direction) => stepTo(passCursor(stepsOf(context), context.get().cursor, direction)),
    nextRefusal() {
      const cursor = refusalCursor(stepsOf(context), context.get().cursor);
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

export const lookingSlice: Slice<Looking> = (context) => ({
  select: (selection) => context.set({ selection, kernel: null }),
  hover(id) {
    if (id !== context.get().hovered) context.set({ hovered: id });
  },
  showKernel: (kernel) => context.set({ kernel }),
  showTab: (tab) => context.set({ tab }),
  showPane: (pane) => context.set({ pane }),
  togglePresenter: () => context.set({ presenter: !context.get().presenter, presenterSide: "words", blanked: false }),
  toggleFold(id) {
    const folded = new Set(context.get().folded);
    if (!folded.delete(id)) folded.add(id);
    context.set({ folded });
  },
  openDialog: (dialog) => context.set({ dialog }),
  dismissNotice: () => context.set({ notice: null }),
  revealSpan: (span) => context.set({ revealed: { from: span.from, to: span.to }, pane: "text" }),
  blank: (blanked) => context.set({ blanked }),
  showSide(presenterSide) {
    const { tab } = context.get();
    const shown = presenterSide === "wgsl" || presenterSide === "traffic" ? presenterSide : tab;
    context.set({ presenterSide, tab: shown });
  },
});
