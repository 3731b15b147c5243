/** @file Every command once: keys, the Find-or-do palette and the sheet of keys are drawn from this list. */
import { decidedEdge, defaultOptions, type EdgeId } from "../fusion";
import { findExample, optionsFor } from "../lessons";
import { selectIsCovered } from "./slices/predict-slice";
import { selectPlan, selectStep } from "./selectors";
import type { PlaygroundState } from "./types";

export interface Key {
  /** `KeyboardEvent.key`; letters in lower case. */
  readonly key: string;
  readonly ctrl?: boolean;
  readonly shift?: boolean;
  /** Works in the editor, in fields and in dialogs too. */
  readonly everywhere?: boolean;
}

export interface Command {
  readonly id: string;
  /** A verb and its object. */
  readonly title: string;
  readonly group: "Steps" | "Run" | "Graph" | "Look" | "Edit" | "Page";
  readonly keys: readonly Key[];
  /**
   * `graph`: the canvas handles its key, on the focused op or edge; the sheet lists it. `presenter`: in that view its
   * key means this, whatever it means elsewhere.
   */
  readonly where?: "graph" | "presenter";
  readonly when?: (state: PlaygroundState) => boolean;
  /** A key that is held down asks for it again and again; the others act once. */
  readonly repeats?: boolean;
  readonly run: (state: PlaygroundState) => void;
}

const key = (name: string): Key => ({ key: name });
const ctrl = (name: string, shift = false): Key => ({ key: name, ctrl: true, shift });
const hasSteps = ({ derived }: PlaygroundState): boolean => (derived.compilation?.steps.length ?? 0) > 0;
const hasKernels = (state: PlaygroundState): boolean => (selectPlan(state)?.kernels.length ?? 0) > 0;
const nothing = (): void => undefined;

/** A step of the shown program replaces something. */
export const trains = ({ derived }: PlaygroundState): boolean => (derived.compilation?.updates.length ?? 0) > 0;

/** The edge that F and X act on: the selected one, else the shown decision's. */
export const chosenEdge = (state: PlaygroundState): EdgeId | null =>
  state.selection.kind === "edge" ? state.selection.id : decidedEdge(selectStep(state));

const steps: readonly Command[] = [
  {
    id: "step-forward",
    title: "Next step",
    group: "Steps",
    keys: [key("ArrowRight"), key("j")],
    repeats: true,
    when: hasSteps,
    run: ({ actions }) => actions.stepForward(),
  },
  {
    id: "step-back",
    title: "Previous step",
    group: "Steps",
    keys: [key("ArrowLeft"), key("k")],
    repeats: true,
    when: hasSteps,
    run: ({ actions }) => actions.stepBack(),
  },
  {
    id: "next-pass",
    title: "Next pass",
    group: "Steps",
    keys: [key("n")],
    repeats: true,
    when: hasSteps,
    run: ({ actions }) => actions.nextPass(1),
  },
  {
    id: "previous-pass",
    title: "Previous pass",
    group: "Steps",
    keys: [key("p")],
    repeats: true,
    when: hasSteps,
    run: ({ actions }) => actions.nextPass(-1),
  },
  {
    id: "next-refusal",
    title: "Next refusal",
    group: "Steps",
    keys: [{ key: "ArrowRight", shift: true }],
    repeats: true,
    when: hasSteps,
    run: ({ actions }) => actions.nextRefusal(),
  },
  {
    id: "naive",
    title: "Show the naive plan",
    group: "Steps",
    keys: [key("Home")],
    when: hasSteps,
    run: ({ actions }) => actions.stepTo(0),
  },
  {
    id: "final",
    title: "Show the final plan",
    group: "Steps",
    keys: [key("End")],
    when: hasSteps,
    run: ({ actions, derived }) => actions.stepTo(derived.compilation?.steps.length ?? 0),
  },
  {
    id: "play",
    title: "Play or pause",
    group: "Steps",
    keys: [key(".")],
    when: hasSteps,
    run: ({ actions }) => actions.togglePlay(),
  },
];

const running: readonly Command[] = [
  {
    id: "run",
    title: "Run both plans, or cancel the run",
    group: "Run",
    keys: [{ ...ctrl("Enter"), everywhere: true }],
    run: ({ actions, run }) => (run.status === "running" ? actions.cancelRun() : void actions.runBoth()),
  },
  {
    id: "cpu",
    title: "Compute the results on the CPU",
    group: "Run",
    keys: [],
    run: ({ actions }) => void actions.runOnCpu(),
  },
];

/** An edit of the op whose card is open, as its button does it; on the canvas its key means the op in focus. */
const editOf = (edit: "connect" | "remove", title: string, name: string): Command => ({
  id: edit,
  title,
  group: "Graph",
  keys: [key(name)],
  when: ({ selection, presenter }) => selection.kind === "node" && !presenter,
  run({ actions, selection }) {
    if (selection.kind === "node") actions.askEdit({ edit, id: selection.id });
  },
});

