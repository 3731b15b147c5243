/** @file The three arrangements of the same parts. Column widths are the person's own, and not part of a link. */
import { useState, type ReactNode } from "react";
import { GraphCanvas, ProgramEditor } from "../editor";
import {
  ExampleVariants,
  late,
  KernelInspector,
  Lesson,
  MeasuredPanel,
  NewsRow,
  PredictStrip,
  ScoreRow,
  Scrubber,
} from "../panels";
import { playground, selectIsEmpty, selectPlanned, usePlayground, type Pane, type PlaygroundState } from "../state";
import { PaneGrid, type GridPlan, type Track } from "./PaneGrid";
import { Icon } from "../icons";
import { FoldInspector, KernelRail } from "./KernelRail";
import { AllExamples, StartHere } from "./examples/StartHere";
import { useIsRoomy } from "./use-page-layout";

/** Over an empty canvas only. */
const EmptyState = late(async () => (await import("./EmptyState")).EmptyState);

const COLUMN_LEAST = 320;
const CENTRE_LEAST = 540;

function Region({
  name,
  pane,
  children,
}: {
  readonly name: string;
  readonly pane: string;
  readonly children: ReactNode;
}) {
  return (
    <section className={`pane pane-${pane}`} data-pane={pane} aria-label={name} tabIndex={-1}>
      {children}
    </section>
  );
}

const Program = ({ corner }: { readonly corner?: ReactNode }) => (
  <Region name="Program" pane="program">
    <ProgramEditor />
    {corner}
  </Region>
);
const Measured = () => (
  <Region name="Measured" pane="measured">
    <MeasuredPanel />
  </Region>
);

const Reading = () => (
  <Region name="Lesson" pane="lesson">
    <Lesson />
  </Region>
);

function Canvas({ cards = true }: { readonly cards?: boolean }) {
  const empty = usePlayground(selectIsEmpty);
  return (
    <Region name="Graph" pane="graph">
      <GraphCanvas cards={cards} />
      {empty && <EmptyState />}
    </Region>
  );
}

/** Predict first as a mode of the page; a lesson asks its own questions. */
const Predicting = () => {
  const shown = usePlayground((state) => state.predict && state.lesson === null);
  return shown && <PredictStrip />;
};

const Centre = () => (
  <div className="centre">
    <Region name="Score" pane="score">
      <ScoreRow />
    </Region>
    <Predicting />
    <Canvas />
    <Region name="Steps" pane="steps">
      <Scrubber />
    </Region>
  </div>
);

const Kernels = ({ run, corner }: { readonly run?: ReactNode; readonly corner?: ReactNode }) => (
  <Region name="Kernels" pane="kernels">
    <KernelInspector run={run} />
    {corner}
  </Region>
);

/** Nothing was run, and nothing is to be said of the device. */
const isUnmeasured = ({ run, deviceProblem, cpuCheck }: PlaygroundState): boolean =>
  run.status === "idle" && !deviceProblem && !cpuCheck;

/** Before a run Measured is one line, and what comes first for a newcomer has the room. */
function Lower() {
  const idle = usePlayground(isUnmeasured);
  const blocked = usePlayground((state) => state.derived.status === "broken" || selectPlanned(state) === null);
  const [opened, setOpened] = useState(false);
  const full = opened || !idle;
  return (
    <div className="lower" data-full={full} style={{ height: "100%" }}>
      <Region name="Measured" pane="measured">
        {idle && (
          <button type="button" className="measured-line" aria-expanded={full} onClick={() => setOpened(!opened)}>
            <b>Measured</b>
            <span>{blocked ? "nothing yet" : "nothing yet: press Run both"}</span>
            <Icon name={full ? "up" : "down"} size={16} />
          </button>
        )}
        {full ? (
          <MeasuredPanel />
        ) : (
          <div className="measured-about">
            <ExampleVariants />
          </div>
        )}
      </Region>
      {!full && <StartHere />}
      <AllExamples />
    </div>
  );
}

