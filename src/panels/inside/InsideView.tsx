/** @file One kernel at work: memory, threads and workgroup memory as its own instructions move numbers between them. */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { bytesMoved, kernelTitle, type Kernel, type WatchedKernel } from "../../fusion";
import { playground, usePlayground } from "../../state";
import { heatPalette, type HeatPalette } from "../heat";
import { Icon } from "../../icons";
import { useShownKernel } from "../inspector/use-shown-kernel";
import {
  barriersUpTo,
  groupsOf,
  Held,
  lengthOf,
  loopWords,
  momentWords,
  movedAt,
  nextBarrier,
  threadsOf,
} from "../model/kernel/inside";
import { count, plural } from "../model/units";
import { useSize } from "../use-size";
import { useViewKeys } from "../use-view-keys";
import { BusyBars } from "./BusyBars";
import { drawMoves, drawState, sceneOf } from "./scene";
import { MomentTable, TextAt } from "./TextAt";
import { useFilm } from "./use-film";
import "../race/race.css";
import "./inside.css";

const actions = () => playground.getState().actions;
const REDUCED = "(prefers-reduced-motion: reduce)";
const SPEEDS = [0.25, 0.5, 1, 2, 4];
/** More workgroups than these are not listed. */
const MAX_GROUPS = 64;

/** What the worker says of a kernel; null while it looks. */
function useWatched(kernel: Kernel | null, workgroup: number): WatchedKernel | string | null {
  const compilation = usePlayground((state) => state.derived.compilation);
  const cursor = usePlayground((state) => state.cursor);
  const [found, setFound] = useState<{ readonly key: unknown; readonly answer: WatchedKernel | string } | null>(null);
  const id = kernel?.id;
  const key = useMemo(() => ({ compilation, cursor, id, workgroup }), [compilation, cursor, id, workgroup]);
  useEffect(() => {
    let wanted = true;
    if (kernel)
      void actions()
        .watchKernel(kernel, workgroup)
        .then((answer) => wanted && setFound({ key, answer }));
    return () => {
      wanted = false;
    };
    // The kernel is the plan's, which the key names.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key]);
  return found?.key === key ? found.answer : null;
}

/** px of labels that the scene is laid out in; where labels are larger, on a projector, all of it is. */
const DRAWN_LABEL = 12;
const labelOf = (element: Element): number =>
  Number.parseFloat(getComputedStyle(element).getPropertyValue("--text-label")) || DRAWN_LABEL;

interface PictureProps {
  readonly watched: WatchedKernel;
  readonly at: number;
  readonly onDraw: (draw: (at: number, part: number) => void) => void;
}

/** The canvas: drawn anew by the clock while it plays, and whenever size, theme or moment change. */
function Picture({ watched: { recording }, at, onDraw }: PictureProps) {
  const [host, { width, height }] = useSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = usePlayground((state) => state.shownTheme);
  const held = useMemo(() => new Held(recording), [recording]);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!canvas.current || !context || width === 0) return undefined;
    const zoom = labelOf(canvas.current) / DRAWN_LABEL;
    const scene = sceneOf(recording, width / zoom, height / zoom);
    const pixels = window.devicePixelRatio || 1;
    const scale = pixels * zoom;
    canvas.current.width = Math.round(width * pixels);
    canvas.current.height = Math.round(height * pixels);
    context.scale(scale, scale);
    const palette: HeatPalette = heatPalette(canvas.current);
    // Many cells stay as they are while a few numbers move: they are drawn once for both ends of a moment.
    const behind = document.createElement("canvas");
    behind.width = canvas.current.width;
    behind.height = canvas.current.height;
    const state = behind.getContext("2d")!;
    state.scale(scale, scale);
    let drawn = "";
    onDraw((moment, part) => {
      const wanted = `${moment} ${part >= 1}`;
      if (wanted !== drawn) drawState(state, scene, palette, held, moment, part >= 1);
      drawn = wanted;
      context.clearRect(0, 0, scene.width, scene.height);
      context.drawImage(behind, 0, 0, scene.width, scene.height);
      const now = recording.moments[moment];
      if (now) drawMoves(context, scene, palette, recording, now, part);
    });
    return () => onDraw(() => {});
  }, [held, recording, width, height, theme, onDraw]);
  return (
    <div ref={host} className="inside-picture">
      <canvas
        ref={canvas}
        style={{ width, height }}
        role="img"
        aria-label={`The kernel's memory and threads. ${momentWords(recording, at)}.`}
      />
    </div>
  );
}

