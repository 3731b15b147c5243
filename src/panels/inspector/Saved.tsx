/** @file What the backward pass keeps of the forward pass: by policy, within a budget, value by value. */
import { useEffect, useState } from "react";
import type { SavedRow, SavedSheet } from "../../fusion";
import { playground, selectIsCovered, usePlayground } from "../../state";
import { expansionSentence, isChosen, rowTitle } from "../model/saved";
import { count, decimal, plural, showBytes, showMicros } from "../model/units";
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
          <th scope="col">kernels</th>
          <th scope="col">work</th>
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
            <td>{count(row.totals.kernels)}</td>
            <td>{decimal(row.flops, "FLOP")}</td>
            <td>{showMicros(row.totals.predictedMicros)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Sheet() {
  const asked = usePlayground((state) => state.savedSheet);
  const compilation = usePlayground((state) => state.derived.compilation);
  const stale = asked === null || asked.of !== compilation;
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
      <SavedChart sheet={sheet} />
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
