/** @file The three arrangements of the same parts. Column widths are the person's own, and not part of a link. */
import type { ReactNode } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";
import { GraphCanvas, ProgramEditor } from "../editor";
import { KernelInspector, MeasuredPanel, ScoreRow, Scrubber } from "../panels";
import { playground, selectIsEmpty, usePlayground, type Pane } from "../state";
import { EmptyState } from "./EmptyState";

const COLUMN_LEAST = 320;

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

export const Wide = () => (
  <main className="frame">
    <Group orientation="horizontal" id="wide">
      <Panel
        id="left"
        defaultSize={352}
        minSize={COLUMN_LEAST}
        groupResizeBehavior="preserve-pixel-size"
        className="side"
      >
        <Group orientation="vertical" id="left-rows">
          <Panel id="program" defaultSize={344} minSize={160} groupResizeBehavior="preserve-pixel-size">
            <Program />
          </Panel>
          <Separator className="bar bar-row" aria-label="Height of the program" />
          <Panel id="measured" minSize={160}>
            <Measured />
          </Panel>
        </Group>
      </Panel>
      <Separator className="bar" aria-label="Width of the program" />
      <Panel id="centre" minSize={480}>
        <Centre />
      </Panel>
      <Separator className="bar" aria-label="Width of the kernels" />
      <Panel
        id="right"
        defaultSize={358}
        minSize={COLUMN_LEAST}
        groupResizeBehavior="preserve-pixel-size"
        className="side"
      >
        <Region name="Kernels" pane="kernels">
          <KernelInspector />
        </Region>
      </Panel>
    </Group>
  </main>
);

export const Middle = () => (
  <main className="frame">
    <Group orientation="horizontal" id="middle">
      <Panel id="centre" minSize={480}>
        <Centre />
      </Panel>
      <Separator className="bar" aria-label="Width of the side column" />
      <Panel
        id="side"
        defaultSize={348}
        minSize={COLUMN_LEAST}
        groupResizeBehavior="preserve-pixel-size"
        className="side"
      >
        <Group orientation="vertical" id="side-rows">
          <Panel id="program" defaultSize={344} minSize={160} groupResizeBehavior="preserve-pixel-size">
            <Program />
          </Panel>
          <Separator className="bar bar-row" aria-label="Height of the program" />
          <Panel id="kernels" minSize={160}>
            <Region name="Kernels" pane="kernels">
              <KernelInspector run={<MeasuredPanel />} />
            </Region>
          </Panel>
        </Group>
      </Panel>
    </Group>
  </main>
);

const panes: readonly (readonly [Pane, string])[] = [
  ["text", "Text"],
  ["graph", "Graph"],
  ["kernels", "Kernels"],
  ["run", "Run"],
];

function PaneOf({ pane }: { readonly pane: Pane }) {
  switch (pane) {
    case "text":
      return <Program />;
    case "graph":
      return <Centre />;
    case "kernels":
      return (
        <Region name="Kernels" pane="kernels">
          <KernelInspector />
        </Region>
      );
    case "run":
      return <Measured />;
  }
}

export function Narrow() {
  const shown = usePlayground((state) => state.pane);
  return (
    <>
      <main className="frame">
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
