/** @file One plan's memory: a column a kernel, a bar a value, as long as it is alive. Arrow keys and the pointer go from kernel to kernel. */
import { useState, type KeyboardEvent, type PointerEvent } from "react";
import { playground } from "../../../state";
import type { LiveBar, LivePicture } from "../../model/plan/memory";
import { showBytes } from "../../model/units";
import { useSize } from "../../use-size";

interface Props {
  readonly title: string;
  readonly plan: "naive" | "step" | "fused";
  readonly picture: LivePicture;
  /** Bytes at the top of the chart. */
  readonly most: number;
}

/** Of a full stack, px. */
const HEIGHT = 132;
/** Between neighbouring bars, px. */
const GAP = 1;
const LETTER = 7;
const LINE = 15;

/** The column that a key leads to; null for other keys. */
function columnAfter(key: string, at: number, columns: number): number | null {
  if (key === "ArrowLeft") return Math.max(0, at - 1);
  if (key === "ArrowRight") return Math.min(columns - 1, at + 1);
  return key === "Home" ? 0 : key === "End" ? columns - 1 : null;
}

function Bar({
  bar,
  x,
  y,
}: {
  readonly bar: LiveBar;
  readonly x: (at: number) => number;
  readonly y: (bytes: number) => number;
}) {
  const [left, top] = [x(bar.from), y(bar.high)];
  const width = Math.max(1, x(bar.to + 1) - left - GAP);
  const height = Math.max(1, y(bar.low) - top - GAP);
  const isNamed = height >= LINE && width >= bar.name.length * LETTER + 6;
  return (
    <g data-role={bar.role}>
      <rect x={left} y={top} width={width} height={height} />
      {isNamed && (
        <text x={left + 4} y={top + height / 2 + 4}>
          {bar.name}
        </text>
      )}
    </g>
  );
}

export function MemoryChart({ title, plan, picture, most }: Props) {
  const [ref, { width }] = useSize();
  const [asked, setAsked] = useState<number | null>(null);
  const [pointed, setPointed] = useState<LiveBar | null>(null);
  const { columns, bars, peakAt, peakBytes } = picture;
  const at = Math.min(asked ?? peakAt, columns.length - 1);
  const x = (column: number): number => (column * width) / columns.length;
  const y = (bytes: number): number => HEIGHT * (1 - bytes / most);
  const point = (event: PointerEvent<SVGSVGElement>): void => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const [px, py] = [event.clientX - left, event.clientY - top];
    const column = Math.min(columns.length - 1, Math.max(0, Math.floor((px * columns.length) / width)));
    const bytes = most * (1 - py / HEIGHT);
    const bar =
      bars.find(({ from, to, low, high }) => from <= column && column <= to && low <= bytes && bytes < high) ?? null;
    setAsked(column);
    setPointed(bar);
    playground.getState().actions.hover(bar?.value ?? null);
  };
  const leave = (): void => {
    setPointed(null);
    playground.getState().actions.hover(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = columnAfter(event.key, at, columns.length);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    setPointed(null);
    setAsked(next);
  };
  return (
    <section className="memory-plan" data-plan={plan} aria-label={`Memory of the ${title} plan`}>
      <h3>
        {title}
        <span>peak {showBytes(peakBytes)}</span>
      </h3>
      <div
        ref={ref}
        className="memory-chart"
        role="slider"
        tabIndex={0}
        aria-label={`Memory while the kernels of the ${title} plan run`}
        aria-valuemin={1}
        aria-valuemax={columns.length}
        aria-valuenow={at + 1}
        aria-valuetext={columns[at]!.text}
        onKeyDown={onKeyDown}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true" onPointerMove={point} onPointerLeave={leave}>
          {bars.map((bar) => (
            <Bar key={`${bar.from} ${bar.low} ${bar.text}`} bar={bar} x={x} y={y} />
          ))}
          <rect className="memory-at" x={x(at)} y={0} width={Math.max(2, x(1) - GAP)} height={HEIGHT} />
        </svg>
      </div>
      <p className="memory-axis">
        <span>{columns[0]!.kernel}</span>
        {columns.length > 1 && <span>{columns.at(-1)!.kernel}</span>}
      </p>
      <p className="traffic-note">{pointed?.text ?? columns[at]!.text}</p>
    </section>
  );
}
