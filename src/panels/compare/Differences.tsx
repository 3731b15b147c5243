/** @file What differs between two plans: each decision with both reasons, totals, reasons by code. */
import { useEffect, useRef } from "react";
import { passTitle, acceptedWords, type Compilation, type Step } from "../../fusion";
import { InlineCode } from "../InlineCode";
import { Verdict } from "../Verdict";
import { bytesBetween, reasonRows, comparedRows, type ComparedTotals, type differences } from "../model/plan/compare";
import { showBytes } from "../model/units";
import { changedRow, type ChangedRow, type TakenWords } from "../model/plan/what-if";

type Difference = ReturnType<typeof differences>[number];
type Names = readonly [string, string];

function Said({ name, taken }: { readonly name: string; readonly taken: TakenWords | null }) {
  return (
    <div className="differs-side">
      <dt>{name}</dt>
      <dd>
        {taken ? (
          <>
            <Verdict of={acceptedWords(taken.accepted)} /> <InlineCode text={taken.text} />
          </>
        ) : (
          <b>Not tried.</b>
        )}
      </dd>
    </div>
  );
}

/** `fused −6 MiB`: what the side that saves more by this decision moves less. */
function Saved({ row, names }: { readonly row: ChangedRow; readonly names: Names }) {
  const bytes = bytesBetween(row.decision);
  if (bytes === null || bytes === 0) return null;
  return <span className="differs-bytes">{`${names[bytes > 0 ? 1 : 0]} −${showBytes(Math.abs(bytes))}`}</span>;
}

interface ItemProps {
  readonly row: ChangedRow;
  readonly names: Names;
  readonly shown: number;
  readonly current: boolean;
  readonly onShow: (shown: number) => void;
}

function Item({ row, names, shown, current, onShow }: ItemProps) {
  const element = useRef<HTMLLIElement>(null);
  const before = useRef(current);
  useEffect(() => {
    // What is shown first is the top of the list.
    if (current && !before.current) element.current?.scrollIntoView({ block: "nearest" });
    before.current = current;
  }, [current]);
  return (
    <li ref={element} className="differs" data-current={current}>
      <button type="button" aria-current={current ? "step" : undefined} onClick={() => onShow(shown)}>
        <i aria-hidden="true">≠</i>
        <span>
          Step {shown}: <b>{row.about}</b>
        </span>
        <Saved row={row} names={names} />
      </button>
      <p className="differs-pass">{passTitle(row.pass)}</p>
      <dl>
        <Said name={names[0]} taken={row.before} />
        <Said name={names[1]} taken={row.after} />
      </dl>
    </li>
  );
}

interface TableProps {
  readonly names: Names;
  readonly totals: readonly [ComparedTotals, ComparedTotals];
  readonly atEnd: boolean;
}

function TotalsTable({ names, totals, atEnd }: TableProps) {
  return (
    <table className="differs-table">
      <thead>
        <tr>
          <th scope="col">{atEnd ? "At the end" : "At this step"}</th>
          <th scope="col">{names[0]}</th>
          <th scope="col">{names[1]}</th>
          <th scope="col">change</th>
        </tr>
      </thead>
      <tbody>
        {comparedRows(...totals).map(({ name, first, second, change, tone }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{first}</td>
            <td className="differs-second">{second}</td>
            <td data-tone={tone}>{change}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ReasonTable({ names, steps: [a, b] }: Pick<Props, "names" | "steps">) {
  const rows = reasonRows(a, b);
  if (rows.length === 0) return null;
  return (
    <table className="differs-table">
      <caption>Decisions by reason, where the counts differ</caption>
      <thead>
        <tr>
          <th scope="col">Reason</th>
          <th scope="col">{names[0]}</th>
          <th scope="col">{names[1]}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ codes, title, first, second }) => (
          <tr key={title}>
            <th scope="row">
              {title} <code>{codes.join(", ")}</code>
            </th>
            <td>{first}</td>
            <td className="differs-second">{second}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** More differences than this are counted, not listed. */
const MAX_LISTED = 200;

interface Props extends TableProps {
  /** That both sides take. */
  readonly steps: readonly [readonly Step[], readonly Step[]];
  readonly found: readonly Difference[];
  readonly total: number;
  readonly shown: number;
  readonly onShow: (shown: number) => void;
  /** Name the nodes. */
  readonly compilations: readonly [Compilation, Compilation];
}

export function Differences({ steps, found, total, shown, onShow, compilations, names, totals, atEnd }: Props) {
  return (
    <aside className="compare-differs" aria-label="What differs" data-pane="differs" tabIndex={-1}>
      <header>
        <h3>What differs</h3>
        <span>
          {found.length} of {total} decisions
        </span>
      </header>
      <TotalsTable names={names} totals={totals} atEnd={atEnd} />
      {found.length === 0 ? (
        <p className="differs-none">Both sides make the same decisions.</p>
      ) : (
        <ol>
          {found.slice(0, MAX_LISTED).map((each) => {
            const row = changedRow(each.change, ...compilations);
            return (
              <Item
                key={row.key}
                row={row}
                names={names}
                shown={each.shown}
                current={each.shown === shown}
                onShow={onShow}
              />
            );
          })}
        </ol>
      )}
      {found.length > MAX_LISTED && <p className="differs-none">The first {MAX_LISTED} are listed.</p>}
      <ReasonTable names={names} steps={steps} />
    </aside>
  );
}
