/** @file The one store's shape: what the user did, where they look, and what the workers and the GPU answered. */
import type {
  BestPlan,
  Compilation,
  CompileOptions,
  EdgeId,
  Fusion,
  Kernel,
  KernelLook,
  KnobName,
  KnobSheet,
  Level,
  NodeId,
  Plan,
  RegionId,
  SavedChoice,
  OrderRow,
  SavedSheet,
  SavedValues,
  ShownValues,
  Span,
  TextEdit,
  WatchedKernel,
  MatmulPolicy,
  MultiConsumerPolicy,
  Granularity,
  ForbidReason,
  DeviceProfile,
  TransformName,
  PlanTotals,
  SizeRow,
} from "../fusion";
import type {
  Area,
  Comparison,
  DecisionRef,
  Document,
  Folds,
  InsideView,
  InspectorTab,
  Pane,
  Position,
  SharedView,
} from "../document";
import type { Question } from "./question";
import type { BenchProgress, BenchResult, ComparedInFull, DeviceInfo, GpuProblem } from "../gpu";
import type { ComparedOutput, Skipped, WhatIfAnswer } from "../workers";
import type { Answer } from "../course";
import type { Counted, Fault } from "../wgsl";
import type {
  CourseProgress,
  Guess,
  Guesses,
  LaptopCheck,
  OpenLesson,
  PreviousWork,
  TrainingCommand,
  TrainingState,
} from "./slices/slice-states";

export type Theme = "light" | "dark" | "system";
export type { InspectorTab, Pane } from "../document";
/** What fills the window: the playground, the check of this laptop, the class board, the teacher's page. */
export type Page = "playground" | "check" | "board" | "teach";
export type PresenterSide = "words" | "wgsl" | "traffic" | "time" | "roofline";
export type Origin = "text" | "canvas" | "example" | "link" | "undo" | "option";

/** What is selected; one thing at a time. */
export type Selection =
  | { readonly kind: "none" }
  | { readonly kind: "node"; readonly id: NodeId }
  | { readonly kind: "edge"; readonly id: EdgeId }
  | { readonly kind: "region"; readonly id: RegionId };

/** One output of one plan against the f64 reference. */
export type CheckRow = ComparedOutput;
/** A kernel that has none, and why. */
export type SkippedKernel = Skipped;

/** A tensor of a plan against the naive plan's, all elements. */
export interface FullComparison extends ComparedInFull {
  /** Roundings alone move f64 as far where the two are farthest apart; null where f64 can't be had there. */
  readonly amplified: boolean | null;
}

export type RunState =
  | { readonly status: "idle" }
  | {
      readonly status: "running";
      readonly progress: BenchProgress;
      readonly previous: FinishedRun | null;
      /** This run's samples so far; absent before the first. */
      readonly live?: FinishedRun | null;
    }
  | { readonly status: "done"; readonly run: FinishedRun }
  | { readonly status: "failed"; readonly problem: GpuProblem; readonly previous: FinishedRun | null };

/** What became of a kernel that was written by hand. */
export interface HandOutcome {
  /** Its id in the plan that ran. */
  readonly kernel: string;
  readonly name: string;
  /** What it binds; the document's texts are found by it. */
  readonly binds: string;
  /** As it was written. */
  readonly wgsl: string;
  /** `limit`: a loop reached its limit of turns, and nothing was timed. */
  readonly status: "ran" | "refused" | "limit";
  /** Why it was refused. */
  readonly faults: readonly Fault[];
  /** Turns that a loop of one thread may take. */
  readonly limit: number;
  readonly counted: Counted;
  /** Bytes that the generated kernel moves. */
  readonly generatedBytes: number;
}

/** Kernels written by hand, in a run: what became of them, and their plan against f64 and against the naive one. */
export interface HandRun {
  readonly kernels: readonly HandOutcome[];
  /** null while the check worker still computes. */
  readonly check: readonly CheckRow[] | null;
  readonly full: readonly FullComparison[];
}

/** What is known of a text without a run. */
export interface HandCheck {
  readonly wgsl: string;
  readonly faults: readonly Fault[];
  /** The device's compiler has seen it. */
  readonly compiled: boolean;
  /** null while the worker counts. */
  readonly counted: Counted | null;
}

