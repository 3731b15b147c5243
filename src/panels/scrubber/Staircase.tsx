/** @file The staircase itself: a slider over the steps, drawn as falling columns, with the passes named below. */
import { useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { passTitle, type Compilation, passCatalogue } from "../../fusion";
import { playground } from "../../state";
import {
  columnAt,
  seqInColumn,
  slotAt,
  slotsOf,
  staircaseOf,
  type Slots,
  type Staircase as Stairs,
  type Staircase,
} from "../model/plan/staircase";
import { stepAnnouncement } from "../model/plan/step-words";
import { useSize } from "../use-size";
import { ColumnShape } from "./ColumnShape";
import { plural } from "../model/units";

/** Bottom of the columns, px: as low as the row allows, with the names of the passes below. */
const floorIn = (height: number): number => Math.min(56, Math.max(36, height - 28));
/** Room above the tallest column for its mark, px. */
const MARK = 16;

function useStairs({ steps, naivePlan }: Compilation) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const stairs = useMemo(
    () => (naivePlan ? staircaseOf(steps, naivePlan.totals, open) : null),
    [steps, naivePlan, open],
  );
  const expand = (key: string): void => setOpen((before) => new Set([...before, key]));
  return [stairs, expand] as const;
}

interface SliderProps {
  readonly stairs: Stairs;
  readonly compilation: Compilation;
  readonly cursor: number;
  /** Decisions whose verdict may be seen. */
  readonly known: number;
  readonly slots: Slots;
  /** Bottom of the columns, px. */
  readonly floor: number;
  readonly expand: (key: string) => void;
}

const actionsOf = () => playground.getState().actions;

function stepByKey(event: KeyboardEvent, last: number): void {
  const actions = actionsOf();
  const moves: Readonly<Record<string, () => void>> = {
    ArrowRight: () => (event.shiftKey ? actions.nextRefusal() : actions.stepForward()),
    ArrowUp: () => actions.stepForward(),
    ArrowLeft: () => actions.stepBack(),
    ArrowDown: () => actions.stepBack(),
    PageDown: () => actions.nextPass(1),
    PageUp: () => actions.nextPass(-1),
    Home: () => actions.stepTo(0),
    End: () => actions.stepTo(last),
  };
  const move = moves[event.key];
  if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  move();
}

/** px that stay free between two names. */
const BETWEEN = 12;
const widths = new Map<string, number>();

/** px that the name of a pass takes in the page's font, bold as that of the current step is. */
function nameWidth(pass: string): number {
  const known = widths.get(pass);
  if (known !== undefined) return known;
  const context = document.createElement("canvas").getContext("2d")!;
  context.font = `650 12px ${getComputedStyle(document.body).fontFamily}`;
  const width = Math.ceil(context.measureText(passTitle(pass)).width) + BETWEEN;
  widths.set(pass, width);
  return width;
}
/** px at the right for the count of the passes that decided nothing. */
const SILENT = 108;

function Slider({ stairs, compilation, cursor, known, slots, floor, expand }: SliderProps) {
  const dragging = useRef(false);
  const now = columnAt(stairs, cursor);
  const step = compilation.steps[cursor - 1];
  const total = compilation.steps.length;
  const pressAt = (event: PointerEvent<SVGSVGElement>, first: boolean): void => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const { column: slot, share } = slotAt(slots, x);
    const column = stairs.columns[slot];
    if (!column) return;
    if (first && column.code !== null && column.seqs.length > 1) expand(column.key);
    actionsOf().stepTo(seqInColumn(column, share));
  };
  return (
    <svg
      className="stairs"
      width={slots.width}
      height={floor}
      role="slider"
      tabIndex={0}
      aria-label="Step"
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={cursor}
      aria-valuetext={step ? stepAnnouncement(compilation, step) : "Naive plan"}
      onKeyDown={(event) => stepByKey(event, total)}
      onPointerDown={(event) => {
        dragging.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        pressAt(event, true);
      }}
      onPointerMove={(event) => dragging.current && pressAt(event, false)}
      onPointerUp={() => (dragging.current = false)}
      onPointerCancel={() => (dragging.current = false)}
    >
      {known < total && (
        <pattern id="stairs-hatch" width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line className="stairs-hatch-line" x1="2.5" x2="2.5" y1="0" y2="10" />
        </pattern>
      )}
      {stairs.columns.map((column, i) => (
        <ColumnShape
          key={column.key}
          column={column}
          at={{ x: slots.left[i]!, pitch: slots.widths[i]!, floor, tall: floor - MARK }}
          tallest={stairs.tallest}
          covered={column.seqs.at(-1)! > known}
          state={i === now ? "now" : column.seqs[0]! > cursor ? "future" : "past"}
          passed={column.seqs.filter((seq) => seq <= cursor).length / column.seqs.length}
        />
      ))}
    </svg>
  );
}

interface StaircaseProps {
  readonly compilation: Compilation;
  readonly cursor: number;
  /** Decisions whose verdict may be seen. */
  readonly known: number;
}

export function Staircase({ compilation, cursor, known }: StaircaseProps) {
  const [host, { width, height }] = useSize();
  const [stairs, expand] = useStairs(compilation);
  const slots = useMemo(
    () => stairs && slotsOf(stairs, width > 2 * SILENT ? width - SILENT : width, nameWidth),
    [stairs, width],
  );
  return (
    <div className="stairs-box" ref={host}>
      {stairs && slots && width > 0 && (
        <>
          <Slider
            stairs={stairs}
            compilation={compilation}
            cursor={cursor}
            known={known}
            slots={slots}
            floor={floorIn(height)}
            expand={expand}
          />
          <PassNames stairs={stairs} slots={slots} now={columnAt(stairs, cursor)} title={passTitle} />
        </>
      )}
    </div>
  );
}

/** A name that is cut shorter than this says nothing, px. */
const LEAST = 36;

interface Props {
  readonly stairs: Staircase;
  readonly slots: Slots;
  /** Column of the current step, -1 before the first. */
  readonly now: number;
  readonly title: (pass: string) => string;
}

function PassNames({ stairs, slots, now, title }: Props) {
  const silent = passCatalogue.length - new Set(stairs.passes.map(({ pass }) => pass)).size;
  const open = (pass?: string): void => playground.getState().actions.openDialog("options", pass ?? "passes");
  return (
    <div className="stairs-passes">
      {stairs.passes.map(({ pass, first, last, steps }, i) => {
        const { left, width } = slots.passes[i]!;
        const name = title(pass);
        return (
          <button
            type="button"
            key={`${pass}-${first}`}
            className="stairs-pass"
            aria-current={first <= now && now <= last ? "step" : undefined}
            aria-label={`${name}, ${plural(steps, "step")}: options`}
            title={`${name}: ${plural(steps, "step")}`}
            style={{ left: left + 3, width: Math.max(1, width - 6) }}
            onClick={() => open(pass)}
          >
            {width >= LEAST ? name : ""}
          </button>
        );
      })}
      {silent > 0 && (
        <button
          type="button"
          className="stairs-silent"
          onClick={() => open()}
          aria-label={`${plural(silent, "pass", "passes")} decided nothing`}
        >
          {plural(silent, "other pass", "other passes")}
        </button>
      )}
    </div>
  );
}
