/** @file One moment of a race as a picture of its own: for a slide or a chat, and the frames of its film. */
import { laneAt, type Race } from "../model/race";
import { sourceWords } from "../model/race-words";
import { count, measureBytes, showMicros } from "../model/units";
import { Timeline, TIMELINE_HEIGHT, type Ink } from "./Timeline";

export const POSTER = { width: 960, height: 400 } as const;
const EDGE = 32;

interface Props {
  readonly race: Race;
  readonly time: number;
  readonly title: string;
  readonly ink: Ink;
}

export function Poster({ race, time, title, ink }: Props) {
  const bytes = measureBytes(race.lanes.map((lane) => lane.bytes));
  const { width, height } = POSTER;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      fontFamily="system-ui, sans-serif"
    >
      <rect width={width} height={height} fill={ink("surface")} />
      <text x={EDGE} y={52} fontSize={21} fontWeight={680} fill={ink("ink")}>
        {`${title}, naive against fused`}
      </text>
      <text x={EDGE} y={76} fontSize={13} fill={ink(race.source.kind === "measured" ? "ink-2" : "warn")}>
        {sourceWords(race.source)}
      </text>
      <text x={width - EDGE} y={58} fontSize={28} fontWeight={700} textAnchor="end" fill={ink("ink")}>
        {showMicros(time)}
      </text>
      {race.lanes.map((lane, i) => {
        const { moved } = laneAt(lane, time);
        const all = bytes(lane.bytes);
        const kernels = `${count(lane.kernels.length)} ${lane.kernels.length === 1 ? "kernel" : "kernels"}`;
        const x = EDGE + i * 300;
        return (
          <g key={lane.name}>
            <text x={x} y={122} fontSize={13} fill={ink(i === 1 ? "accent" : "ink-2")}>
              {`${lane.name}: ${kernels}`}
            </text>
            <text x={x} y={150} fontSize={21} fontWeight={680} fill={ink("ink")}>
              {`${bytes(moved).value} of ${all.value} ${all.unit}`}
            </text>
          </g>
        );
      })}
      <g transform={`translate(${EDGE} 190)`}>
        <Timeline race={race} time={time} width={width - 2 * EDGE} ink={ink} />
      </g>
      <text x={EDGE} y={190 + TIMELINE_HEIGHT + 40} fontSize={12} fill={ink("ink-3")}>
        Fusion Playground
      </text>
    </svg>
  );
}