export interface FinishedRun {
  readonly result: BenchResult;
  /** null while the check worker still computes. */
  readonly check: readonly CheckRow[] | null;
  /** Results of the other plans against the naive ones, element by element; absent until they were compared. */
  readonly full?: readonly FullComparison[];
  /** Kernels that were not compared with f64. */
  readonly skipped?: readonly SkippedKernel[];
  /** Text the run belongs to: stale when it differs from the document's. */
  readonly text: string;
  /** Where the data came from, in words; null where every number is from a seed in the text. */
  readonly source: string | null;
  /** Whose roofs and launches the plans' predicted times are made of; null when nothing is known that fits this machine. */
  readonly predictedFor: string | null;
  /** The plans that ran (schedules follow the adapter), for their own counts. */
  readonly plans: {
    readonly naive: Plan;
    readonly step: Plan | null;
    readonly fused: Plan;
    readonly hand?: Plan | null;
  };
  /** The plans that the page showed, whose schedules follow the document's device, and which step it was where one ran beside both ends. */
  readonly planned?: FinishedRun["plans"] & { readonly cursor?: number };
  /** Absent where no kernel was written by hand. */
  readonly hand?: HandRun;
}

/** A fused plan that was timed. */
export interface TimedPlan {
  readonly text: string;
  /** What its backward pass saved. */
  readonly savedValues: SavedValues | undefined;
  /** Samples of the whole plan. */
  readonly nanoseconds: readonly number[];
}

export interface Derived {
  readonly revision: number;
  /** `broken`: the text has errors; `compilation` is the last good one and `broken` holds the failed one's diagnostics. */
  readonly status: "compiling" | "ready" | "broken";
  /** Last compilation that had plans; null before the first. */
  readonly compilation: Compilation | null;
  /** Of the newest text, good or not. */
  readonly latest: Compilation | null;
  /** Layout of the union of the nodes of all steps; hand-moved positions are applied on top by a selector. */
  readonly layout: Layout | null;
  /** Plans of states of `compilation` between naive and final, by cursor, as far as they are known. */
  readonly plans: ReadonlyMap<number, Plan>;
}

export interface LayoutBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
export interface Layout {
  readonly boxes: ReadonlyMap<NodeId, LayoutBox>;
  /** The same with every series of repeated blocks in one box, where it opens folded; it comes before the rest. */
  readonly folded?: ReadonlyMap<NodeId, LayoutBox>;
  /** Bend points by edge, from producer to consumer. */
  readonly bends: ReadonlyMap<EdgeId, readonly Position[]>;
  readonly width: number;
  readonly height: number;
}

/**
 * What became of the last change. `copied`: another tab owns the draft, so it was saved as a copy; `no-room`: saving it
 * would overwrite earlier work for which the browser has no room; `blocked`: the browser's storage is full or blocked.
 */
export type SavedState = "saved" | "saving" | "copied" | "no-room" | "blocked";

/** One status line for the score row; nothing floats over the graph. */
export interface NoticeAction {
  readonly label: string;
  readonly kind:
    | "reload"
    | "dismiss"
    | "open-draft"
    | "download-copy"
    | "take-over"
    | "retry"
    | "run-anyway"
    | "run-fused"
    | "allow-memory"
    | "use-size"
    | "plan-as-before";
  /** open-draft: another one than the newest copy of earlier work. */
  readonly document?: Document;
  /** allow-memory: MiB; use-size: the constant's value. */
  readonly amount?: number;
  /** use-size: a constant of the text. */
  readonly constant?: string;
  /** The run that was asked about was of the fused plan alone. */
  readonly only?: "fused" | undefined;
}

export interface Notice {
  readonly tone: "info" | "warn" | "no" | "yes";
  readonly text: string;
  readonly action?: NoticeAction;
  /** Other ways on. */
  readonly others?: readonly NoticeAction[];
}