function Facts({
  watched,
  at,
  onGroup,
}: {
  readonly watched: WatchedKernel;
  readonly at: number;
  readonly onGroup: (group: number) => void;
}) {
  const { recording, kernel, smaller, sameKind } = watched;
  const { moments, workgroup } = recording;
  const groups = groupsOf(recording);
  const moved = movedAt(recording, at);
  const read = bytesMoved(kernel.reads);
  const written = bytesMoved(kernel.writes);
  const barriers = barriersUpTo(recording, moments.length);
  return (
    <div className="inside-facts">
      <dl>
        <div>
          <dt>
            <label htmlFor="inside-group">Workgroup</label>
          </dt>
          <dd>
            <select id="inside-group" value={workgroup} onChange={({ target }) => onGroup(Number(target.value))}>
              {Array.from({ length: Math.min(groups, MAX_GROUPS) }, (_, i) => (
                <option key={i} value={i}>
                  {i + 1}
                </option>
              ))}
            </select>{" "}
            <small>of {count(groups)}</small>
          </dd>
        </div>
        <div>
          <dt>Threads busy</dt>
          <dd>
            <b>{count(moments[at]?.threads.length ?? 0)}</b> <small>of {count(threadsOf(recording))}</small>
          </dd>
        </div>
        <div>
          <dt>Barriers</dt>
          <dd>
            <b>{count(barriersUpTo(recording, at))}</b> <small>of {count(barriers)}</small>
          </dd>
        </div>
        <div>
          <dt>Read</dt>
          <dd>
            <b>{count(moved.read)} B</b> <small>of {count(read)}</small>
          </dd>
        </div>
        <div>
          <dt>Written</dt>
          <dd>
            <b>{count(moved.written)} B</b> <small>of {count(written)}</small>
          </dd>
        </div>
      </dl>
      <p>
        {smaller ? "Real numbers, at a smaller size: " : "Real numbers: "}the interpreter ran this kernel.{" "}
        {!sameKind && "At the program's own size the planner generates other code. "}
        {recording.schedule}
      </p>
    </div>
  );
}

/** Where the film came to rest is a part of the link. */
const rested = (at: number): void => {
  const { inside, actions: can } = playground.getState();
  if (inside && inside.at !== at) can.lookInside({ ...inside, at });
};

