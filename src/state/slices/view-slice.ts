/** @file Where the person looks: the cursor over the steps, selection, panes, theme. Nothing here is undoable. */
import type { Step } from "../../fusion";
import { markVisit } from "./preferences-slice";
import { selectReach } from "./predict-slice";
import { restingStep } from "../resting-step";
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

/** How long the first visit takes from naive to fused. */
export const INTRO_MILLIS = 6000;

/** How a play goes on: ms that a step is shown, and what happens after the last. */
interface Pace {
  readonly hold: (shown: Step | undefined) => number;
  readonly end: () => void;
}

const reading: Pace = {
  hold: (shown) => (shown && !shown.accepted ? REFUSED_MILLIS : ACCEPTED_MILLIS),
  end: () => {},
};

/** Advances the cursor on a timer until the last step. */
function player(context: SliceContext): { toggle(): void; stop(): void; play(from: number, pace: Pace): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    if (context.get().playing) context.set({ playing: false });
  };
  const hold = (pace: Pace): void => {
    clearTimeout(timer);
    timer = setTimeout(() => advance(pace), pace.hold(stepsOf(context)[context.get().cursor - 1]));
  };
  const advance = (pace: Pace): void => {
    const { cursor, playing } = context.get();
    // Another program was opened meanwhile.
    if (!playing) return;
    const last = stepsOf(context).length;
    if (cursor < last) context.set({ cursor: cursor + 1, stepped: true, selection: { kind: "none" } });
    if (cursor + 1 < last) return hold(pace);
    stop();
    pace.end();
  };
  const play = (from: number, pace: Pace): void => {
    context.set({ playing: true, cursor: from });
    hold(pace);
  };
  return {
    stop,
    play,
    toggle() {
      if (context.get().playing) {
        stop();
        return;
      }
      const last = stepsOf(context).length;
      if (selectReach(context.get()) < last) return;
      const { cursor } = context.get();
      if (last > 0) play(cursor >= last ? 0 : cursor, reading);
    },
  };
}

type Stepping =
  | "stepTo"
  | "stepForward"
  | "stepBack"
  | "nextPass"
  | "nextRefusal"
  | "togglePlay"
  | "playIntro"
  | "skipIntro"
  | "closeIntro";

export const steppingSlice: Slice<Stepping> = (context) => {
  const play = player(context);
  const stepTo = (cursor: number): void => {
    play.stop();
    if (context.get().intro === "playing") context.set({ intro: "resting" });
    const next = Math.min(Math.max(Math.trunc(cursor), 0), selectReach(context.get()));
    const { notice } = context.get();
    // The numbers come back: who goes on has read what stands in their place and asks for nothing.
    if (notice?.tone === "info" && !notice.action) context.set({ notice: null });
    // Card and code show the step's own candidate, so what was chosen before gives way, as where it plays.
    context.set({ cursor: next, stepped: true, selection: { kind: "none" } });
  };
  const rest = (): void => {
    markVisit(context.environment);
    play.stop();
    context.set({ intro: "resting", cursor: restingStep(stepsOf(context)), selection: { kind: "none" } });
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
    togglePlay() {
      if (context.get().intro === "playing") rest();
      else play.toggle();
    },
    playIntro(still) {
      const last = stepsOf(context).length;
      if (still || last === 0) return rest();
      markVisit(context.environment);
      context.set({ intro: "playing" });
      // The naive plan and the fused one are states to look at, too.
      const each = INTRO_MILLIS / (last + 1);
      const end = (): void => void setTimeout(() => context.get().intro === "playing" && rest(), each);
      play.play(0, { hold: () => each, end });
    },
    skipIntro: rest,
    closeIntro: () => context.set({ intro: null }),
  };
};

type Looking =
  | "select"
  | "hover"
  | "showKernel"
  | "showTab"
  | "showPane"
  | "togglePresenter"
  | "setFold"
  | "lookAt"
  | "openDialog"
  | "dismissNotice"
  | "revealSpan"
  | "blank"
  | "askEdit"
  | "showSide";

export const lookingSlice: Slice<Looking> = (context) => ({
  // Who asks for a kernel wants to see it.
  select: (selection) =>
    context.set({ selection, kernel: null, ...(selection.kind === "region" ? { inspector: true } : {}) }),
  hover(id) {
    if (id !== context.get().hovered) context.set({ hovered: id });
  },
  showKernel: (kernel) => context.set({ kernel, ...(kernel === null ? {} : { inspector: true }) }),
  showTab: (tab) => context.set({ tab, inspector: true }),
  showPane: (pane) => context.set({ pane }),
  togglePresenter() {
    const presenter = !context.get().presenter;
    context.set({ page: "playground", presenter, presenterSide: "words", blanked: false });
    // A projector lifts black: light, unless the person chose a theme.
    if (context.get().theme !== "system") return;
    context.set({ shownTheme: !presenter && context.environment.prefersDark() ? "dark" : "light" });
  },
  setFold: (id, fold) => context.set({ folds: new Map(context.get().folds).set(id, fold) }),
  lookAt: (camera) => context.set({ camera }),
  openDialog: (dialog, about) => context.set({ dialog, dialogAbout: about ?? null }),
  dismissNotice: () => context.set({ notice: null }),
  revealSpan: (span) => context.set({ revealed: { from: span.from, to: span.to }, pane: "text" }),
  blank: (blanked) => context.set({ blanked }),
  askEdit: (editAsked) => context.set({ editAsked }),
  showSide(presenterSide) {
    const { tab } = context.get();
    const shown = presenterSide === "wgsl" || presenterSide === "traffic" ? presenterSide : tab;
    context.set({ presenterSide, tab: shown });
  },
});
