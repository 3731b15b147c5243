/** @file The three page layouts of the same parts. Column widths are the person's own, and not part of a link. */
import type { ReactNode } from "react";
import { GraphCanvas, ProgramEditor } from "../editor";
import { KernelInspector, MeasuredPanel, NewsRow, ScoreRow, Scrubber } from "../panels";
import { playground, selectIsEmpty, usePlayground, type Pane } from "../state";
import { EmptyState } from "./EmptyState";
import { PaneGrid, type GridPlan } from "./PaneGrid";

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

const Program = () => (
  <Region name="Program" pane="program">
    <ProgramEditor />
  </Region>
);
const Measured = () => (
  <Region name="Measured" pane="measured">
    <MeasuredPanel />
  </Region>
);

function Canvas() {
  const empty = usePlayground(selectIsEmpty);
  return (
    <Region name="Graph" pane="graph">
      <GraphCanvas />
      {empty && <EmptyState />}
    </Region>
  );
}

const Centre = () => (
  <div className="centre">
    <Region name="Score" pane="score">
      <ScoreRow />
    </Region>
    <Canvas />
    <Region name="Steps" pane="steps">
      <Scrubber />
    </Region>
  </div>
);

const Kernels = ({ run }: { readonly run?: ReactNode }) => (
  <Region name="Kernels" pane="kernels">
    <KernelInspector run={run} />
  </Region>
);

const heightOfProgram = { id: "program", size: 344, least: 160, bar: "Height of the program" };
const below = { id: "below", size: null, least: 160 };
const centre = { id: "centre", size: null, least: CENTRE_LEAST };

/** Measured stands under the program and is read last: it is about what all the others show. */
const wide: GridPlan = {
  areas: [
    "program side-bar centre kernels-bar kernels",
    "program-bar side-bar centre kernels-bar kernels",
    "measured side-bar centre kernels-bar kernels",
  ],
  columns: [
    { id: "side", size: 352, least: COLUMN_LEAST, bar: "Width of the program" },
    centre,
    { id: "kernels", size: 358, least: COLUMN_LEAST, bar: "Width of the kernels" },
  ],
  rows: [heightOfProgram, below],
  panes: [
    { area: "program", content: <Program />, bars: ["program", "side"] },
    { area: "centre", content: <Centre />, bars: ["kernels"] },
    { area: "kernels", content: <Kernels /> },
    { area: "measured", content: <Measured /> },
  ],
};

/** The program is read first wherever it stands. */
const middle: GridPlan = {
  areas: ["centre side-bar program", "centre side-bar program-bar", "centre side-bar kernels"],
  columns: [centre, { id: "side", size: 348, least: COLUMN_LEAST, bar: "Width of the side column" }],
  rows: [heightOfProgram, below],
  panes: [
    { area: "program", content: <Program />, bars: ["program"] },
    { area: "centre", content: <Centre />, bars: ["side"] },
    { area: "kernels", content: <Kernels run={<MeasuredPanel />} /> },
  ],
};

export const Wide = () => <PaneGrid plan={wide} />;
export const Middle = () => <PaneGrid plan={middle} />;

const panes: readonly (readonly [Pane, string])[] = [
  ["text", "Text"],
  ["graph", "Graph"],
  ["kernels", "Kernels"],
  ["run", "Run"],
];

/** One pane by itself. */
export function PaneOf({ pane }: { readonly pane: Pane }) {
  switch (pane) {
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
  return (
    <>
      <main className="frame frame-narrow">
        {shown !== "graph" && <NewsRow />}
        <PaneOf pane={shown} />
      </main>
      <nav className="pane-bar" aria-label="Panes">
        {panes.map(([pane, name]) => (
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
