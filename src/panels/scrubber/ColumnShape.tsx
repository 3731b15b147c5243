/** @file One column: solid = accepted, hollow under a cross = refused, diamond above = forced, pale = still to come. */
import { heightOf, type Column } from "../model/plan/staircase";

interface Props {
  readonly column: Column;
  /** px: left edge and width of the slot, bottom of the columns, height of the tallest. */
  readonly at: { readonly x: number; readonly pitch: number; readonly floor: number; readonly tall: number };
  readonly tallest: number;
  /** Its verdict waits for a prediction. */
  readonly covered: boolean;
  readonly state: "past" | "now" | "future";
  /** Share of its steps that the cursor has reached. */
  readonly passed: number;
}

const BASE = 8;

/** A ramp from the transfers before a group to those after it. */
function Ramp({ x, width, from, to, bottom, className }: RampShape) {
  return <path className={className} d={`M${x} ${bottom}V${bottom - from}L${x + width} ${bottom - to}V${bottom}z`} />;
}
interface RampShape {
  readonly x: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
  readonly bottom: number;
  readonly className: string;
}

function Mark({ x, y, forced }: { readonly x: number; readonly y: number; readonly forced: boolean }) {
  return forced ? (
    <path className="stairs-diamond" d={`M${x} ${y - 4.5}l4.5 4.5-4.5 4.5-4.5-4.5z`} />
  ) : (
    <path className="stairs-cross" d={`M${x - 3.5} ${y - 3.5}l7 7m0-7l-7 7`} />
  );
}

/** The same for every verdict. */
function Token({ at }: Pick<Props, "at">) {
  const width = Math.max(4, Math.min(22, at.pitch - 8));
  const [middle, top, bottom] = [at.x + at.pitch / 2, BASE, at.floor - 6];
  return (
    <g>
      <title>covered until you answer</title>
      <rect className="stairs-token" x={middle - width / 2} y={top} width={width} height={bottom - top} rx={3} />
      <text className="stairs-question" x={middle} y={(top + bottom) / 2 + 4}>
        ?
      </text>
    </g>
  );
}

export function ColumnShape({ column, at, tallest, covered, state, passed }: Props) {
  if (covered) return <Token at={at} />;
  const ramp = column.kind === "accepted" && column.seqs.length > 1;
  const width = Math.max(2, Math.min(ramp ? Infinity : 22, at.pitch - 8, ramp ? Infinity : at.pitch * 0.72));
  const x = at.x + (at.pitch - width) / 2;
  const bottom = at.floor - 6;
  const height = (left: number): number => heightOf(left, tallest, at.tall - 2);
  const [from, to] = [height(column.from), height(column.to)];
  const many = column.seqs.length > 1;
  const mark = column.kind === "refused" || column.forced;
  const tip = many
    ? `${column.seqs.length} ${column.kind}${column.code ? `, ${column.code}` : ""}, ${column.to} transfers left`
    : `step ${column.seqs[0]} ${column.kind}, ${column.to} transfers left`;
  return (
    <g className={`stairs-column ${column.kind} ${state}`}>
      <title>{tip}</title>
      <rect className="stairs-slot" x={at.x + 1} y={0} width={Math.max(1, at.pitch - 2)} height={at.floor} rx={6} />
      {ramp ? (
        <>
          <Ramp className="stairs-bar pale" {...{ x, width, from, to, bottom }} />
          <clipPath id={`clip-${column.key}`}>
            <rect x={x} y={0} width={width * passed} height={at.floor} />
          </clipPath>
          <g clipPath={`url(#clip-${column.key})`}>
            <Ramp className="stairs-bar" {...{ x, width, from, to, bottom }} />
          </g>
        </>
      ) : (
        <rect className="stairs-bar" x={x} y={bottom - to} width={width} height={to} rx={3} />
      )}
      {mark && <Mark x={at.x + at.pitch / 2} y={bottom - to - 9} forced={column.forced} />}
    </g>
  );
}