function Running({ watched, onGroup }: { readonly watched: WatchedKernel; readonly onGroup: (group: number) => void }) {
  const { recording } = watched;
  const [begin] = useState(() => playground.getState().inside?.at ?? null);
  const [still] = useState(() => matchMedia(REDUCED).matches);
  const [speed, setSpeed] = useState(1);
  const drawn = useRef<(at: number, part: number) => void>(() => {});
  const now = useRef({ at: 0, part: 1 });
  const frame = useCallback((at: number, part: number): void => {
    now.current = { at, part };
    drawn.current(at, part);
  }, []);
  const length = lengthOf(recording);
  const film = useFilm(length, begin, still, speed, frame, rested);
  const { at, playing, seek, toggle } = film;
  const onDraw = useCallback((draw: (at: number, part: number) => void): void => {
    drawn.current = draw;
    draw(now.current.at, now.current.part);
  }, []);
  useEffect(() => {
    if (!playing) frame(at, 1);
  }, [at, playing, frame]);
  useViewKeys({
    ".": toggle,
    ArrowRight: () => seek(at + 1),
    ArrowLeft: () => seek(at - 1),
    "Shift ArrowRight": () => seek(nextBarrier(recording, at, 1)),
    "Shift ArrowLeft": () => seek(nextBarrier(recording, at, -1)),
    Home: () => seek(0),
    End: () => seek(length - 1),
  });
  const moment = recording.moments[at];
  const words = momentWords(recording, at);
  const loops = loopWords(moment);
  return (
    <>
      <Facts watched={watched} at={at} onGroup={onGroup} />
      <div className="inside-body">
        <Picture watched={watched} at={at} onDraw={onDraw} />
        <aside className="inside-side" aria-label="Code and accesses">
          <TextAt wgsl={recording.wgsl} line={moment?.line ?? null} />
          {moment && <MomentTable moment={moment} />}
        </aside>
      </div>
      <footer className="inside-foot" data-pane="time" tabIndex={-1}>
        <div className="inside-line">
          <button type="button" aria-label="One moment back" disabled={at === 0} onClick={() => seek(at - 1)}>
            <Icon name="back" size={18} />
          </button>
          <button
            type="button"
            className="race-play"
            aria-label={playing ? "Pause" : "Play"}
            title={still ? "Motion is reduced on this device: each press is one moment." : playing ? "Pause" : "Play"}
            onClick={toggle}
          >
            <Icon name={playing ? "pause" : "play"} size={18} />
          </button>
          <button type="button" aria-label="One moment on" disabled={at === length - 1} onClick={() => seek(at + 1)}>
            <Icon name="forward" size={18} />
          </button>
          <label>
            Speed{" "}
            <select value={speed} onChange={({ target }) => setSpeed(Number(target.value))}>
              {SPEEDS.map((each) => (
                <option key={each} value={each}>
                  {each} ×
                </option>
              ))}
            </select>
          </label>
          <p>
            <b>
              Moment {count(at + 1)} of {count(length)}
            </b>
            : {words}
            {loops && <small> with {loops}</small>}
            {recording.cut && at === length - 2 && " Only a part of this workgroup is shown."}
          </p>
        </div>
        <BusyBars recording={recording} at={at} words={words} onSeek={seek} />
      </footer>
      <p className="offscreen" role="status">
        {playing ? "" : words}
      </p>
    </>
  );
}

export function InsideView() {
  const { plan, kernel } = useShownKernel();
  const workgroup = usePlayground((state) => state.inside?.workgroup ?? 0);
  const watched = useWatched(kernel, workgroup);
  const show = (id: string): void => {
    actions().showKernel(id);
    actions().lookInside({});
  };
  return (
    <main className="frame inside" aria-label="Inside a kernel">
      <header className="race-head">
        <h2>Inside a kernel</h2>
        {plan && kernel && (
          <select aria-label="Kernel" value={kernel.id} onChange={({ target }) => show(target.value)}>
            {plan.kernels.map((each) => (
              <option key={each.id} value={each.id}>
                {kernelTitle(each)}
              </option>
            ))}
          </select>
        )}
        <span>{plan && plural(plan.kernels.length, "kernel") + " at this step"}</span>
        <button type="button" className="plain" onClick={() => actions().openDialog("share")}>
          Link
        </button>
        <button type="button" className="plain" onClick={() => actions().lookInside(null)}>
          Close
        </button>
      </header>
      {typeof watched === "string" ? (
        <p className="inside-none" role="alert">
          {watched}
        </p>
      ) : watched ? (
        <Running
          key={`${watched.recording.name} ${watched.recording.workgroup} ${watched.recording.wgsl.length}`}
          watched={watched}
          onGroup={(group) => actions().lookInside({ workgroup: group })}
        />
      ) : (
        <p className="inside-none" role="status">
          {kernel ? "Running the kernel…" : "There is no kernel to look into yet."}
        </p>
      )}
    </main>
  );
}