export interface PlaygroundState {
  readonly document: Document;
  readonly derived: Derived;
  /** Steps applied: 0 = naive, steps.length = final. */
  readonly cursor: number;
  readonly playing: boolean;
  /** The person stepped to where the cursor is; false where a plan that was just opened shows its end. */
  readonly stepped: boolean;
  readonly selection: Selection;
  /** What a command asks of the canvas, of an op or for a new one; the canvas answers and clears it. */
  readonly editAsked: { readonly edit: "connect" | "remove"; readonly id: NodeId } | { readonly edit: "add" } | null;
  readonly hovered: NodeId | null;
  /** Kernel id shown in the inspector; null follows the selection. */
  readonly kernel: string | null;
  readonly tab: InspectorTab;
  readonly pane: Pane;
  readonly theme: Theme;
  readonly presenter: boolean;
  readonly page: Page;
  /** What the planner found stays covered until somebody guesses. */
  readonly predict: boolean;
  readonly guesses: Guesses;
  /** What this laptop can do; null until somebody asks. */
  readonly laptop: LaptopCheck | null;
  /** Fragments that laptops handed in, for the class board; stored on this machine only. */
  readonly board: readonly string[];
  /** The stop of the tour that is shown, from 0: another object each time that somebody goes there; null while nobody takes it. */
  readonly tour: { readonly stop: number } | null;
  /** The tour was taken or skipped on this machine: it is not offered again. */
  readonly toured: boolean;
  /** The page stands in another page or a slide: graph, counts and steps only, and nothing is kept. */
  readonly embed: boolean;
  /** The first visit's short play from naive to fused: about to begin, going on, or over with its line still shown. Null at any other visit. */
  readonly intro: "waiting" | "playing" | "resting" | null;
  /** The kernel inspector is open; folded, it is a rail at the edge of the page. */
  readonly inspector: boolean;
  /** Groups, blocks and kernels that were closed or opened by hand, by region or group identity. */
  readonly folds: Folds;
  /** The part of the graph that the person moved to, in its own px; null while the page chooses. */
  readonly camera: Area | null;
  /** How many other programs took the place of one, pasted or opened: each is looked at anew. */
  readonly programs: number;
  /** The graph is shown whole, however small, as an embedded page may ask. */
  readonly fitsWhole: boolean;
  readonly dialog:
    "none" | "share" | "find" | "keys" | "options" | "import" | "notes" | "examples" | "course" | "earlier" | "train";
  /** What the open dialog shows first; null for its beginning. */
  readonly dialogAbout: string | null;
  /** The side note that is read, or was last. */
  readonly note: string | null;
  /** Totals of examples and variants under the options that they open with, as far as somebody asked. */
  readonly lessonTotals: ReadonlyMap<string, PlanTotals>;
  readonly notice: Notice | null;
  readonly saved: SavedState;
  /** Two plans beside each other stand instead of the page; null while the page is there. */
  readonly comparison: Comparison | null;
  /** Both plans race instead of the page; `at` is where the clock stands, 0 to 1, absent while it runs. */
  readonly race: { readonly at?: number } | null;
  /** One kernel at work instead of the page; null while the page is there. */
  readonly inside: InsideView | null;
  /** What undo leads back to; null where it leads nowhere. */
  readonly earlier: Document | null;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly device: DeviceInfo | null;
  readonly deviceProblem: GpuProblem | null;
  readonly run: RunState;
  /** Since the page was opened, the latest last. */
  readonly timed: readonly TimedPlan[];
  /** A model file on its way to becoming a program; null when there is none. */
  readonly importing: Importing | null;
  /** Results without a GPU; null until asked for. */
  readonly cpuCheck: CpuCheck | null;
  /** How both plans grow with a constant; null until asked. `of` another compilation than the shown one is stale. */
  readonly sizes: SizesState | null;
  /** What the backward pass could keep; null until asked. `of` another compilation than the shown one is stale. */
  readonly savedSheet: { readonly of: Compilation; readonly sheet: SavedSheet | null } | null;
  /** The kernel whose knobs are shown, as it was last asked about. */
  readonly knobs: KnobsState | null;
  /** What the kernels of a region say of themselves, by name. */
  readonly looks: {
    readonly region: RegionId;
    readonly kernels: ReadonlyMap<string, KernelLook>;
  } | null;
  /** The last sweep; of another text it is stale. */
  readonly sweep: SweepState | null;
  /** The training that was started last; null before the first. */
  readonly training: TrainingState | null;
  /** The open question; null while the decisions that were taken are shown. */
  readonly whatIf: WhatIfState | null;
  /** `theme` with "system" resolved. */
  readonly shownTheme: "light" | "dark";
  readonly previousWorks: readonly PreviousWork[];
  /** Presenter view: what stands beside the graph. */
  readonly presenterSide: PresenterSide;
  /** Presenter view, B: the screen is blank. */
  readonly blanked: boolean;
  /** A position in the text to show; a new object each time it is asked for. */
  readonly revealed: Span | null;
  /** Single-letter keys work; a person may switch them off. */
  readonly letterKeys: boolean;
  /** GPU memory that a run may use, MiB. */
  readonly memoryMiB: number;
  /** The first run measures the device, and a program whose device nobody chose is planned for it. */
  readonly planHere: boolean;
  /** The lesson that is read; null while there is none. */
  readonly lesson: OpenLesson | null;
  /** What this machine knows of each lesson, by its id. */
  readonly courseProgress: CourseProgress;
  /** What is known of hand-written kernels without a run, by what they bind. */
  readonly handChecks: ReadonlyMap<string, HandCheck>;
  readonly actions: Actions;
}

