/** @file Makes the one store: slices over the document, its history, the compiler's answers and the machine's. */
import { createStore } from "zustand/vanilla";
import { defaultOptions, type Compilation } from "../fusion";
import {
  decisionAt,
  findDecision,
  recordOf,
  writeDraft,
  type DecisionRef,
  type Document,
  type SharedView,
} from "../document";
import { allLessons } from "../lessons";
import { startAutosave, type Autosave } from "./storage/autosave";
import { courseSlice } from "./slices/course-slice";
import { storedProgress } from "./storage/course-progress";
import { choicesSlice } from "./slices/choices-slice";
import { readCopies } from "./storage/copies";
import { COMPILE_PAUSE_MILLIS, startCompiling, type Compiler } from "./compiling";
import { DRAFT_FILE, documentSlice } from "./slices/document-slice";
import { drawingSlice } from "./slices/drawing-slice";
import * as history from "./storage/history";
import { startLayout } from "./layout-sync";
import { goesToEnd, restingStep } from "./resting-step";
import { lookingSlice, steppingSlice } from "./slices/view-slice";
import { startPlanning } from "./planning";
import { importSlice } from "./slices/import-slice";
import { knobsSlice } from "./slices/knobs-slice";
import { roomSlice } from "./slices/room-slice";
import { runSlice, trainingSlice } from "./slices/run-slice";
import { lookedAnew, restored } from "./storage/shared-view";
import { notesSlice } from "./slices/notes-slice";
import { isSameProgram, selectIsEmpty } from "./selectors";
import { NO_GUESSES, predictSlice, selectReach } from "./slices/predict-slice";
import { isFirstVisit, storedPreferences, preferencesSlice } from "./slices/preferences-slice";
import { asideNotice } from "./runs/hand-texts";
import { leave, openDraft, type LastStep } from "./storage/draft";
import type { SliceContext, PlaygroundStore } from "./slices/slice-context";
import { whatIfSlice } from "./slices/what-if-slice";
import type { Actions, Origin, PlaygroundState } from "./types";
import { insideSlice } from "./slices/inside-slice";
import { worldsSlice } from "./worlds";
import { weightsStore } from "./storage/weights";
import { LOST } from "../workers";
import type { Environment } from "./environment";

/** The store and what its owner does with it. */
export interface Playground extends PlaygroundStore {
  /** Opens the kept draft, or the first example, and compiles it. Call once. */
  start(): void;
  /** Writes what waits to be saved; for pagehide. */
  flush(): void;
  dispose(): void;
}

const emptyDocument = (): Document => ({ text: "", positions: recordOf(), options: defaultOptions, example: null });

const initialState = (): Omit<PlaygroundState, "actions"> => ({
  document: emptyDocument(),
  derived: { revision: 0, status: "compiling", compilation: null, latest: null, layout: null, plans: new Map() },
  cursor: 0,
  playing: false,
  stepped: false,
  selection: { kind: "none" },
  hovered: null,
  kernel: null,
  tab: "wgsl",
  pane: "graph",
  theme: "system",
  shownTheme: "light",
  presenter: false,
  page: "playground",
  predict: false,
  guesses: NO_GUESSES,
  laptop: null,
  board: [],
  embed: false,
  fitsWhole: false,
  tour: null,
  toured: true,
  intro: null,
  inspector: false,
  presenterSide: "words",
  blanked: false,
  editAsked: null,
  folds: new Map(),
  camera: null,
  programs: 0,
  dialog: "none",
  dialogAbout: null,
  note: null,
  lessonTotals: new Map(),
  notice: null,
  saved: "saved",
  comparison: null,
  race: null,
  inside: null,
  earlier: null,
  canUndo: false,
  canRedo: false,
  device: null,
  deviceProblem: null,
  run: { status: "idle" },
  cpuCheck: null,
  importing: null,
  whatIf: null,
  sizes: null,
  savedSheet: null,
  timed: [],
  knobs: null,
  looks: null,
  sweep: null,
  training: null,
  previousWorks: [],
  revealed: null,
  letterKeys: true,
  memoryMiB: 512,
  planHere: true,
  lesson: null,
  courseProgress: new Map(),
  handChecks: new Map(),
});

/** A mistake keeps the text from being planned. A plan that is not what the text asserts is a plan all the same. */
const isBroken = ({ naive, diagnostics }: Compilation): boolean =>
  naive === null && diagnostics.some(({ severity }) => severity === "error");

