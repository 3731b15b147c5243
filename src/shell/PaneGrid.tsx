/** @file Panes on a grid, written in the order they are read, with bars between them that one drags, moves by arrows, or double-clicks back. */
import {
  Fragment,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from "react";

/** A column or a row of the grid. */
export interface Track {
  readonly id: string;
  /** px at first, or as much as its content needs; null takes what is left, and one track of each direction does. */
  readonly size: number | "content" | null;
  readonly least: number;
  /** px that a track as large as its content leaves to the others; `LEFT` unless something else is said. */
  readonly leaves?: number;
  /** What the bar beside it changes: `Width of the kernels`. Only tracks with a size have one. */
  readonly bar?: string;
  /** The area that its bar stands beside, where that is not called like the track. */
  readonly area?: string;
}

export interface GridPane {
  readonly area: string;
  readonly content: ReactNode;
  /** The tracks whose bars come after this pane. */
  readonly bars?: readonly string[];
}

export interface GridPlan {
  /** Rows of area names, as `grid-template-areas` takes them; the bar of track `x` stands in area `x-bar`. */
  readonly areas: readonly string[];
  readonly columns: readonly Track[];
  readonly rows: readonly Track[];
  /** In reading order, which need not be the order on the grid. */
  readonly panes: readonly GridPane[];
}

/** px that a track as large as its content leaves to the others. */
const LEFT = 240;

/** px that an arrow key moves a bar. */
const STEP = 16;

/** The size that fits: at least the track's own least, and leaving every other track its size or least. */
export function fitting(wanted: number, track: Track, others: number, room: number): number {
  return Math.round(Math.max(track.least, Math.min(wanted, room - others)));
}

interface Tracks {
  /** For `grid-template-columns` or `-rows`. */
  readonly template: string;
  /** Null for a track without one. */
  readonly bar: (id: string) => ReactNode;
}

function useTracks(across: boolean, tracks: readonly Track[], root: RefObject<HTMLElement | null>): Tracks {
  const [sizes, setSizes] = useState<Readonly<Record<string, number>>>({});
  const sizeOf = (track: Track): number | null =>
    track.size === null
      ? null
      : (sizes[track.id] ?? (track.size === "content" ? contentOf(track.area ?? track.id) : track.size));
  /** px that a track without a size of its own has now. */
  const contentOf = (area: string): number | null => {
    const pane = root.current?.querySelector<HTMLElement>(`.grid-${area}`);
    return pane ? (across ? pane.offsetWidth : pane.offsetHeight) : null;
  };
  const resize = (track: Track, wanted: number): void => {
    const room = (across ? root.current?.clientWidth : root.current?.clientHeight) ?? 0;
    const others = tracks.reduce(
      (sum, other) => sum + (other === track ? 0 : (sizeOf(other) ?? other.least)),
      tracks.length - 1,
    );
    setSizes((known) => ({ ...known, [track.id]: fitting(wanted, track, others, room) }));
  };
  // A track before the flexible one grows with the pointer, one after it grows against it.
  const flexible = tracks.findIndex(({ size }) => size === null);
  const widths = tracks.map((track) => {
    if (track.size === "content" && sizes[track.id] === undefined)
      return `fit-content(calc(100% - ${track.leaves ?? LEFT}px))`;
    const size = track.size === null ? null : (sizes[track.id] ?? track.size);
    return size === null ? `minmax(${track.least}px, 1fr)` : `minmax(${track.least}px, ${size}px)`;
  });
  return {
    template: widths.join(" 1px "),
    bar(id) {
      const at = tracks.findIndex((track) => track.id === id);
      const track = tracks[at];
      if (!track?.bar) return null;
      return (
        <Bar
          area={`${track.area ?? id}-bar`}
          across={across}
          label={track.bar}
          value={sizeOf(track) ?? track.least}
          least={track.least}
          onMove={(by) => resize(track, (sizeOf(track) ?? 0) + by * (at < flexible ? 1 : -1))}
          onReset={() => {
            if (typeof track.size === "number") resize(track, track.size);
            else setSizes((known) => Object.fromEntries(Object.entries(known).filter(([other]) => other !== track.id)));
          }}
        />
      );
    },
  };
}

export function PaneGrid({ plan }: { readonly plan: GridPlan }) {
  const root = useRef<HTMLElement>(null);
  const columns = useTracks(true, plan.columns, root);
  const rows = useTracks(false, plan.rows, root);
  const gridTemplateAreas = plan.areas.map((row) => `"${row}"`).join(" ");
  return (
    <main
      ref={root}
      className="frame pane-grid"
      style={{ gridTemplateAreas, gridTemplateColumns: columns.template, gridTemplateRows: rows.template }}
    >
      {plan.panes.map(({ area, content, bars = [] }) => (
        <Fragment key={area}>
          <div className={`grid-pane grid-${area}`} style={{ gridArea: area }}>
            {content}
          </div>
          {bars.map((id) => (
            <Fragment key={id}>{columns.bar(id) ?? rows.bar(id)}</Fragment>
          ))}
        </Fragment>
      ))}
    </main>
  );
}

interface BarProps {
  readonly area: string;
  readonly across: boolean;
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly onMove: (by: number) => void;
  readonly onReset: () => void;
}

function Bar({ area, across, label, value, least, onMove, onReset }: BarProps) {
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
      style={{ gridArea: area }}
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
