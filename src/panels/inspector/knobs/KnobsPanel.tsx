/** @file How the shown kernel is written, where a person chooses instead of the planner: knobs, what they change, a sweep on this device. */
import { lazy, Suspense, useEffect, useState } from "react";
import { kernelTitle, type Kernel, type KnobSheet, type NodeId } from "../../../fusion";
import { playground, usePlayground } from "../../../state";
import { changesOf, wgslOf, isClear, knobTitle, sweepRows, type SweepRow } from "../../model/kernel/knobs";
import { KnobLine } from "./KnobLine";
import "./knobs.css";

const DiffDialog = lazy(() => import("../code/DiffDialog").then(({ DiffDialog: dialog }) => ({ default: dialog })));

const LABELS = { original: "WGSL as the planner writes it, read-only", modified: "WGSL as chosen, read-only" };

/** The sheet of the shown kernel; the one before stays while the next is asked for. */
function useSheet({ region }: Kernel): KnobSheet | null {
  const compilation = usePlayground((state) => state.derived.compilation);
  const cursor = usePlayground((state) => state.cursor);
  const known = usePlayground((state) => state.knobs);
  useEffect(() => {
    void playground.getState().actions.askKnobs(region);
  }, [compilation, cursor, region]);
  return known?.region === region ? known.sheet : null;
}

function Changes({ sheet, title }: { readonly sheet: KnobSheet; readonly title: string }) {
  const [diff, setDiff] = useState(false);
  const changes = changesOf(sheet);
  const [planned, now] = [wgslOf(sheet.planned), wgslOf(sheet.now)];
  if (planned === now) return <p className="knobs-same">Planner defaults.</p>;
  return (
    <>
      <table className="knobs-changes">
        <caption className="offscreen">What the choices change</caption>
        <thead>
          <tr>
            <th scope="col">Changed</th>
            <th scope="col">planner</th>
            <th scope="col">chosen</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ name, before, after }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{before}</td>
              <td>
                <b>{after}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="knobs-actions">
        <button type="button" onClick={() => setDiff(true)}>
          Diff with the planner
        </button>
        <button type="button" onClick={() => playground.getState().actions.releaseKnobs()}>
          Reset to planner defaults
        </button>
      </div>
      {diff && (
        <Suspense fallback={null}>
          <DiffDialog
            title={`${title}: planner and chosen`}
            before={planned}
            after={now}
            labels={LABELS}
            onClose={() => setDiff(false)}
          />
        </Suspense>
      )}
    </>
  );
}

export function KnobsPanel({ kernel }: { readonly kernel: Kernel }) {
  const sheet = useSheet(kernel);
  const [every, setEvery] = useState(false);
  const fours = sheet?.offers.some(({ knob, now }) => knob === "vector" && now === "on") === true;
  return (
    <section className="knobs" aria-label="Knobs">
      {sheet === null || sheet.offers.length === 0 ? (
        <p className="knobs-same">{sheet ? "This kernel has no knobs." : "…"}</p>
      ) : (
        <>
          <div className="knobs-scope" role="group" aria-label="Choose for">
            <button type="button" aria-pressed={!every} onClick={() => setEvery(false)}>
              {kernel.id} only
            </button>
            <button type="button" aria-pressed={every} onClick={() => setEvery(true)}>
              Every kernel
            </button>
          </div>
          {sheet.offers.map((offer) => (
            <KnobLine
              key={offer.knob}
              offer={offer}
              output={sheet.output}
              every={every}
              region={kernel.region}
              fours={fours}
            />
          ))}
          <Changes sheet={sheet} title={kernelTitle(kernel)} />
          <Sweep output={sheet.output} fours={fours} />
        </>
      )}
    </section>
  );
}

function Line({ row }: { readonly row: SweepRow }) {
  const { words, median, spread, share, lower, upper, best } = row;
  return (
    <div className="sweep-row" data-best={best}>
      <dt>{words}</dt>
      <dd>
        <span className="sweep-bar" role="img" aria-label={`${words}: ${median} ${spread}`}>
          <i style={{ width: `${share * 100}%` }} />
          <u style={{ left: `${lower * 100}%`, width: `${Math.max(0.5, (upper - lower) * 100)}%` }} />
        </span>
        <b>{median}</b>
        <small>{spread}</small>
      </dd>
    </div>
  );
}

/** The last sweep of this kernel: a bar of the median and a whisker of the middle half for each value. */
function Sweep({ output, fours }: { readonly output: NodeId; readonly fours: boolean }) {
  const sweep = usePlayground((state) => state.sweep);
  const text = usePlayground(({ document }) => document.text);
  if (!sweep || sweep.text !== text || sweep.output !== output) return null;
  const { knob, outcome } = sweep;
  if (outcome.status !== "done") {
    return (
      <p className="knobs-same" aria-live="polite" data-failed={outcome.status === "failed"}>
        {outcome.text}
        {outcome.status === "running" && (
          <button type="button" onClick={() => playground.getState().actions.cancelSweep()}>
            Cancel
          </button>
        )}
      </p>
    );
  }
  const rows = sweepRows(sweep, fours);
  const { software, name } = outcome.device;
  return (
    <figure className="sweep">
      <figcaption>
        {knobTitle(knob)}, measured on {name}
        {software && <span>CPU timings, not a GPU&apos;s</span>}
      </figcaption>
      <dl>
        {rows.map((row) => (
          <Line key={row.value} row={row} />
        ))}
      </dl>
      <p>
        Medians of interleaved passes; the whisker spans the middle half of the samples.
        {!isClear(rows) && " The difference between the best values is within the noise."}
      </p>
    </figure>
  );
}