const graph: readonly Command[] = [
  {
    id: "add-op",
    title: "Add an op",
    group: "Graph",
    keys: [key("a")],
    when: ({ presenter, embed }) => !presenter && !embed,
    run({ actions }) {
      actions.showPane("graph");
      actions.askEdit({ edit: "add" });
    },
  },
  editOf("connect", "Connect the selected op", "c"),
  { id: "fold", title: "Fold or unfold", group: "Graph", keys: [key(" ")], where: "graph", run: nothing },
  {
    id: "card",
    title: "Open the card of the focused op or edge",
    group: "Graph",
    keys: [key("Enter")],
    where: "graph",
    run: nothing,
  },
  editOf("remove", "Remove the selected op, leaving ...", "Delete"),
  { id: "move", title: "Move the focused op (Alt and arrows)", group: "Graph", keys: [], where: "graph", run: nothing },
  {
    id: "force",
    title: "Fuse anyway",
    group: "Graph",
    keys: [key("f")],
    when: (state) => chosenEdge(state) !== null,
    run: (state) => {
      const edge = chosenEdge(state);
      if (edge) state.actions.force(edge);
    },
  },
  {
    id: "forbid",
    title: "Forbid this fusion",
    group: "Graph",
    keys: [key("x")],
    when: (state) => chosenEdge(state) !== null,
    run: (state) => {
      const edge = chosenEdge(state);
      if (edge) state.actions.forbid(edge);
    },
  },
  {
    id: "release",
    title: "Let the planner decide again",
    group: "Graph",
    keys: [],
    when: (state) => {
      const edge = chosenEdge(state);
      const { forced, forbidden } = state.document.options;
      return edge !== null && (forced.includes(edge) || forbidden.includes(edge));
    },
    run: (state) => {
      const edge = chosenEdge(state);
      if (edge) state.actions.release(edge);
    },
  },
];

const tabs = [
  ["1", "wgsl", "WGSL"],
  ["2", "loops", "loops"],
  ["3", "decisions", "decisions"],
  ["4", "traffic", "traffic"],
  ["5", "memory", "memory over time"],
  ["6", "values", "values"],
] as const;

const sides = [
  ["1", "wgsl", "WGSL"],
  ["2", "traffic", "traffic"],
  ["3", "time", "times"],
  ["4", "roofline", "the roofline"],
] as const;

const presenting: readonly Command[] = [
  ...sides.map(([digit, side, title]): Command => ({
    id: `side-${side}`,
    title: `Presenter view: ${title} beside the graph`,
    group: "Look",
    keys: [key(digit)],
    where: "presenter",
    when: ({ presenter }) => presenter,
    run: ({ actions, presenterSide }) => actions.showSide(presenterSide === side ? "words" : side),
  })),
  {
    id: "blank",
    title: "Presenter view: blank the screen",
    group: "Look",
    keys: [key("b")],
    where: "presenter",
    when: ({ presenter }) => presenter,
    run: ({ actions, blanked }) => actions.blank(!blanked),
  },
];

const looking: readonly Command[] = [
  ...presenting,
  ...tabs.map(([digit, tab, title]): Command => ({
    id: `tab-${tab}`,
    title: `Show ${title}`,
    group: "Look",
    keys: [key(digit)],
    run({ actions }) {
      actions.showTab(tab);
      actions.showPane("kernels");
    },
  })),
  {
    id: "what-if",
    title: "Ask what if",
    group: "Look",
    keys: [],
    when: hasSteps,
    run({ actions }) {
      actions.showTab("decisions");
      actions.showPane("kernels");
      actions.openWhatIf();
    },
  },
  {
    id: "roofline",
    title: "Show the roofline",
    group: "Look",
    keys: [],
    run: ({ actions }) => actions.openNote("roofline"),
  },
  {
    id: "compare",
    title: "Compare two plans",
    group: "Look",
    keys: [key("=")],
    when: (state) => hasKernels(state) && !selectIsCovered(state),
    run: ({ actions }) => actions.compare({ worlds: [{ change: {}, at: 0 }, { change: {} }] }),
  },
  {
    id: "race",
    title: "Race naive against fused",
    group: "Look",
    keys: [key("r")],
    when: (state) => hasKernels(state) && !selectIsCovered(state),
    run: ({ actions }) => actions.race({}),
  },
  {
    id: "inside",
    title: "Look inside the shown kernel",
    group: "Look",
    keys: [key("i")],
    when: (state) => hasKernels(state) && !selectIsCovered(state),
    run: ({ actions }) => actions.lookInside({}),
  },
  {
    id: "presenter",
    title: "Presenter view",
    group: "Look",
    keys: [key("v")],
    run: ({ actions }) => actions.togglePresenter(),
  },
  {
    id: "predict",
    title: "Predict first, on or off",
    group: "Look",
    keys: [key("g")],
    run: ({ actions }) => actions.togglePredict(),
  },
  {
    id: "theme",
    title: "Switch between light and dark",
    group: "Look",
    keys: [],
    run: ({ actions, shownTheme }) => actions.setTheme(shownTheme === "dark" ? "light" : "dark"),
  },
];