/** A person's own work is kept when something replaces it; an untouched example is not. */
function isOwnWork({ text, positions, options, byHand }: Document): boolean {
  if (text.trim() === "") return false;
  const made = Object.keys({ ...positions, ...byHand }).length;
  const touched = made + options.forced.length + options.forbidden.length + (options.knobs ? 1 : 0) > 0;
  return touched || !allLessons.some((lesson) => lesson.text === text);
}

interface Parts {
  readonly environment: Environment;
  readonly store: PlaygroundStore;
  readonly autosave: Autosave;
  past: history.History;
  compiler: Compiler | null;
  /** What the next compilation's cursor is to show; "end" after something new was opened, "rest" for what opens by itself. */
  aim: DecisionRef | "naive" | "end" | "rest" | null;
  /** For the first compilation of the draft. */
  left: LastStep | null;
  /** The person asked for this tab to save. */
  takingOver: boolean;
  /** The page shows a link that nobody has edited: the draft stays as it is. */
  onlyLooking: boolean;
  /** The document came with the plan that somebody gave it: a link or a file. */
  isGiven: boolean;
}

function applyHistory(parts: Parts, next: history.History): void {
  const { store } = parts;
  const before = parts.past.present;
  parts.past = next;
  const document = next.present;
  store.setState({
    document,
    earlier: next.past.at(-1) ?? null,
    canUndo: next.past.length > 0,
    canRedo: next.future.length > 0,
  });
  if (document === before) return;
  if (!parts.onlyLooking) parts.autosave.later(document);
  if (document.text !== before.text || document.options !== before.options) {
    const typed = next.typedAt !== null;
    parts.compiler?.request(document.text, document.options, typed ? COMPILE_PAUSE_MILLIS : 0);
  }
}

/** The cursor after a recompilation: the end stays the end, a decision stays the decision. */
function cursorAfter(parts: Parts, next: Compilation): Partial<PlaygroundState> {
  const { cursor, derived, intro } = parts.store.getState();
  const { aim, left } = parts;
  parts.aim = parts.left = null;
  if (aim === "end" && left?.text === next.text) {
    const found = findDecision(next.steps, left.decision);
    if (found.isSame) return { cursor: found.cursor, stepped: true };
  }
  const steps = derived.compilation?.steps ?? [];
  if (aim === "rest") return { cursor: intro === "waiting" ? 0 : restingStep(next.steps), stepped: false };
  if (aim === "naive") return { cursor: 0, stepped: true };
  if (aim === "end") return { cursor: next.steps.length, stepped: false };
  if (aim === null && goesToEnd(steps, cursor, next.steps, intro !== null)) return { cursor: next.steps.length };
  const ref = aim ?? decisionAt(steps, cursor);
  if (!ref) return { cursor: 0 };
  const found = findDecision(next.steps, ref);
  return {
    cursor: found.cursor,
    ...(aim ? { stepped: true } : {}),
    ...(aim && found.notice ? { notice: { tone: "info" as const, text: found.notice } } : {}),
  };
}

function compiled(parts: Parts, revision: number, compilation: Compilation): void {
  const { derived } = parts.store.getState();
  if (isBroken(compilation) || !compilation.naive) {
    const status = isBroken(compilation) ? "broken" : "ready";
    const next = { ...derived, revision, status, latest: compilation } as const;
    // An empty program is a good one: what was planned before is gone with it.
    parts.store.setState({ derived: selectIsEmpty({ derived: next }) ? { ...next, compilation: null } : next });
    return;
  }
  // A program that was just opened comes with the kernel that its link shows.
  const kernel = parts.aim === null ? { kernel: null } : {};
  const moved = cursorAfter(parts, compilation);
  const notice = asideNotice(parts.store.getState(), compilation);
  parts.store.setState({
    ...moved,
    ...(notice ? { notice } : {}),
    derived: { ...derived, revision, status: "ready", compilation, latest: compilation },
    ...kernel,
  });
  // Predict first: another plan is covered again.
  const { predict, lesson, cursor } = parts.store.getState();
  const reach = selectReach(parts.store.getState());
  if (predict && !lesson && cursor > reach) parts.store.setState({ cursor: reach, stepped: true });
}

