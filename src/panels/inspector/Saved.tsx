/** @file What the backward pass keeps of the forward pass: by policy, within a budget, value by value. */
import { useEffect, useMemo, useState } from "react";
import type { Compilation, SavedRow, SavedSheet } from "../../fusion";
import { playground, selectIsCovered, usePlayground, type PlaygroundState } from "../../state";
import { expansionSentence, isChosen, measuredPlan, rowTitle, type MeasuredPlan } from "../model/saved";
import { count, plural, showBytes, showMicros } from "../model/units";
import { SavedBudget } from "./SavedBudget";
import { SavedChart } from "./SavedChart";
import { SavedChoices } from "./SavedChoices";
import "./saved.css";

function choose({ policy, budgetBytes }: SavedRow): void {
  const apart = policy !== null;
  playground.getState().actions.setSaved({ apart, policy: policy ?? undefined, budgetBytes });
}

function Bars({ forward, both, fused }: SavedSheet["expansion"]) {
  const rows = [
    ["forward", forward.ops, forward.kernels],
    ["+ derivative", both.ops, both.kernels],
    ["fused", null, fused.kernels],
  ] as const;
  const width = (amount: number): string => `${(100 * amount) / both.ops}%`;
  return (
    <div className="saved-bars" role="img" aria-label={expansionSentence({ forward, both, fused })}>
      {rows.map(([title, ops, kernels]) => (
        <p key={title}>
          <span>{title}</span>
          <span className="saved-bar">
            {ops !== null && <i className="saved-ops" style={{ width: width(ops) }} />}
            <i className="saved-kernels" style={{ width: width(kernels) }} />
          </span>
          <span>{ops === null ? plural(kernels, "kernel") : `${plural(ops, "op")}, ${plural(kernels, "kernel")}`}</span>
        </p>
      ))}
    </div>
  );
}

function Rows({ rows }: Pick<SavedSheet, "rows">) {
  const saved = usePlayground((state) => state.document.options.savedValues);
  return (
    <table className="saved-rows">
      <caption>Plans by what is saved</caption>
      <thead>
        <tr>
          <th scope="col">Saved</th>
          <th scope="col">bytes</th>
          <th scope="col">peak</th>
          <th scope="col">kernels</th>
          <th scope="col">predicted</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowTitle(row)}>
            <th scope="row">
              <label>
                <input type="radio" name="saved" checked={isChosen(row, saved)} onChange={() => choose(row)} />
                {rowTitle(row)}
              </label>
            </th>
            <td>{showBytes(row.savedBytes)}</td>
            <td>{showBytes(row.totals.peakBytes)}</td>
            <td>{count(row.totals.kernels)}</td>
            <td>{showMicros(row.totals.predictedMicros)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The rows hang on the program and on the choices of single values, not on the policy that is chosen. */
function asksTheSame(a: Compilation, b: Compilation): boolean {
  if (a === b) return true;
  const question = ({ text, options: { savedValues, ...options } }: Compilation): string =>
    JSON.stringify([text, options, savedValues?.choices ?? {}]);
  return question(a) === question(b);
}

/** The finished run, as what is chosen now; a run of other choices, with other kernels, is not taken for this one. */
function ranNow({ run, document, derived }: PlaygroundState): readonly MeasuredPlan[] {
  if (run.status !== "done") return [];
  const isThis = run.run.plans.fused?.kernels.length === derived.compilation?.fusedPlan?.kernels.length;
  const found = isThis && measuredPlan(run.run, document.options.savedValues);
  return found ? [found] : [];
}

/** Plans of this program that ran while the panel was open. */
function useMeasured(): readonly MeasuredPlan[] {
  const text = usePlayground((state) => state.document.text);
  const [all, setAll] = useState(() => ranNow(playground.getState()));
  useEffect(
    () =>
      playground.subscribe((state, before) => {
        if (state.run !== before.run) setAll((known) => [...known, ...ranNow(state)]);
      }),
    [],
  );
  return useMemo(() => all.filter((plan) => plan.text === text), [all, text]);
}

function Sheet() {
  const asked = usePlayground((state) => state.savedSheet);
  const compilation = usePlayground((state) => state.derived.compilation);
  const measured = useMeasured();
  const stale = asked === null || compilation === null || !asksTheSame(asked.of, compilation);
  useEffect(() => {
    if (stale) void playground.getState().actions.askSaved();
  }, [stale, compilation]);
  // The last answer stays while the next one is on its way.
  const sheet = asked?.sheet;
  if (!sheet) return <p className="traffic-note">{stale ? "Planning…" : "There is no backward pass."}</p>;
  return (
    <div aria-busy={stale}>
      <Bars {...sheet.expansion} />
      <p className="traffic-note">{expansionSentence(sheet.expansion)}</p>
      <Rows rows={sheet.rows} />
      <SavedBudget sheet={sheet} />
      <SavedChart sheet={sheet} measured={measured} onChoose={choose} />
      <SavedChoices values={sheet.values} />
    </div>
  );
}

/** Opens on request: it plans the program by every policy. Only programs with a backward pass have it. */
export function Saved() {
  const backward = usePlayground(({ derived }) =>
    [...(derived.compilation?.drawn.nodes.values() ?? [])].some(({ phase }) => phase === "backward"),
  );
  const chosen = usePlayground((state) => state.document.options.savedValues !== undefined);
  const covered = usePlayground(selectIsCovered);
  const [open, setOpen] = useState(chosen);
  if (!backward || covered) return null;
  return (
    <details className="growth saved" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What the backward pass saves</summary>
      {open && <Sheet />}
    </details>
  );
}
