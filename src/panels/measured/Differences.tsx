/** @file How far the results are from the reference and from one another, as histograms of f32 steps. */
import type { CheckRow, FullComparison } from "../../state";
import { ulpTables, type UlpTable } from "../model/run/ulps";
import { count } from "../model/units";
import "./differences.css";

function Histogram({ table: { output, columns, lines } }: { readonly table: UlpTable }) {
  return (
    <table className="ulps">
      <caption>
        Elements of <code>{output}</code> by distance
      </caption>
      <thead>
        <tr>
          <th scope="col">ULP</th>
          {columns.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ words, cells }) => (
          <tr key={words}>
            <th scope="row">{words}</th>
            {cells.map(({ held, share }, i) => (
              <td key={columns[i]!.title} data-fused={columns[i]!.fused}>
                <i style={{ width: `${share * 100}%` }} />
                <span>{held === 0 ? "" : count(held)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Props {
  readonly rows: readonly CheckRow[];
  readonly full?: readonly FullComparison[] | undefined;
}

export function Differences({ rows, full = [] }: Props) {
  const tables = ulpTables(rows, full);
  if (tables.length === 0) return null;
  return (
    <details className="measured-block differences">
      <summary>Error details</summary>
      {tables.map((table) => (
        <Histogram key={table.output} table={table} />
      ))}
      <p className="measured-note">
        How many steps of f32 the results of naive and fused are away from the f64 result. Bars are logarithmic: each
        step longer means ten times as many elements.
      </p>
    </details>
  );
}