/** What a person can do. Each text-changing action is a single undo step unless it says otherwise. */
export interface Actions {
  /** From the editor: typing; steps are joined until a pause. */
  typeText(text: string): void;
  /** A finished gesture: drawing edits, fixes, renames. */
  applyEdits(edits: readonly TextEdit[], origin: Origin): void;
  openExample(id: string): void;
  openDocument(document: Document, decision: DecisionRef | null, origin: Origin, view?: SharedView): void;
  moveNodes(moved: Readonly<Record<string, Position>>): void;
  undo(): void;
  redo(): void;
  // drawing (each is the smallest text edit; fusion/text computes it; answers the reason when it can't be done)
  /** @param put a box that goes elsewhere than where a person placed it: where the layout puts it without `at` */
  connect(from: NodeId, to: NodeId, operand: number, put?: string | null, at?: Position | null): Promise<string | null>;
  disconnect(edge: EdgeId): Promise<string | null>;
  /** @param from the value that it reads, where it can */
  addOp(op: string, at: Position | null, from?: NodeId | null): Promise<string | null>;
  addInput(at: Position | null): Promise<string | null>;
  removeNode(id: NodeId): Promise<string | null>;
  /** Writes the composite that `id` is a part of as the ops that it is made of. */
  expandCall(id: NodeId): Promise<string | null>;
  /** The whole program differentiated or batched, as an edit of the text. */
  transform(name: TransformName): Promise<string | null>;
  renameNode(id: NodeId, name: string): Promise<string | null>;
  setAttr(id: NodeId, attr: string, value: string): Promise<string | null>;
  setInputType(id: NodeId, type: string): Promise<string | null>;
  /** The WGSL of a kernel as it is written by hand; null: the generated one again. */
  writeKernel(kernel: Kernel, wgsl: string | null): void;
  /** A text that was set aside becomes that of `kernel`; null: it is thrown away. */
  setHandKernel(binds: string, kernel: Kernel | null): void;
  /** Looks for what is wrong with the hand-written text of `kernel` and counts its traffic. `build`: the device's compiler is asked too. */
  checkKernel(kernel: Kernel, build: boolean): Promise<void>;
  // looking
  stepTo(cursor: number): void;
  stepForward(): void;
  stepBack(): void;
  nextPass(direction: 1 | -1): void;
  nextRefusal(): void;
  togglePlay(): void;
  /** Plays the first visit's example once and rests on the step that saves most; `still` goes there at once. */
  playIntro(still: boolean): void;
  /** Ends the play, at rest on the step that saves most. */
  skipIntro(): void;
  /** Takes away the line that says what the page is. */
  closeIntro(): void;
  select(selection: Selection): void;
  hover(id: NodeId | null): void;
  showKernel(id: string | null): void;
  /** Opens the kernel inspector, or folds it to its rail; kept on this machine. */
  showInspector(open: boolean): void;
  showTab(tab: InspectorTab): void;
  showPane(pane: Pane): void;
  setTheme(theme: Theme): void;
  togglePresenter(): void;
  setFold(id: string, fold: "open" | "closed"): void;
  /** The part of the graph that is in sight. */
  lookAt(area: Area): void;
  showPage(page: Page): void;
  /** Removes drafts, copies, progress, the board and settings from this browser, and begins anew. */
  eraseAll(): void;
  /** Switches the mode on, with a new tally, or off. */
  togglePredict(): void;
  /** Uncovers what the guess was about, and counts it. */
  guess(guess: Guess): void;
  /** Uncovers the rest of this plan; nothing is counted for it. `end`: what is true of its end. */
  showAllSteps(end: Guess): void;
  /** Looks at browser, adapter and clock, and runs a short bench. */
  checkLaptop(): Promise<void>;
  /** What other tabs put on the board meanwhile stays there. False where the browser could not store it. */
  addToBoard(fragments: readonly string[]): boolean;
  /** These, or all of them. */
  takeFromBoard(fragments: readonly string[] | "all"): void;
  /** `about`: what the dialog is to show first, such as a pass in the options. */
  openDialog(dialog: PlaygroundState["dialog"], about?: string): void;
  dismissNotice(): void;
  // choices that re-plan
  force(edge: EdgeId): void;
  forbid(edge: EdgeId): void;
  /** Why a forbidden edge's value stays in memory; null takes the reason back. */
  explainForbidden(edge: EdgeId, reason: ForbidReason | null): void;
  release(edge: EdgeId): void;
  setGranularity(granularity: Granularity): void;
  setPolicy(policy: MultiConsumerPolicy): void;
  setStrict(strict: boolean): void;
  togglePass(pass: string): void;
  /** Chosen by hand: later runs leave it, until a device that was measured is chosen. */
  setProfile(profile: DeviceProfile): void;
  setPlanHere(planHere: boolean): void;
  setLevel(level: Level): void;
  /** Names of all passes; an order that can't run is not followed. */
  setOrder(order: readonly string[]): void;
  /** Several choices as one. */
  setOptions(changes: Partial<CompileOptions>): void;
  /** Rewrites the document's size constant (`N = 2048`) to the example's S, M or L. */
  setSize(size: "S" | "M" | "L"): Promise<void>;
  /** Writes a whole number that the text names at its left edge. */
  setConstant(name: string, value: number): Promise<void>;
  /** Plans the shown program with its constant `name` at a quarter to four times its value. */
  askSizes(name: string): Promise<void>;
  /** What transforming and fusing in either order comes to; empty where nothing can be planned. */
  askOrders(): Promise<readonly OrderRow[]>;
  /** The best plan by the price beside the planner's; null where nothing can be planned. */
  askBestPlan(): Promise<BestPlan | null>;
  /** What the backward pass could keep, by every policy. */
  askSaved(): Promise<void>;
  /** Begins the tour, goes on to another stop, or ends it with null. */
  showTour(stop: number | null): void;
  /** Opens the side notes, at one of them. */
  openNote(id: string): void;
  /** Plans examples and variants, to tell what fusing does for each. */
  countLessons(ids: readonly string[]): Promise<void>;
  /** Opens the questions beside the decisions that were taken. */
  openWhatIf(): void;
  closeWhatIf(): void;
  /** Plans the shown program once more with one choice changed, and tells what comes out otherwise. */
  askWhatIf(question: Question): Promise<void>;
  /** The answered question's change becomes a choice of the document. */
  keepWhatIf(): void;
  // the machine
  /** Asks the machine who it is; resolves to what stood in the way. */
  describeDevice(): Promise<GpuProblem | null>;
  /** `sure`: a run that is predicted to take long is not asked about again. */
  /** `only`: the fused plan alone, where the naive one does not fit. */
  runBoth(sure?: boolean, only?: "fused"): Promise<void>;
  cancelRun(): void;
  revealSpan(span: Span): void;
  /** Does what the notice's button says. */
  /** `second`: its other way on. */
  /** Does what the notice's button says; its other ways on count from 1. */
  followNotice(which?: number): void;
  /** The first example replaces the program, which stays among the copies. */
  startAfresh(): void;
  /** Opens a copy of earlier work, or downloads it where it can't be opened; 0 is the newest. */
  openPrevious(index: number): void;
  /** Hands over a copy of earlier work as a file. */
  downloadPrevious(index: number): void;
  /** Hands over the work of now, as it would be saved. */
  downloadWork(): void;
  /** The reference and the generated kernels on the CPU, in a worker; needs no GPU. */
  runOnCpu(): Promise<void>;
  /** A model file becomes the program. What the file leaves open is asked for, what can't be said is told. */
  importModel(name: string, bytes: Uint8Array): Promise<void>;
  /** What the person says about dimensions and shapes, by `OpenQuestion.name`. */
  answerImport(answers: ReadonlyMap<string, readonly number[]>): Promise<void>;
  /** `output`: the first value that the kernel stores; null for every kernel. `value` null: the planner chooses again. */
  setKnob(output: NodeId | null, knob: KnobName, value: string | null): void;
  /** The planner chooses everything again. */
  releaseKnobs(): void;
  /** What may be chosen for the kernel of a region of the shown state. */
  askKnobs(region: RegionId): Promise<void>;
  /** What the kernels of the region say of themselves: addresses of neighbouring threads, instructions. */
  askLooks(region: RegionId): Promise<void>;
  /** Times the kernel with this knob at each of its values on this device. */
  /** Starts training or goes on, stops it, or begins anew; `calm`: what is shown changes less often. */
  train(command: TrainingCommand, calm?: boolean): Promise<void>;
  sweepKnob(region: RegionId, output: NodeId, knob: KnobName): Promise<void>;
  cancelSweep(): void;
  setMatmulPolicy(policy: MatmulPolicy): void;
  /** FLOP per byte; null: the ridge of the profile. */
  /** What the backward pass keeps where nothing is chosen for a value. */
  setSaved(change: Partial<Omit<SavedValues, "choices">>): void;
  /** The min-cut within so many bytes, while they are being moved: one undo step until a pause. */
  slideBudget(bytes: number): void;
  /** What is done about one value that the backward pass reads; null: by policy. */
  chooseSaved(value: NodeId, choice: SavedChoice | null): void;
  setLibraryLine(line: number | null): void;
  setGroupSize(groupSize: number): void;
  blank(blanked: boolean): void;
  askEdit(asked: PlaygroundState["editAsked"]): void;
  showSide(side: PresenterSide): void;
  setLetterKeys(on: boolean): void;
  setMemory(mebibytes: number): void;
  /** Opens a lesson or puzzle at a step, from 0. */
  openLesson(id: string, step?: number): Promise<void>;
  goToStep(step: number): Promise<void>;
  /** Answers the step's question; the numbers are uncovered. */
  answer(answer: Answer): Promise<void>;
  showHint(): void;
  /** The second time shows it. */
  askSolution(): void;
  /** Is the task done by the program as it is now? */
  checkTask(): Promise<void>;
  /** Judges the answers that an earlier visit left before their plan was there. */
  judgeKept(): Promise<void>;
  /** Closes the lesson. Its program stays, and the one before it is offered; `replaced`: another takes its place. */
  closeLesson(replaced?: boolean): void;
  /** Forgets progress, answers and scores. */
  forgetCourse(): void;
  /** Adds the progress that a downloaded file holds to this machine's; of each lesson the further one counts. Answers how many lessons it holds. */
  addProgress(text: string): Promise<number>;
  /** Shows two plans beside each other, or the page again. */
  compare(comparison: Comparison | null): void;
  /** Lets both plans race, or shows the page again. */
  race(race: PlaygroundState["race"]): void;
  /** Shows one kernel at work, or the page again. */
  lookInside(inside: PlaygroundState["inside"]): void;
  /** What a kernel of the shown plan does, at a size that can be looked at; a sentence where it can't be. */
  watchKernel(kernel: Kernel, workgroup: number): Promise<WatchedKernel | string>;
  /** The numbers of a value of the shown state, at a size that can be looked at; a sentence where there are none. */
  numbersOf(node: NodeId): Promise<ShownValues | string>;
  /** Plans a program beside the one on the page; a sentence where it could not be planned at all. */
  planApart(text: string, options: CompileOptions, signal?: AbortSignal): Promise<Compilation | string>;
  /** The same; null where the program has no plan. */
  planOf(text: string, options: CompileOptions): Promise<Compilation | null>;
  /** Plans of states of such a program, by cursor. */
  plansApart(compilation: Compilation, cursors: readonly number[]): Promise<ReadonlyMap<number, Plan>>;
  /** Places of the ops of each; of one program planned twice they are the same. Null where there is no layout. */
  layOutApart(compilations: readonly Compilation[]): Promise<readonly (Layout | null)[]>;
  /** Planning takes long and the person no longer wants to wait. */
  cancelCompile(): void;
}