function deedsOf(parts: Parts): SliceContext {
  const { store, environment } = parts;
  const edit = (next: history.History): void => {
    parts.onlyLooking = false;
    if (store.getState().intro === "playing") store.setState({ intro: "resting", playing: false });
    if (!isSameProgram(parts.past.present.text, next.present.text)) store.setState(lookedAnew(store.getState()));
    applyHistory(parts, next);
  };
  return {
    environment,
    weights: weightsStore(environment.weightStorage),
    get: () => store.getState(),
    set: (change) => store.setState(change),
    until: (holds, signal) =>
      new Promise((resolve) => {
        if (holds(store.getState())) return resolve();
        const done = (): void => {
          stop();
          resolve();
        };
        const stop = store.subscribe((state) => holds(state) && done());
        signal.addEventListener("abort", done, { once: true });
      }),
    commit: (next) => edit(history.commit(parts.past, next)),
    type: (next) => edit(history.type(parts.past, next, environment.now())),
    pause: () => {
      parts.past = history.pause(parts.past);
    },
    undo: () => edit(history.undo(parts.past)),
    redo: () => edit(history.redo(parts.past)),
    replace(next, origin, inLesson = false) {
      const before = store.getState().document;
      const isLessons = before.text === store.getState().lesson?.program;
      if (!isLessons && isOwnWork(before) && before.text !== next.text) {
        parts.autosave.flush();
        parts.autosave.protect(writeDraft(before));
      }
      if (!inLesson) store.getState().actions.closeLesson(true);
      parts.aim ??= "end";
      parts.left = null;
      parts.onlyLooking = origin === "link";
      parts.isGiven = origin !== "example";
      const intro = store.getState().intro !== null && origin !== "link" ? "resting" : null;
      // What was said of the program before, and asks for nothing, goes with it.
      const { notice } = store.getState();
      const said = notice?.action ? notice : null;
      store.setState({
        ...lookedAnew(store.getState()),
        page: "playground",
        kernel: null,
        playing: false,
        intro,
        notice: said,
      });
      applyHistory(parts, history.commit(parts.past, next));
    },
    isGiven: () => parts.isGiven,
    flush: () => parts.autosave.flush(),
    cancelCompile: () => parts.compiler?.cancel(),
  };
}

function openingSlice(
  parts: Parts,
  context: SliceContext,
): Pick<Actions, "openDocument" | "cancelCompile" | "followNotice"> {
  return {
    openDocument(document: Document, decision: DecisionRef | null, origin: Origin, view?: SharedView) {
      parts.aim = decision ?? (view?.naive ? "naive" : "end");
      context.replace(document, origin, view?.lesson !== undefined);
      if (view) context.set(restored(view));
    },
    cancelCompile: () => context.cancelCompile(),
    followNotice(which = 0) {
      const { notice, actions } = context.get();
      const action = which > 0 ? notice?.others?.[which - 1] : notice?.action;
      const kind = action?.kind;
      context.set({ notice: null });
      if (kind === "reload") context.environment.reload();
      if (kind === "open-draft" && action?.document) context.replace(action.document, "option");
      else if (kind === "open-draft") actions.openPrevious(0);
      if (kind === "download-copy")
        context.environment.download(DRAFT_FILE, context.get().previousWorks[0]?.draft ?? "");
      if (kind === "take-over") {
        parts.takingOver = true;
        context.environment.draftOwner.takeOver();
      }
      if (kind === "retry") void actions.runBoth();
      if (kind === "run-anyway") void actions.runBoth(true, action?.only);
      if (kind === "plan-as-before") actions.setProfile(defaultOptions.profile);
      if (kind === "run-fused") void actions.runBoth(false, "fused");
      if (kind === "allow-memory" && action?.amount) {
        actions.setMemory(action.amount);
        void actions.runBoth(false, action.only);
      }
      if (kind === "use-size" && action?.constant !== undefined && action.amount !== undefined)
        void actions.setConstant(action.constant, action.amount).then(() => actions.runBoth());
    },
  };
}

const plannerFailed = (text: string): string =>
  `The planner failed on this program: ${text.replace(/\.$/, "")}. The last plan is shown. Share the link to report it.`;

