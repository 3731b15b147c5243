/** @file Naive against fused on one clock: bytes move along the pipes, kernels fill their bars, and the last frame is a picture to share. */
import {
  createElement,
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from "react";
import type { Compilation, NodeId, RegionId } from "../../fusion";
import { propsOf, type Shape } from "../../picture";
import { playground, selectPlanned, selectTitle, usePlayground, type PlaygroundState } from "../../state";
import { Icon } from "../../icons";
import { measuredScore } from "../model/run/measured-score";
import { laneAt, raceOf, raceTimes, type Lane, type Race } from "../model/run/race";
import { laneWords, notesOf, sourceWords } from "../model/run/race-words";
import { tallyOf } from "../model/plan/score";
import { count, measureBytes, plural, showBytes } from "../model/units";
import { canFilm } from "../pixels";
import { useSize } from "../use-size";
import { useViewKeys } from "../use-view-keys";
import type { DrawnPlan, Still } from "../still";
import { racePoster } from "../posters/race-poster";
import { AXIS, timeline, TIMELINE_HEIGHT } from "../posters/timeline";
import { saveFilm, savePicture } from "./save-race";
import "./race.css";

const ink = (token: string): string => `var(--${token})`;
const actions = () => playground.getState().actions;

function drawn(shape: Shape | string, key: number): ReactNode {
  return typeof shape === "string"
    ? shape
    : createElement(shape.name, { key, ...propsOf(shape) }, ...shape.inside.map(drawn));
}

/** Shapes as React draws them. They come in a fixed order, so that their index is their key. */
const Drawn = ({ shapes }: { readonly shapes: readonly Shape[] }) => <>{shapes.map(drawn)}</>;
const REDUCED = "(prefers-reduced-motion: reduce)";

interface ShownRace {
  readonly race: Race;
  readonly compilation: Compilation;
  readonly title: string;
}

const titleOf = (state: PlaygroundState): string => selectTitle(state) ?? "This program";

/** Null while the program has no plan. Times of a run count as soon as its results are right. */
function shownRace(
  compilation: Compilation | null,
  run: PlaygroundState["run"],
  text: string,
  title: string,
): ShownRace | null {
  if (!compilation?.naivePlan || !compilation.fusedPlan) return null;
  const plans = { naive: compilation.naivePlan, fused: compilation.fusedPlan };
  const finished = run.status === "done" && measuredScore(run, text, compilation, 0, 0) ? run.run : null;
  return { race: raceOf(plans, finished, compilation.options.profile), compilation, title };
}

/** Remembered while nothing that it depends on changes. */
function useRace(): ShownRace | null {
  const compilation = usePlayground(selectPlanned);
  const run = usePlayground((state) => state.run);
  const text = usePlayground((state) => state.document.text);
  const title = usePlayground(titleOf);
  return useMemo(() => shownRace(compilation, run, text, title), [compilation, run, text, title]);
}

/** px between two pulses, and how far they go while the whole race is played. */
const [GAP, TRAVEL] = [16, 2400];

/** The kernel that runs comes into sight where the graph is higher than its place. */
function keepInSight(outline: SVGRectElement | null): void {
  const still = outline?.closest(".still");
  if (!outline || !still) return;
  const [own, seen] = [outline.getBoundingClientRect(), still.getBoundingClientRect()];
  if (own.top >= seen.top && own.bottom <= seen.bottom) return;
  still.scrollTop += own.top + own.height / 2 - seen.top - seen.height / 2;
}

/** Over the graph: bytes on their way to and from the kernel that runs, and an outline around its ops. */
function pulses(
  { lines, boxes, scene }: DrawnPlan,
  region: RegionId | null,
  runs: boolean,
  moving: Ref<SVGGElement>,
): ReactNode {
  if (region === null) return null;
  const homes = new Map<NodeId, RegionId | undefined>(scene.nodes.map(({ id, kernel }) => [id, kernel?.region]));
  const moved = lines.filter(
    ({ edge }) => edge.kind === "memory" && (homes.get(edge.to) === region || homes.get(edge.from) === region),
  );
  const own = [...boxes].filter(([id]) => homes.get(id) === region);
  return (
    <>
      {own.map(([id, { x, y, width, height }], i) => (
        <rect
          key={id}
          ref={i === 0 ? keepInSight : null}
          x={x - 3}
          y={y - 3}
          width={width + 6}
          height={height + 6}
          rx={10}
          fill="none"
          stroke={ink("accent")}
          strokeWidth={2.5}
        />
      ))}
      <g ref={moving}>
        {runs &&
          moved.map(({ edge, path }) => (
            <path
              key={edge.id}
              d={path}
              fill="none"
              stroke={ink("ink")}
              strokeWidth={Math.max(3, edge.width - 2)}
              strokeLinecap="round"
              strokeDasharray={`0 ${GAP}`}
            />
          ))}
      </g>
    </>
  );
}

interface GraphProps {
  readonly Still: Still;
  readonly compilation: Compilation;
  readonly naive: boolean;
  readonly region: RegionId | null;
  readonly runs: boolean;
  /** What holds the pulses. */
  readonly moving: Ref<SVGGElement>;
}

/** The plan, drawn anew when another kernel runs; between, only the offset of the pulses changes. */
const Graph = memo(function Graph({ Still, compilation, naive, region, runs, moving }: GraphProps) {
  const layout = usePlayground((state) => state.derived.layout);
  const moved = usePlayground((state) => state.document.positions);
  const over = useCallback((picture: DrawnPlan) => pulses(picture, region, runs, moving), [region, runs, moving]);
  return (
    layout && (
      <Still
        {...{ compilation, layout, moved, over }}
        plan={naive ? compilation.naivePlan! : compilation.fusedPlan!}
        cursor={naive ? 0 : compilation.steps.length}
        folds="crowded"
        label={`Op graph, ${naive ? "naive" : "fused"}`}
      />
    )
  );
});

interface SideProps {
  readonly Still: Still;
  readonly lane: Lane;
  readonly shown: ShownRace;
  readonly part: number;
}

function Side({ Still, lane, shown: { race, compilation }, part }: SideProps) {
  const time = part * race.end;
  const { kernel, done, moved: bytes } = laneAt(lane, time);
  const one = measureBytes(race.lanes.map((each) => each.bytes));
  const all = one(lane.bytes);
  const naive = lane.name === "naive";
  const words = laneWords(race, lane, time);
  const tally = tallyOf(race.lanes[0].totals);
  const transfers = tally.text(lane.totals);
  // What ran follows the device; the graph shows the plan.
  const planned = tally.text((naive ? compilation.naivePlan : compilation.fusedPlan)!.totals);
  const moving = useRef<SVGGElement>(null);
  useEffect(() => {
    // Inherited by the pulses alone: nothing else of the page has to be styled anew.
    if (moving.current) moving.current.style.strokeDashoffset = String(-((part * TRAVEL) % GAP));
  });
  return (
    <section className="race-side" data-lane={lane.name} aria-label={`${naive ? "Naive" : "Fused"} plan`}>
      <header>
        <h3>{naive ? "Naive" : "Fused"}</h3>
        <span>
          {plural(lane.kernels.length, "kernel")}, {transfers} {transfers === "1" ? "transfer" : "transfers"}
          {(planned !== transfers || showBytes(lane.planned) !== showBytes(lane.bytes)) &&
            ` as generated for this device (drawn: ${planned}, ${showBytes(lane.planned)} for ${compilation.options.profile.name})`}
        </span>
        <p>
          <span>Moved so far</span> <b>{one(bytes).value}</b> of {all.value} {all.unit}
        </p>
        <span className="race-now" data-done={kernel === null}>
          {words}
        </span>
      </header>
      <div className="race-graph">
        <Graph {...{ Still, compilation, naive, moving }} region={kernel?.region ?? null} runs={done > 0} />
      </div>
    </section>
  );
}

/** What a scrubber says of a moment. */
const momentWords = (race: Race, part: number): string =>
  `${raceTimes(race)(part * race.end)}: ${race.lanes.map((lane) => `${lane.name} ${laneWords(race, lane, part * race.end)}`).join(", ")}`;

function Track({ race, clock }: { readonly race: Race; readonly clock: Clock }) {
  const [host, { width }] = useSize();
  return (
    <div ref={host} className="race-track">
      {width > 0 && (
        <>
          <svg width={width} height={TIMELINE_HEIGHT} aria-hidden="true">
            <Drawn shapes={timeline({ race, time: clock.part * race.end, width, ink })} />
          </svg>
          <input
            type="range"
            aria-label="Time"
            aria-valuetext={momentWords(race, clock.part)}
            min={0}
            max={1}
            step={0.001}
            value={clock.part}
            style={{ left: AXIS.left, width: width - AXIS.left - AXIS.right }}
            onChange={({ target }) => clock.seek(Number(target.value))}
          />
        </>
      )}
    </div>
  );
}

function Result({ race, title }: { readonly race: Race; readonly title: string }) {
  const [saving, setSaving] = useState<string | null>(null);
  const save = (what: string, made: Promise<void>): void => {
    setSaving(`Making the ${what}…`);
    const done = (text: string | null) => (): void => setSaving(text);
    made.then(done(null), done(`The browser could not make the ${what}.`));
  };
  const [naive, fused] = race.lanes;
  return (
    <aside className="race-result" aria-label="Result to share">
      <h3>Result to share</h3>
      <table>
        <caption>{title}</caption>
        <tbody>
          {[naive, fused].map((lane) => (
            <tr key={lane.name} data-lane={lane.name}>
              <th scope="row">{lane.name}</th>
              <td>{raceTimes(race)(lane.end)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="race-save">
        <button type="button" className="plain" onClick={() => actions().openDialog("share")}>
          Link
        </button>
        <button type="button" className="plain" onClick={() => save("picture", savePicture(race, title))}>
          PNG
        </button>
        {canFilm() && (
          <button
            type="button"
            className="plain"
            disabled={saving !== null}
            onClick={() => save("film", saveFilm(race, title, RACE_MILLIS))}
          >
            WebM
          </button>
        )}
      </p>
      <p role="status">{saving}</p>
    </aside>
  );
}

/** Where the clock came to rest is a part of the link. */
const rested = (part: number): void => {
  const { race, actions: can } = playground.getState();
  if (race && race.at !== part) can.race({ at: part });
};

function Running({ Still, shown }: { readonly Still: Still; readonly shown: ShownRace }) {
  const { race, title } = shown;
  const [begin] = useState(() => playground.getState().race?.at ?? null);
  const [still] = useState(() => matchMedia(REDUCED).matches);
  const clock = useClock(begin, still, rested);
  const { part, playing, toggle, seek } = clock;
  useViewKeys({
    ".": toggle,
    ArrowRight: () => seek(part + 0.02),
    ArrowLeft: () => seek(part - 0.02),
    Home: () => seek(0),
    End: () => seek(1),
  });
  const say = raceTimes(race);
  const slower = race.end > 0 ? (RACE_MILLIS * 1e3) / race.end : 1;
  const speed = slower >= 1 ? `${count(Number(slower.toPrecision(1)))} times slower` : "faster than it is";
  return (
    <>
      <div className="race-sides">
        {race.lanes.map((lane) => (
          <Side key={lane.name} {...{ Still, lane, shown, part }} />
        ))}
        <div className="race-clock" role="timer" aria-label="Clock" aria-live="off">
          <span>Clock</span>
          <b>{say(part * race.end)}</b>
        </div>
      </div>
      <footer className="race-foot" data-pane="time" tabIndex={-1}>
        <div className="race-line">
          <button
            type="button"
            className="race-play"
            aria-label={playing ? "Pause" : "Play"}
            title={still ? "Motion is reduced on this device: drag the time instead." : playing ? "Pause" : "Play"}
            onClick={toggle}
          >
            <Icon name={playing ? "pause" : "play"} size={18} />
          </button>
          <p>
            <b>
              {say(part * race.end)} of {say(race.end)}
            </b>
            , shown about {speed}
          </p>
          <span className="race-source" data-kind={race.source.kind}>
            {sourceWords(race.source)}
          </span>
        </div>
        <div className="race-along">
          <Track race={race} clock={clock} />
          {notesOf(race).map((note) => (
            <p key={note}>{note}</p>
          ))}
        </div>
        <Result race={race} title={title} />
      </footer>
      <p className="offscreen" role="status">
        {playing ? "" : momentWords(race, part)}
      </p>
    </>
  );
}

/** What races; that both plans are one and the same, where fusion changed nothing. */
function raceWords(shown: ShownRace | null): string {
  if (!shown) return "There is no plan to race yet.";
  const { title, compilation } = shown;
  const changed = compilation.steps.some(({ accepted }) => accepted);
  return changed ? `${title}, naive against fused` : `${title}: both plans are the same, since nothing was fused.`;
}

export function RaceView({ Still }: { readonly Still: Still }) {
  const shown = useRace();
  return (
    <main className="frame race" aria-label="Race">
      <header className="race-head">
        <h2>Race</h2>
        <span>{raceWords(shown)}</span>
        <button type="button" className="plain" onClick={() => actions().race(null)}>
          Close
        </button>
      </header>
      {shown && <Running key={shown.compilation.text} Still={Still} shown={shown} />}
    </main>
  );
}

/** The last frame of the race of the program on the page, as a picture to share; nothing where there is no plan. */
export function LastFrame() {
  const shown = useRace();
  if (!shown) return null;
  const { race, title } = shown;
  return (
    <figure className="race-frame">
      <Drawn shapes={[racePoster(race, race.end, title, ink)]} />
      <figcaption>
        <button type="button" className="plain" onClick={() => void savePicture(race, title)}>
          Save this picture, .png
        </button>
      </figcaption>
    </figure>
  );
}

/** The whole race takes this long, ms. */
const RACE_MILLIS = 7000;

interface Clock {
  /** Part of the race, 0 to 1. */
  readonly part: number;
  readonly playing: boolean;
  readonly toggle: () => void;
  readonly seek: (part: number) => void;
}

/** `begin`: where it stands at first; null plays from the start. `rested` hears where it comes to rest. */
function useClock(begin: number | null, still: boolean, rested: (part: number) => void): Clock {
  const [part, setPart] = useState(still && begin === null ? 1 : (begin ?? 0));
  const [playing, setPlaying] = useState(begin === null && !still);
  useEffect(() => {
    if (!playing) return undefined;
    let frame = 0;
    let before: number | null = null;
    const advance = (now: number): void => {
      const passed = before === null ? 0 : now - before;
      before = now;
      setPart((at) => Math.min(1, at + passed / RACE_MILLIS));
      frame = requestAnimationFrame(advance);
    };
    frame = requestAnimationFrame(advance);
    return () => cancelAnimationFrame(frame);
  }, [playing]);
  const running = playing && part < 1;
  useEffect(() => {
    if (!running) rested(part);
  }, [running, part, rested]);
  const seek = (to: number): void => {
    setPlaying(false);
    setPart(Math.max(0, Math.min(1, to)));
  };
  return {
    part,
    playing: running,
    seek,
    toggle() {
      if (still) return seek(1);
      if (running) return setPlaying(false);
      if (part >= 1) setPart(0);
      setPlaying(true);
    },
  };
}