export interface SizesState {
  readonly of: Compilation;
  readonly name: string;
  /** null while the worker plans. */
  readonly rows: readonly SizeRow[] | null;
}

export interface KnobsState {
  readonly of: Compilation;
  readonly cursor: number;
  readonly region: RegionId;
  /** null: there is nothing to choose. */
  readonly sheet: KnobSheet | null;
}

/** One kernel timed with one knob at each of its values. */
export interface SweepState {
  readonly text: string;
  readonly output: NodeId;
  readonly knob: KnobName;
  readonly outcome:
    | { readonly status: "running"; readonly text: string }
    | { readonly status: "failed"; readonly text: string }
    | {
        readonly status: "done";
        readonly device: DeviceInfo;
        readonly rows: readonly { readonly value: string; readonly nanoseconds: readonly number[] }[];
      };
}

export type WhatIfState =
  | { readonly status: "none" }
  | { readonly status: "asking"; readonly question: Question; readonly of: Compilation }
  | {
      readonly status: "answered";
      readonly question: Question;
      /** What was planned again; another compilation makes the answer stale. */
      readonly of: Compilation;
      readonly answer: WhatIfAnswer;
    }
  | { readonly status: "failed"; readonly question: Question; readonly of: Compilation; readonly text: string };

/** What the page computes without a GPU: the reference's outputs, and the generated kernels run on the CPU against it. */
export interface CpuCheck {
  /** The program that was computed. */
  readonly program: string;
  readonly status: "running" | "done" | "failed";
  /** One sentence for the person: what was computed, or why not. */
  readonly text: string;
  readonly outputs: readonly OutputSummary[];
  readonly check: readonly CheckRow[];
}