const editing: readonly Command[] = [
  {
    id: "undo",
    title: "Undo",
    group: "Edit",
    keys: [ctrl("z")],
    repeats: true,
    when: ({ canUndo }) => canUndo,
    run: ({ actions }) => actions.undo(),
  },
  {
    id: "redo",
    title: "Redo",
    group: "Edit",
    keys: [ctrl("z", true), ctrl("y")],
    repeats: true,
    when: ({ canRedo }) => canRedo,
    run: ({ actions }) => actions.redo(),
  },
  {
    id: "add-input",
    title: "Add an input",
    group: "Edit",
    keys: [],
    run: ({ actions }) => void actions.addInput(null),
  },
];

/** A dialog by its own name. */
const opens = (id: Exclude<PlaygroundState["dialog"], "none">, title: string, keys: readonly Key[] = []): Command => ({
  id,
  title,
  group: "Page",
  keys,
  run: ({ actions }) => actions.openDialog(id),
});

/** A page of the room. */
const goesTo = (id: PlaygroundState["page"], title: string): Command => ({
  id,
  title,
  group: "Page",
  keys: [],
  run: ({ actions }) => actions.showPage(id),
});

const page: readonly Command[] = [
  opens("find", "Find or do", [
    { ...ctrl("k"), everywhere: true },
    { key: "F1", everywhere: true },
  ]),
  {
    id: "new",
    title: "New program",
    group: "Page",
    keys: [],
    // What was open before is kept as earlier work; of its options only a machine that the person chose goes along.
    run({ actions, document }) {
      const { profile } = optionsFor(null, document.options, findExample(document.example), defaultOptions);
      const options = { ...defaultOptions, profile };
      actions.openDocument({ text: "", positions: {}, options, example: null }, null, "link");
    },
  },
  opens("earlier", "Earlier work, start afresh"),
  opens("share", "Share"),
  {
    id: "train",
    title: "Train the program",
    group: "Run",
    keys: [],
    when: trains,
    run: ({ actions }) => actions.openDialog("train"),
  },
  opens("options", "Planning options"),
  opens("course", "Lessons and puzzles", [key("l")]),
  goesTo("check", "Check this laptop"),
  goesTo("board", "Class board"),
  goesTo("teach", "For teachers: plans, answers, handouts"),
  {
    id: "close-lesson",
    title: "Close the lesson",
    group: "Page",
    keys: [],
    when: ({ lesson }) => lesson !== null,
    run: ({ actions }) => actions.closeLesson(),
  },
  {
    id: "tour",
    title: "Take the tour",
    group: "Page",
    keys: [],
    when: hasSteps,
    run: ({ actions }) => actions.showTour(0),
  },
  {
    id: "notes",
    title: "Notes and glossary",
    group: "Page",
    keys: [],
    run: ({ actions, note }) => actions.openNote(note ?? "what-is-a-kernel"),
  },
  opens("keys", "All keys", [key("?")]),
  {
    id: "next-pane",
    title: "Go to the next pane",
    group: "Page",
    keys: [{ key: "F6", everywhere: true }],
    run: nothing,
  },
  {
    id: "letter-keys",
    title: "Switch single-letter keys on or off",
    group: "Page",
    keys: [],
    run: ({ actions, letterKeys }) => actions.setLetterKeys(!letterKeys),
  },
  {
    id: "close",
    title: "Close",
    group: "Page",
    keys: [key("Escape")],
    when: ({ dialog, page, tour, presenter, comparison, race, inside, selection, notice }) =>
      dialog !== "none" ||
      page !== "playground" ||
      tour !== null ||
      presenter ||
      comparison !== null ||
      race !== null ||
      inside !== null ||
      selection.kind !== "none" ||
      notice !== null,
    run({ actions, dialog, page, tour, presenter, comparison, race, inside, selection }) {
      if (dialog !== "none") actions.openDialog("none");
      else if (page !== "playground") actions.showPage("playground");
      else if (inside) actions.lookInside(null);
      else if (race) actions.race(null);
      else if (comparison) actions.compare(null);
      else if (presenter) actions.togglePresenter();
      else if (tour !== null) actions.showTour(null);
      else if (selection.kind !== "none") actions.select({ kind: "none" });
      else actions.dismissNotice();
    },
  },
];

export const commands: readonly Command[] = [...steps, ...running, ...graph, ...looking, ...editing, ...page];

export const findCommand = (id: string): Command | null => commands.find((command) => command.id === id) ?? null;
