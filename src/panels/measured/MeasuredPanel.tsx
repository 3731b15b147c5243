/** @file Is it true on this device? Times, transfers, roofline and the check of the results. */
import type { Compilation, Plan } from "../../fusion";
import { lazy, Suspense, useMemo, useState } from "react";
import {
  isRunOf,
  lazyModule,
  loadPart,
  selectIsCovered,
  selectPlan,
  selectPlanned,
  usePlayground,
  type CheckRow,
  type FinishedRun,
  type PlaygroundState,
  playground,
  type OutputSummary,
  MAX_MEMORY_MIB,
} from "../../state";
import { countedRows, measuredView, scheduleNote, type MeasuredView } from "../model/run/measured";
import { noDifference } from "../model/run/difference";
import { timeRows, type TimeRow } from "../model/run/timings";
import { verdictOf } from "../model/run/verdict";
import { Covered } from "../Covered";
import { Differences } from "./Differences";
import { ExampleVariants } from "./ExampleVariants";
import { Numbers } from "./Numbers";
import { TransferBlocks } from "./TransferBlocks";
import { VerdictBox } from "./VerdictBox";
import "./measured.css";
import { count, significant } from "../model/units";
import { Icon } from "../../icons";
import { clockLine } from "../model/run/device";
import type { Device } from "../model/run/run-types";

// The chart library is loaded with the first results: nothing before a run draws a chart.
const Roofline = lazy(async () => ({ default: (await loadPart(() => import("./Roofline"))).Roofline }));
const ByHand = lazy(async () => ({ default: (await loadPart(() => import("../by-hand"))).ByHand }));
const TimeBars = lazy(async () => ({ default: (await loadPart(() => import("./TimeBars"))).TimeBars }));

// What chapters print is compared by counts and by the reference interpreter: it is read while the program is planned.
const useChapterModule = lazyModule(() => import("./ChapterNotes"));

/** The plan with hand-written kernels, where all of them were counted. */
function countedByHand(run: FinishedRun | null, compilation: Compilation | null): Plan | null {
  const all =
    run !== null && isRunOf(run, compilation) && (run?.hand?.kernels.every(({ counted }) => counted.ok) ?? false);
  return all ? (run?.plans.hand ?? null) : null;
}

function Transfers({ run }: { readonly run: FinishedRun | null }) {
  const compilation = usePlayground(selectPlanned);
  const step = usePlayground(selectPlan);
  const { naivePlan: naive = null, fusedPlan: fused = null } = compilation ?? {};
  const hand = countedByHand(run, compilation);
  const plans = useMemo(
    () => countedRows({ naive, step, fused, hand }, compilation, run),
    [naive, step, fused, hand, compilation, run],
  );
  if (plans.length === 0) return null;
  return <TransferBlocks plans={plans} note={scheduleNote(compilation, run)} />;
}

function Message({ view }: { readonly view: MeasuredView }) {
  const run = usePlayground((state) => state.run);
  const reload = run.status === "failed" && run.problem.reload;
  if (!view.message) return null;
  return (
    <p className="measured-message" data-failed={view.failed}>
      {view.failed && <b>Not run on a GPU. </b>}
      {view.message}
      {reload && (
        <button type="button" className="measured-link" onClick={() => location.reload()}>
          Reload
        </button>
      )}
    </p>
  );
}

/** What a panel is about: all of it beside the program, one thing on a projector. */
type Shown = "all" | "time" | "roofline";

/** Times of kernels that compute something else say nothing. */
function shownRows(run: FinishedRun): TimeRow[] {
  const wrong = run.hand && verdictOf(run.hand.check ?? [], run.hand)?.same === false;
  return timeRows(run).filter(({ plan }) => !(wrong && plan === "hand"));
}

function Results({ view, only }: { readonly view: MeasuredView; readonly only: Shown }) {
  const { run, withheld } = view;
  const rows = useMemo(() => (run ? shownRows(run) : []), [run]);
  return (
    <div className={resultsClass(view)}>
      <Suspense>
        {only !== "roofline" && run && !withheld && rows.length > 0 && (
          <TimeBars rows={rows} predictedFor={run.predictedFor} none={noDifference(run)} />
        )}
      </Suspense>
      {withheld && <p className="measured-message">Times are shown once both plans agree.</p>}
      {only !== "roofline" && <Transfers run={run} />}
      <Suspense>{only !== "time" && run && !withheld && <Roofline run={run} />}</Suspense>
    </div>
  );
}

/** Of the plans that the panel shows. */
const comparedIn = ({ check, plans }: FinishedRun): readonly CheckRow[] =>
  (check ?? []).filter(({ plan }) => plan !== "step" || plans.step);

/** What was measured of another program has no colours. */
const resultsClass = ({ old }: MeasuredView): string => (old ? "measured-results old" : "measured-results");

/** On a projector one thing at a time. */
const shownOf = ({ presenter, presenterSide }: PlaygroundState): Shown =>
  presenter && (presenterSide === "time" || presenterSide === "roofline") ? presenterSide : "all";

