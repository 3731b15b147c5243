/** @file What the backward pass keeps of the forward pass: by policy, within a budget, value by value. */
import { useEffect, useMemo, useState } from "react";
import type { Compilation, SavedRow, SavedSheet, SavedValues, SavedValue } from "../../../fusion";
import { playground, selectIsCovered, usePlayground, type TimedPlan } from "../../../state";
import { expansionSentence, isChosen, leastSentence, microsMeasured, rowTitle } from "../../model/plan/saved";
import { count, plural, showBytes, showMicros } from "../../model/units";
import { SavedChart } from "./SavedChart";
import "./saved.css";
import { choiceWords, isChoice } from "../../../picture";

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

function Rows({ rows, timed }: Pick<SavedSheet, "rows"> & { readonly timed: readonly TimedPlan[] }) {
  const saved = usePlayground((state) => state.document.options.savedValues);
  const measured = rows.map((row) => microsMeasured(row, timed));
  const anyMeasured = measured.some((micros) => micros !== null);
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
          {anyMeasured && <th scope="col">measured</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
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
            {anyMeasured && <td>{measured[i] === null ? "" : showMicros(measured[i]!)}</td>}
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

/** Plans of this program that were timed with the choices of single values that the rows have. */
function useTimed(of: Compilation | undefined): readonly TimedPlan[] {
  const all = usePlayground((state) => state.timed);
  return useMemo(() => {
    const choicesOf = (saved: SavedValues | undefined): string => JSON.stringify(saved?.choices ?? {});
    const choices = choicesOf(of?.options.savedValues);
    return all.filter(({ text, savedValues }) => text === of?.text && choicesOf(savedValues) === choices);
  }, [all, of]);
}

function Sheet() {
  const asked = usePlayground((state) => state.savedSheet);
  const compilation = usePlayground((state) => state.derived.compilation);
  const timed = useTimed(asked?.of);
  const stale = asked === null || compilation === null || !asksTheSame(asked.of, compilation);
  useEffect(() => {
    if (stale) void playground.getState().actions.askSaved();
  }, [stale, compilation]);
  // The last answer stays while the next one is on its way.
  const sheet = asked?.sheet;
  const least = sheet && leastSentence(sheet);
  if (!sheet) return <p className="traffic-note">{stale ? "Planning…" : "The planner gave no answer."}</p>;
  return (
    <div aria-busy={stale}>
      <Bars {...sheet.expansion} />
      <p className="traffic-note">{expansionSentence(sheet.expansion)}</p>
      <Rows rows={sheet.rows} timed={timed} />
      {least && <p className="traffic-note">{least}</p>}
      <SavedBudget sheet={sheet} />
      <SavedChart sheet={sheet} timed={timed} onChoose={choose} />
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

/** Positions of the slider. */
const STEPS = 64;

function SavedBudget({ sheet }: { readonly sheet: SavedSheet }) {
  const budget = usePlayground((state) => state.document.options.savedValues?.budgetBytes);
  const fault = usePlayground(
    (state) => state.derived.compilation?.diagnostics.find(({ code }) => code === "saved-budget")?.text ?? null,
  );
  const most = Math.max(...sheet.rows.map(({ savedBytes }) => savedBytes));
  if (most === 0) return null;
  const step = most / STEPS;
  const shown = Math.min(most, budget ?? most);
  return (
    <div className="saved-budget">
      <label>
        <span>
          Budget: <b>{budget === undefined ? "none" : showBytes(budget)}</b>
        </span>
        <input
          type="range"
          aria-label="Bytes that may be saved"
          aria-valuetext={budget === undefined ? "no budget" : showBytes(budget)}
          min={0}
          max={STEPS}
          step={1}
          value={Math.round(shown / step)}
          onChange={({ target }) => playground.getState().actions.slideBudget(Math.floor(target.valueAsNumber * step))}
        />
      </label>
      {fault && (
        <p className="saved-fault" role="status">
          {fault}
        </p>
      )}
    </div>
  );
}

function ValueRow({ value }: { readonly value: SavedValue }) {
  const { node, label, bytes, offers, choice } = value;
  const { actions } = playground.getState();
  return (
    <tr>
      <th scope="row">
        <button type="button" className="link" onClick={() => actions.select({ kind: "node", id: node })}>
          <code>{label}</code>
        </button>{" "}
        {node !== label && <small>{node}</small>}
      </th>
      <td>{showBytes(bytes)}</td>
      <td>
        <select
          aria-label={`Choice for ${label}`}
          value={choice ?? ""}
          onChange={({ target }) => actions.chooseSaved(node, isChoice(target.value) ? target.value : null)}
        >
          <option value="">by policy</option>
          {offers.map((offer) => (
            <option key={offer} value={offer}>
              {choiceWords[offer]}
            </option>
          ))}
        </select>
      </td>
    </tr>
  );
}

/** What is done about each value that the backward pass reads. */
function SavedChoices({ values }: { readonly values: readonly SavedValue[] }) {
  if (values.length === 0) return <p className="traffic-note">The backward pass reads only inputs.</p>;
  return (
    <table className="saved-values">
      <caption>Values that it reads</caption>
      <tbody>
        {values.map((value) => (
          <ValueRow key={value.node} value={value} />
        ))}
      </tbody>
    </table>
  );
}