/** Something a model leaves open: the extent of a dimension, or the whole shape of an input. */
export interface OpenQuestion {
  readonly name: string;
  readonly kind: "dim" | "shape";
  /** Inputs that it is about. */
  readonly inputs: readonly string[];
}

export type Importing = { readonly file: string } & (
  | { readonly status: "reading" }
  | { readonly status: "asking"; readonly questions: readonly OpenQuestion[] }
  | { readonly status: "failed"; readonly text: string }
  | {
      /** It is open, without some of its ops. */
      readonly status: "partial";
      readonly unsupported: readonly {
        readonly op: string;
        readonly count: number;
        readonly why: string;
        readonly given: number;
      }[];
      /** Inputs whose numbers decide shapes. */
      readonly wanted: readonly string[];
      /** Where the numbers of its weights come from: a sentence with a space before it, or nothing. */
      readonly numbers: string;
    }
);

/** A few numbers of one output, from the f64 reference. */
export interface OutputSummary {
  readonly output: NodeId;
  readonly shape: readonly number[];
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  /** The first elements in row-major order, at most six. */
  readonly first: readonly number[];
  /** Elements looked at and elements in all; fewer when sampled. */
  readonly compared: number;
  readonly elements: number;
}

/** Cached selectors answer with these. */
export interface StepView {
  readonly fusion: Fusion;
  /** Plan of the shown step; null while the worker computes it. */
  readonly plan: Plan | null;
}
