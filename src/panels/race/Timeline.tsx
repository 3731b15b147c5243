/** @file Both plans on one axis of time: kernels as bars, launches as gaps, the moment as a line. In colours that the caller names, so that a file can hold it. */
import type { Lane, Race, RaceKernel } from "../model/race";
import { ticksOf } from "../model/race";
import { measureMicros, showBytes, showMicros } from "../model/units";

/** The colour of a token. */
export type Ink = (token: string) => string;

/** px: from the left to the axis, beside it at the right, the upper edge of the first lane, from lane to lane, and a bar's height. */
export const AXIS = { left: 56, right: 16, top: 24, pitch: 42, bar: 28 } as const;
export const TIMELINE_HEIGHT = AXIS.top + 2 * AXIS.pitch + 24;

/** px that a letter takes, generously. */
const LETTER = 7.3;
const cut = (text: string, room: number): string => {
  const letters = Math.floor(room / LETTER);
  return text.length <= letters ? text : letters >= 3 ? `${text.slice(0, letters - 1)}…` : "";
};

interface BarProps {
  readonly kernel: RaceKernel;
  readonly lane: Lane["name"];
  readonly y: number;
  /** px at a time. */
  readonly at: (time: number) => number;
  readonly time: number;
  readonly ink: Ink;
}

function Bar({ kernel, lane, y, at, time, ink }: BarProps) {
  const { launch, from, to, name, bytes } = kernel;
  const [left, right] = [at(from), at(to)];
  const width = Math.max(1, right - left);
  const done = Math.max(0, Math.min(width, at(time) - left));
  const finished = time >= to;
  const fused = lane === "fused";
  const fill = fused ? (finished ? "accent" : "accent-tint") : "pipe-soft";
  const words = fused && finished ? ink("on-accent") : ink("ink");
  const size = showBytes(bytes);
  const room = width - 14;
  // The name first; its bytes where both fit.
  const both = name.length * LETTER + 12 + size.length * LETTER <= room;
  const shown = cut(name, room);
  const middle = y + AXIS.bar / 2;
  return (
    <g>
      <rect
        x={at(launch)}
        y={middle - 3}
        width={Math.max(0, left - at(launch))}
        height={6}
        fill={ink(time > launch ? "pipe" : "line")}
      />
      <rect x={left} y={y} width={width} height={AXIS.bar} rx={Math.min(4, width / 3)} fill={ink("surface")} />
      <rect x={left} y={y} width={done} height={AXIS.bar} rx={Math.min(4, done / 3)} fill={ink(fill)} />
      <rect
        x={left}
        y={y}
        width={width}
        height={AXIS.bar}
        rx={Math.min(4, width / 3)}
        fill="none"
        stroke={ink(fused ? "accent" : "line-strong")}
      />
      {shown && (
        <text x={left + 7} y={middle + 4} fontSize={12} fontWeight={650} fill={words}>
          {shown}
        </text>
      )}
      {both && (
        <text x={right - 7} y={middle + 4} fontSize={12} textAnchor="end" fill={words}>
          {size}
        </text>
      )}
    </g>
  );
}

interface Props {
  readonly race: Race;
  readonly time: number;
  readonly width: number;
  readonly ink: Ink;
}

function Finish({
  lane,
  y,
  at,
  time,
  width,
  ink,
}: Omit<Props, "race"> & { lane: Lane; y: number; at: BarProps["at"] }) {
  const done = time >= lane.end;
  const x = at(lane.end);
  const text = `${done ? "done at" : "ends at"} ${showMicros(lane.end)}`;
  const beside = x + 10 + text.length * LETTER < width;
  const colour = ink(done ? (lane.name === "fused" ? "accent" : "ink") : "ink-3");
  return (
    <g>
      <path d={`M${x} ${y - 8}v${AXIS.bar + 12}`} stroke={colour} strokeWidth={1.5} />
      <path d={`M${x} ${y - 8}h10l-3 4 3 4h-10z`} fill={colour} />
      <text
        x={beside ? x + 10 : x - 6}
        y={beside ? y + AXIS.bar / 2 + 4 : y - 8}
        fontSize={12}
        fontWeight={650}
        textAnchor={beside ? "start" : "end"}
        fill={colour}
      >
        {text}
      </text>
    </g>
  );
}

/** A group of shapes, `TIMELINE_HEIGHT` high. */
export function Timeline({ race, time, width, ink }: Props) {
  const span = Math.max(1, width - AXIS.left - AXIS.right);
  const at = (when: number): number => AXIS.left + (race.end > 0 ? (Math.min(when, race.end) / race.end) * span : 0);
  const ticks = ticksOf(race.end);
  const measure = measureMicros(ticks.slice(1));
  const floor = AXIS.top + 2 * AXIS.pitch;
  return (
    <g>
      {ticks.map((tick) => {
        const { value, unit } = measure(tick);
        return (
          <g key={tick}>
            <path d={`M${at(tick)} ${AXIS.top - 8}V${floor - 4}`} stroke={ink("line")} />
            <text x={at(tick)} y={floor + 14} fontSize={12} textAnchor="middle" fill={ink("ink-3")}>
              {tick === 0 ? "0" : `${value} ${unit}`}
            </text>
          </g>
        );
      })}
      {race.lanes.map((lane, i) => {
        const y = AXIS.top + i * AXIS.pitch;
        return (
          <g key={lane.name}>
            <text
              x={0}
              y={y + AXIS.bar / 2 + 4}
              fontSize={12}
              fontWeight={650}
              fill={ink(lane.name === "fused" ? "accent" : "ink-2")}
            >
              {lane.name}
            </text>
            {lane.kernels.map((kernel) => (
              <Bar key={kernel.id} {...{ kernel, y, at, time, ink }} lane={lane.name} />
            ))}
            <Finish {...{ lane, y, at, time, width, ink }} />
          </g>
        );
      })}
      <path d={`M${at(time)} ${AXIS.top - 14}V${floor}`} stroke={ink("accent")} strokeWidth={2} />
      <circle cx={at(time)} cy={AXIS.top - 14} r={5} fill={ink("accent")} />
    </g>
  );
}