export function MeasuredPanel() {
  const only = usePlayground(shownOf);
  const run = usePlayground((state) => state.run);
  const document = usePlayground((state) => state.document);
  const compilation = usePlayground(selectPlanned);
  const known = usePlayground((state) => state.device);
  const problem = usePlayground((state) => state.deviceProblem);
  const asked = usePlayground((state) => state.cpuCheck !== null);
  const [numbers, setNumbers] = useState(false);
  const chapter = useChapterModule();
  const covered = usePlayground(selectIsCovered);
  const cursor = usePlayground((state) => state.cursor);
  const view = useMemo(
    () => measuredView({ run, document, compilation, cursor }),
    [run, document, compilation, cursor],
  );
  const device = view.run?.result.device ?? known;
  const repeats = view.run ? (timeRows(view.run)[0]?.repeats ?? null) : null;
  const withoutGpu = problem !== null && !view.run;
  return (
    <div className="measured">
      <header>
        <h2>Measured</h2>
        {view.subtitle && <span className="measured-subtitle">{view.subtitle}</span>}
        {view.run && (
          <button
            type="button"
            aria-expanded={numbers}
            aria-controls="measured-numbers"
            title="The numbers behind the charts"
            onClick={() => setNumbers(!numbers)}
          >
            {numbers ? "Fewer numbers" : "All numbers"}
          </button>
        )}
      </header>
      {device && <DeviceLine device={device} repeats={repeats} />}
      {view.run?.source && <p className="measured-message">{view.run.source}</p>}
      {withoutGpu && run.status !== "failed" ? (
        <p className="measured-message" data-failed>
          <b>Not run on a GPU.</b> {problem.text}
        </p>
      ) : (
        <Message view={view} />
      )}
      {(withoutGpu || asked) && (
        <div className="measured-block">
          <CpuCheckBox />
        </div>
      )}
      {covered && (
        <p className="measured-message">
          <Covered what="Times and transfers of the fused plan:" />
        </p>
      )}
      {!covered && view.run && only !== "roofline" && (
        <div className={resultsClass(view)}>
          <Verdict run={view.run} />
        </div>
      )}
      {!covered && numbers && view.run && !view.withheld && <Numbers run={view.run} />}
      {!covered && <Results view={view} only={only} />}
      <Suspense>{!covered && view.run?.hand && only !== "roofline" && <ByHand run={view.run} />}</Suspense>
      {!covered && view.run?.check && only !== "roofline" && (
        <Differences rows={comparedIn(view.run)} full={view.run.full} />
      )}
      {only === "all" && !withoutGpu && <MemoryField />}
      {only === "all" && <ExampleVariants />}
      {!covered && only === "all" && chapter && <chapter.ChapterNotes />}
    </div>
  );
}

/** Whether the results agree comes before how long they took. */
function Verdict({ run }: { readonly run: FinishedRun }) {
  if (!run.check) return <p className="measured-message">Comparing the kernels with f64…</p>;
  return <VerdictBox rows={run.check} full={run.full} skipped={run.skipped} planned={run.planned} />;
}

function Outputs({ outputs }: { readonly outputs: readonly OutputSummary[] }) {
  return (
    <table className="measured-outputs">
      <caption className="offscreen">Outputs of the reference</caption>
      <thead>
        <tr>
          <th scope="col">output</th>
          <th scope="col">min</th>
          <th scope="col">mean</th>
          <th scope="col">max</th>
        </tr>
      </thead>
      <tbody>
        {outputs.map((each) => (
          <tr key={each.output} title={`Starts ${each.first.map((value) => significant(value)).join(", ")}`}>
            <th scope="row">
              <code>{each.output}</code> {each.shape.join("×") || "scalar"}
              {each.compared < each.elements && <small> {count(each.compared)} elements compared</small>}
            </th>
            <td>{significant(each.min)}</td>
            <td>{significant(each.mean)}</td>
            <td>{significant(each.max)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Results without a GPU: the reference's outputs, and the generated kernels run on the CPU against it. */
function CpuCheckBox() {
  const check = usePlayground(({ cpuCheck, document }) => (cpuCheck?.program === document.text ? cpuCheck : null));
  const hasPlan = usePlayground(
    (state) => state.derived.compilation?.naive !== undefined && state.derived.compilation?.naive !== null,
  );
  if (!check) {
    return (
      <button
        type="button"
        className="measured-button"
        disabled={!hasPlan}
        onClick={() => void playground.getState().actions.runOnCpu()}
      >
        Check on the CPU
      </button>
    );
  }
  return (
    <div aria-busy={check.status === "running"}>
      <p className="measured-note">{check.text}</p>
      {check.outputs.length > 0 && <Outputs outputs={check.outputs} />}
      <Differences rows={check.check} />
      <VerdictBox rows={check.check} />
    </div>
  );
}

interface Props {
  readonly device: Device;
  /** Dispatches repeated inside one timed pass; null before a run. */
  readonly repeats: number | null;
}

/** Whose time it is and by which clock; always in sight. */
function DeviceLine({ device, repeats }: Props) {
  return (
    <p className="measured-device" title={device.description}>
      <Icon name="chip" />
      <b>{device.name}</b>
      {device.software && <span className="measured-pill">software adapter</span>}
      <span>{clockLine(device, repeats)}</span>
    </p>
  );
}

/** How much GPU memory a run may use: in sight, and changed on the spot. */
function MemoryField() {
  const memory = usePlayground((state) => state.memoryMiB);
  const write = (field: HTMLInputElement): void => {
    if (field.validity.valid && field.value !== "") playground.getState().actions.setMemory(field.valueAsNumber);
    else field.value = String(memory);
  };
  return (
    <label className="measured-memory" title="A run that needs more asks first. Saved on this machine, not in links.">
      A run may use
      <input
        key={memory}
        type="number"
        min={1}
        max={MAX_MEMORY_MIB}
        step={1}
        defaultValue={memory}
        aria-label="GPU memory that a run may use, MiB"
        onBlur={(event) => write(event.currentTarget)}
        onKeyDown={(event) => event.key === "Enter" && write(event.currentTarget)}
      />
      MiB of GPU memory
    </label>
  );
}