/** As high as its lines, as long as what is below keeps its room. */
const heightOfProgram: Track = {
  id: "program",
  size: "content",
  least: 160,
  bar: "Height of the program",
};
/** Where what is below it is one line. */
const heightOverLine: Track = { ...heightOfProgram, leaves: 100 };
const below: Track = { id: "below", size: null, least: 160 };
const centre: Track = { id: "centre", size: null, least: CENTRE_LEAST };

/** px that the options cover: the graph keeps clear of them. */
const DRAWER = 440;
const drawer: Track = { id: "drawer", size: DRAWER, least: DRAWER };
const useCovered = (): boolean => usePlayground((state) => state.dialog === "options");
/** px of the folded inspector. */
const RAIL = 44;
const INSPECTOR = 358;
/** Where the page is wide enough for code that does not wrap. */
const ROOMY_INSPECTOR = 520;

/** Measured stands under the program and is read last: it is about what all the others show. */
function wide(open: boolean, roomy: boolean, covered: boolean, measured: boolean): GridPlan {
  const inspector: Track = covered
    ? drawer
    : open
      ? {
          id: roomy ? "roomy kernels" : "kernels",
          area: "kernels",
          size: roomy ? ROOMY_INSPECTOR : INSPECTOR,
          least: COLUMN_LEAST,
          bar: "Width of the kernels",
        }
      : { id: "rail", size: RAIL, least: RAIL };
  return {
    areas: [
      "program side-bar centre kernels-bar kernels",
      "program-bar side-bar centre kernels-bar kernels",
      "measured side-bar centre kernels-bar kernels",
    ],
    columns: [{ id: "side", size: 352, least: COLUMN_LEAST, bar: "Width of the program" }, centre, inspector],
    rows: [measured ? heightOfProgram : heightOverLine, below],
    panes: [
      { area: "program", content: <Program />, bars: ["program", "side"] },
      { area: "centre", content: <Centre />, bars: [inspector.id] },
      { area: "kernels", content: open && !covered ? <Kernels corner={<FoldInspector />} /> : <KernelRail /> },
      { area: "measured", content: <Lower /> },
    ],
  };
}

/** The inspector, or where to start until somebody asks for it. */
function MiddleLower() {
  const open = usePlayground((state) => state.inspector);
  return open ? (
    <Kernels run={<MeasuredPanel />} corner={<FoldInspector />} />
  ) : (
    <div className="lower" style={{ height: "100%" }}>
      <button type="button" className="measured-line" onClick={() => playground.getState().actions.showInspector(true)}>
        <b>Kernels and measurements</b>
        <span>code, loops, traffic</span>
        <Icon name="down" size={16} />
      </button>
      <div className="measured-about">
        <ExampleVariants />
      </div>
      <StartHere />
      <AllExamples />
    </div>
  );
}

/** The program is read first wherever it stands. */
const middle = (open: boolean): GridPlan => ({
  areas: ["centre side-bar program", "centre side-bar program-bar", "centre side-bar kernels"],
  columns: [centre, { id: "side", size: 348, least: COLUMN_LEAST, bar: "Width of the side column" }],
  rows: [open ? heightOfProgram : heightOverLine, below],
  panes: [
    { area: "program", content: <Program />, bars: ["program"] },
    { area: "centre", content: <Centre />, bars: ["side"] },
    { area: "kernels", content: <MiddleLower /> },
  ],
});

/** A lesson is read where the program was. Its height stays from step to step, so that Next is found where it was. */
const heightOfLesson: Track = { id: "lesson", area: "program", size: 570, least: 200, bar: "Height of the lesson" };

/** Above what the step has people work on or look at: as high as its words, while that keeps its room. */
const heightAsRead: Track = { ...heightOfLesson, id: "lesson as read", size: "content" };

/** Above a panel that is worked in. */
const heightOverCode: Track = { ...heightOfLesson, id: "lesson over code", size: 300 };

/** Over the corner of what stands below a lesson: the way to the other. */
const Instead = ({ pane, name }: { readonly pane: Pane; readonly name: string }) => (
  <button
    type="button"
    className="icon-button instead"
    aria-label={`Show the ${name.toLowerCase()} below the lesson`}
    onClick={() => playground.getState().actions.showPane(pane)}
  >
    {name}
  </button>
);

