/** @file One moment of a race as a picture of its own: the last one for a slide or a chat, all of them as a film. */
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { download } from "../download";
import { laneAt, type Race } from "../model/race";
import { sourceWords } from "../model/race-words";
import { count, measureBytes, showMicros } from "../model/units";
import { filmOf, pngOf } from "../pixels";
import { Timeline, TIMELINE_HEIGHT, type Ink } from "./Timeline";

const POSTER = { width: 960, height: 400 } as const;
const EDGE = 32;

interface Props {
  readonly race: Race;
  readonly time: number;
  readonly title: string;
  readonly ink: Ink;
}

/** One moment of the race as a picture. */
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

/** Draws moments of the race as SVG texts, in the page's own colours. */
function posters(race: Race, title: string): { readonly at: (time: number) => string; readonly end: () => void } {
  const host = document.createElement("div");
  const root = createRoot(host);
  const style = getComputedStyle(document.documentElement);
  const ink = (token: string): string => style.getPropertyValue(`--${token}`).trim();
  return {
    at(time) {
      flushSync(() => root.render(<Poster {...{ race, time, title, ink }} />));
      return new XMLSerializer().serializeToString(host.firstElementChild!);
    },
    end: () => root.unmount(),
  };
}

/** Saves `race.png`: both plans at their end. */
export async function savePicture(race: Race, title: string): Promise<void> {
  const drawn = posters(race, title);
  const png = await pngOf(drawn.at(race.end)).finally(drawn.end);
  download("race.png", "image/png", png);
}

/** Saves `race.webm`: from the start to the end in `millis`. */
export async function saveFilm(race: Race, title: string, millis: number): Promise<void> {
  const drawn = posters(race, title);
  const film = await filmOf((part) => drawn.at(part * race.end), millis).finally(drawn.end);
  download("race.webm", "video/webm", film);
}
