/** @file The numbers behind the charts: every plan and every kernel, cold starts, and how it was measured. */
import { usePlayground, type FinishedRun } from "../../state";
import { download } from "../download";
import { breakEvenSentence, launchSentence, splitSentence, unsyncedSentence } from "../model/run/gains";
import { PLAN_NAMES, planTitle } from "../model/run/run-types";
import { kernelTimes, showSpread, timeRows, type KernelTime, type TimeRow } from "../model/run/timings";
import { timingCsv, timingMarkdown } from "../model/run/timing-table";
import { count, plural, showMicros, timesBeside } from "../model/units";
import { useMemo } from "react";
import { stripsOf, stripWords } from "../model/run/strip";

type Timed = Pick<TimeRow | KernelTime, "measured" | "predicted">;

interface TimeLineProps {
  readonly name: string;
  readonly row: Timed;
  /** All rows of the table: a column has one unit. */
  readonly beside: readonly Timed[];
}

function TimeLine({ name, row, beside }: TimeLineProps) {
  const { median, spread } = showSpread(row.measured, beside);
  const predicted = timesBeside(beside.flatMap((each) => each.predicted ?? []));
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {median} {spread}
      </td>
      <td>{row.predicted === null ? "–" : predicted(row.predicted)}</td>
      <td>{count(row.measured.samples)}</td>
    </tr>
  );
}

function coldLines({ result }: FinishedRun): string[] {
  return PLAN_NAMES.flatMap((plan) => {
    const [cold, pipeline] = [result.coldMillis[plan], result.pipelineMillis[plan]];
    if (cold === undefined) return [];
    const making = pipeline === undefined ? "" : `, pipelines made in ${showMicros(pipeline * 1e3)}`;
    return [`${planTitle(plan)}: first run ${showMicros(cold * 1e3)}${making}`];
  });
}

/** Where the saved time comes from, when fusing pays, what a launch takes. */
function Gains({ run }: { readonly run: FinishedRun }) {
  const compilation = usePlayground((state) => state.derived.compilation);
  const sentences = [
    splitSentence(run),
    breakEvenSentence(run, compilation),
    launchSentence(run),
    unsyncedSentence(run),
  ];
  return sentences.flatMap((sentence) => (sentence === null ? [] : [<p key={sentence}>{sentence}</p>]));
}

export function Numbers({ run }: { readonly run: FinishedRun }) {
  const rows = timeRows(run);
  const kernels = kernelTimes(run);
  const all = [...rows, ...kernels];
  const repeats = rows[0]?.repeats ?? 1;
  return (
    <div className="measured-numbers" id="measured-numbers">
      <Strips run={run} />
      <table>
        <caption className="offscreen">Median times, half the distance of the quartiles, predictions, samples</caption>
        <thead>
          <tr>
            <th scope="col">Time of</th>
            <th scope="col">measured</th>
            <th scope="col">predicted</th>
            <th scope="col">samples</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TimeLine key={row.plan} name={row.title} row={row} beside={all} />
          ))}
          {kernels.map((row) => (
            <TimeLine
              key={`${row.plan}${row.kernel}`}
              name={`${planTitle(row.plan)}, ${row.title}`}
              row={row}
              beside={all}
            />
          ))}
        </tbody>
      </table>
      <div className="measured-take">
        <button
          type="button"
          className="plain"
          onClick={() => download("timings.csv", "text/csv", `${timingCsv(run)}\n`)}
        >
          Save as CSV
        </button>
        <button
          type="button"
          className="plain"
          onClick={() => download("timings.md", "text/markdown", timingMarkdown(run))}
        >
          Save as Markdown
        </button>
      </div>
      {coldLines(run).map((line) => (
        <p key={line}>{line}</p>
      ))}
      <p>
        Median of passes that repeat {plural(repeats, "dispatch of the plan", "dispatches of the plan")}; naive and
        fused take turns after a warm-up. ± is half the distance of the quartiles.
      </p>
      <Gains run={run} />
      {run.result.cacheResident && <p>The data fits the device&apos;s cache: real memory may be slower.</p>}
    </div>
  );
}

/** One run of each plan on a line of time, kernel by kernel. */
function Strips({ run }: { readonly run: FinishedRun }) {
  const strips = useMemo(() => stripsOf(run), [run]);
  if (strips.rows.length === 0) return null;
  return (
    <>
      <div className="strips" role="img" aria-label={stripWords(strips)}>
        <h3>Kernels one after the other</h3>
        {strips.rows.map(({ plan, title, total, parts }) => (
          <div key={plan} className="blocks-row" data-plan={plan}>
            <span>{title}</span>
            <span className="strip">
              {parts.map(({ kernel, text, from, width }) => (
                <i key={kernel} title={text} style={{ left: `${from * 100}%`, width: `${width * 100}%` }} />
              ))}
            </span>
            <b>{total}</b>
          </div>
        ))}
      </div>
      {strips.note && <p>{strips.note}</p>}
    </>
  );
}