function listen(parts: Parts): void {
  const { store, environment } = parts;
  const layout = startLayout(environment, (laid) => {
    store.setState({ derived: { ...store.getState().derived, layout: laid } });
  });
  const planner = startPlanning(environment, (plans) => {
    store.setState({ derived: { ...store.getState().derived, plans } });
  });
  store.subscribe(({ derived, cursor }, before) => {
    if (derived.compilation !== before.derived.compilation || cursor !== before.cursor) {
      planner.follow(derived.compilation, cursor);
    }
  });
  parts.compiler = startCompiling(environment, {
    started: () => {
      const { derived } = store.getState();
      if (derived.status !== "compiling") store.setState({ derived: { ...derived, status: "compiling" } });
    },
    done: (revision, compilation) => {
      compiled(parts, revision, compilation);
      if (!isBroken(compilation)) layout.request(compilation);
    },
    failed: (revision, text) => {
      const { derived } = store.getState();
      store.setState({
        derived: { ...derived, revision, status: derived.latest && isBroken(derived.latest) ? "broken" : "ready" },
        notice:
          text === null
            ? { tone: "warn", text: "Planning was stopped. Showing the last plan." }
            : text === LOST
              ? { tone: "no", text, action: { label: "Reload", kind: "reload" } }
              : { tone: "no", text: plannerFailed(text) },
      });
    },
  });
  environment.session.listen((problem) => {
    store.setState({
      deviceProblem: problem,
      device: null,
      notice: {
        tone: "no",
        text: problem.text,
        action: problem.reload ? { label: "Reload the page", kind: "reload" } : { label: "Run again", kind: "retry" },
      },
    });
  });
}

/** One tab saves the draft; what another one does is saved as a copy, until its person says otherwise. */
function followOwner(parts: Parts): void {
  const { environment, store, autosave } = parts;
  const saveHere = { label: "Save here instead", kind: "take-over" } as const;
  environment.draftOwner.follow(
    (owner) => {
      if (!owner) {
        autosave.own(false);
        const text = "Another tab saves the draft. Changes in this one are saved as a copy.";
        if (!store.getState().notice) store.setState({ notice: { tone: "info", text, action: saveHere } });
        return;
      }
      if (!parts.takingOver) return autosave.own(true);
      parts.takingOver = false;
      parts.onlyLooking = false;
      autosave.takeOver(store.getState().document);
      const text = "This tab saves the draft now. What the other tab saved is among the copies.";
      store.setState({ notice: { tone: "info", text } });
    },
    () => autosave.flush(),
  );
}

/** The store, with its outside environment passed in. Nothing starts before `start`. */
export function createPlayground(environment: Environment, embed = false): Playground {
  const store = createStore<PlaygroundState>()(() => ({ ...initialState(), embed, actions: {} as Actions }));
  const autosave = startAutosave({
    storage: environment.storage,
    now: () => environment.now(),
    report: (saved) => {
      if (store.getState().saved !== saved) store.setState({ saved });
    },
    copied: () => store.setState({ previousWorks: readCopies(environment.storage) }),
  });
  const past = history.startHistory(store.getState().document);
  const parts: Parts = {
    environment,
    store,
    autosave,
    past,
    compiler: null,
    aim: "end",
    takingOver: false,
    onlyLooking: false,
    isGiven: false,
    left: null,
  };
  const context = deedsOf(parts);
  const actions: Actions = {
    ...documentSlice(context),
    ...drawingSlice(context),
    ...steppingSlice(context),
    ...lookingSlice(context),
    ...choicesSlice(context),
    ...whatIfSlice(context),
    ...worldsSlice(context),
    ...insideSlice(context),
    ...notesSlice(context),
    ...courseSlice(context),
    ...knobsSlice(context),
    ...trainingSlice(context),
    ...roomSlice(context),
    ...runSlice(context),
    ...predictSlice(context),
    ...preferencesSlice(context),
    ...importSlice(context),
    ...openingSlice(parts, context),
  };
  store.setState({ actions });
  return {
    ...store,
    start() {
      environment.compileWorker.warm();
      environment.layoutWorker.warm();
      listen(parts);
      const { document, notice, left } = openDraft(autosave);
      parts.left = left;
      if (!embed && autosave.found === null) {
        parts.aim = "rest";
        if (isFirstVisit(environment)) store.setState({ intro: "waiting" });
      }
      parts.past = history.startHistory(document);
      store.setState({
        document,
        notice,
        previousWorks: readCopies(environment.storage),
        ...storedPreferences(environment),
        courseProgress: storedProgress(environment),
      });
      followOwner(parts);
      environment.followDark(() => {
        const { theme, presenter } = store.getState();
        // The presenter stays as light as it is on a projector.
        if (theme === "system" && !presenter)
          store.setState({ shownTheme: environment.prefersDark() ? "dark" : "light" });
      });
      parts.compiler?.request(document.text, document.options, 0);
      void store.getState().actions.judgeKept();
    },
    flush() {
      if (parts.onlyLooking) autosave.flush();
      else leave(autosave, store.getState());
    },
    dispose() {
      autosave.flush();
      parts.compiler?.dispose();
      environment.checkWorker.end();
      environment.layoutWorker.end();
    },
  };
}
