/** @file Panes side by side or one above the other, with bars between them that one drags, moves by arrows, or doubles-clicks back. */
import { Fragment, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";

export interface SplitPane {
  readonly id: string;
  /** px at first; null takes what is left, and one pane does. */
  readonly size: number | null;
  readonly least: number;
  readonly content: ReactNode;
  /** What the bar beside it changes: `Width of the kernels`. Only panes with a size have one. */
  readonly bar?: string;
}

interface Props {
  readonly across: boolean;
  readonly panes: readonly SplitPane[];
}

/** px that an arrow key moves a bar. */
const STEP = 16;

/** The size that fits: at least the pane's own least, and leaving every other pane its size or least. */
export function fitting(wanted: number, pane: SplitPane, others: number, room: number): number {
  return Math.round(Math.max(pane.least, Math.min(wanted, room - others)));
}

export function Split({ across, panes }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const [sizes, setSizes] = useState<Readonly<Record<string, number>>>({});
  const sizeOf = (pane: SplitPane): number | null => (pane.size === null ? null : (sizes[pane.id] ?? pane.size));
  const room = (): number => (across ? root.current?.clientWidth : root.current?.clientHeight) ?? 0;
  const resize = (pane: SplitPane, wanted: number): void => {
    const others = panes.reduce(
      (sum, other) => sum + (other === pane ? 0 : (sizeOf(other) ?? other.least)),
      panes.length - 1,
    );
    setSizes((known) => ({ ...known, [pane.id]: fitting(wanted, pane, others, room()) }));
  };
  // A pane before the flexible one grows with the pointer, one after it grows against it.
  const flexible = panes.findIndex((pane) => pane.size === null);
  const direction = (i: number): 1 | -1 => (i < flexible ? 1 : -1);
  const tracks = panes.map((pane) => {
    const size = sizeOf(pane);
    return size === null ? `minmax(${pane.least}px, 1fr)` : `minmax(${pane.least}px, ${size}px)`;
  });
  const bar = (pane: SplitPane, i: number): ReactNode => (
    <Bar
      across={across}
      label={pane.bar ?? pane.id}
      value={sizeOf(pane) ?? pane.least}
      least={pane.least}
      onMove={(by) => resize(pane, (sizeOf(pane) ?? 0) + by * direction(i))}
      onReset={() => resize(pane, pane.size ?? pane.least)}
    />
  );
  return (
    <div
      ref={root}
      className="split"
      style={across ? { gridTemplateColumns: tracks.join(" 1px ") } : { gridTemplateRows: tracks.join(" 1px ") }}
    >
      {panes.map((pane, i) => (
        <Fragment key={pane.id}>
          {i > flexible && flexible !== -1 && bar(pane, i)}
          <div className={`split-pane split-${pane.id}`}>{pane.content}</div>
          {i < flexible && bar(pane, i)}
        </Fragment>
      ))}
    </div>
  );
}

interface BarProps {
  readonly across: boolean;
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly onMove: (by: number) => void;
  readonly onReset: () => void;
}

function Bar({ across, label, value, least, onMove, onReset }: BarProps) {
  const last = useRef<number | null>(null);
  const at = (event: PointerEvent): number => (across ? event.clientX : event.clientY);
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }[event.key];
    if (event.key === "Home") onReset();
    else if (by === undefined) return;
    else onMove(by);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      className={across ? "bar" : "bar bar-row"}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={across ? "vertical" : "horizontal"}
      aria-valuenow={Math.round(value)}
      aria-valuemin={least}
      onKeyDown={onKeyDown}
      onDoubleClick={onReset}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        last.current = at(event);
      }}
      onPointerMove={(event) => {
        if (last.current === null) return;
        onMove(at(event) - last.current);
        last.current = at(event);
      }}
      onPointerUp={() => (last.current = null)}
      onPointerCancel={() => (last.current = null)}
    />
  );
}