/** Where there is room for one of them below the lesson: the program, or the code where that is asked for. */
function BelowLesson() {
  const code = useReadsCode();
  return code ? (
    <Kernels run={<MeasuredPanel />} corner={<Instead pane="text" name="Program" />} />
  ) : (
    <Program corner={<Instead pane="kernels" name="Kernels" />} />
  );
}

/** Beside the graph: the lesson, if one is open, as high as `height`, and `content` instead of `lower`. */
function withLesson(plan: GridPlan, height: Track, lower: "measured" | "kernels", content: ReactNode): GridPlan {
  const panes = plan.panes.map((pane) => {
    if (pane.area === "program")
      return { ...pane, content: <Reading />, bars: pane.bars?.map((id) => (id === "program" ? height.id : id)) };
    return pane.area === lower ? { ...pane, content } : pane;
  });
  return { ...plan, rows: [height, below], panes };
}

/** The step of the lesson that is open. */
const stepOf = ({ lesson }: PlaygroundState) => lesson?.content.steps[lesson.step];

const useReads = (): boolean => usePlayground((state) => state.lesson !== null);

/** The task is a kernel: its code and what a run says of it stay in sight, the program is not what changes. */
const useWritesKernel = (): boolean => usePlayground((state) => stepOf(state)?.task?.kernel !== undefined);

/** The step's own choice until somebody takes the other. */
const useReadsCode = (): boolean =>
  usePlayground(({ pane, lesson }) => (pane === "lesson" ? lesson?.isAboutCode : /kernels|run/.test(pane)) ?? false);

const useTasks = (): boolean => usePlayground((state) => stepOf(state)?.task !== undefined);

export function Wide() {
  const open = usePlayground((state) => state.inspector);
  const measured = usePlayground((state) => !isUnmeasured(state));
  const plan = wide(open, useIsRoomy(), useCovered(), measured);
  const height = useTasks() ? heightAsRead : heightOfLesson;
  const lower = useWritesKernel() ? <Lower /> : <Program />;
  return <PaneGrid plan={useReads() ? withLesson(plan, height, "measured", lower) : plan} />;
}
export function Middle() {
  const usual = middle(usePlayground((state) => state.inspector));
  const plan = useCovered() ? { ...usual, columns: [centre, drawer] } : usual;
  const [works, code] = [useTasks(), useReadsCode()];
  const height = works && code ? heightOverCode : works || code ? heightAsRead : heightOfLesson;
  return <PaneGrid plan={useReads() ? withLesson(plan, height, "kernels", <BelowLesson />) : plan} />;
}

const panes: readonly (readonly [Pane, string])[] = [
  ["lesson", "Lesson"],
  ["text", "Text"],
  ["graph", "Graph"],
  ["kernels", "Kernels"],
  ["run", "Run"],
];

/** One pane by itself. */
export function PaneOf({ pane }: { readonly pane: Pane }) {
  switch (pane) {
    case "lesson":
      return (
        // What the text speaks of stands below it; there is no room for a card as well.
        <div className="read-and-look">
          <Reading />
          <Canvas cards={false} />
        </div>
      );
    case "text":
      return <Program />;
    case "graph":
      return <Centre />;
    case "kernels":
      return <Kernels />;
    case "run":
      return <Measured />;
  }
}

export function Narrow() {
  const shown = usePlayground((state) => state.pane);
  const reads = useReads();
  return (
    <>
      <main className="frame frame-narrow">
        {shown !== "graph" && <NewsRow />}
        <PaneOf pane={shown} />
      </main>
      <nav className="pane-bar" aria-label="Panes">
        {panes
          .filter(([pane]) => pane !== "lesson" || reads)
          .map(([pane, name]) => (
            <button
              key={pane}
              type="button"
              aria-current={pane === shown ? "page" : undefined}
              onClick={() => playground.getState().actions.showPane(pane)}
            >
              {name}
            </button>
          ))}
      </nav>
    </>
  );
}
