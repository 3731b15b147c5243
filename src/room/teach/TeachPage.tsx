/** @file For teachers: plans with times, what to ask and what is usually answered, handouts to print. */
import { useState } from "react";
import { lessonHeads } from "../../course";
import { playground, type Page } from "../../state";
import { classPlans, clock, type ClassPlan, type PlanRow } from "./plans";
import { Sheet, useSheet } from "./Sheet";
import "../room.css";
import "./teach.css";

const plans = classPlans(lessonHeads);

interface Other {
  readonly title: string;
  readonly summary: string;
  readonly page: Page | null;
}
const OTHERS: Readonly<Record<"check" | "break" | "hand-in", Other>> = {
  check: { title: "Check the laptops", summary: "Everybody opens “Check this laptop” and hands in.", page: "check" },
  break: { title: "Break", summary: "", page: null },
  "hand-in": { title: "Hand in", summary: "Everybody hands in again; read the board together.", page: "board" },
};

interface RowProps {
  readonly row: PlanRow;
  readonly onSheet: (id: string) => void;
}

function Row({ row: { from, minutes, what }, onSheet }: RowProps) {
  const { actions } = playground.getState();
  const shown = typeof what === "string" ? OTHERS[what] : what;
  const page = typeof what === "string" ? OTHERS[what].page : null;
  return (
    <tr>
      <td>{clock(from)}</td>
      <td>{minutes} min</td>
      <th scope="row">
        {shown.title}
        <small>{shown.summary}</small>
      </th>
      <td>
        {typeof what !== "string" && (
          <>
            <button type="button" aria-label={`Open ${what.title}`} onClick={() => void actions.openLesson(what.id)}>
              Open
            </button>{" "}
            <button type="button" aria-label={`Sheet of ${what.title}`} onClick={() => onSheet(what.id)}>
              Sheet
            </button>
          </>
        )}
        {page && (
          <button type="button" aria-label={`Open ${shown.title}`} onClick={() => actions.showPage(page)}>
            Open
          </button>
        )}
      </td>
    </tr>
  );
}

const Plan = ({ plan, onSheet }: Pick<RowProps, "onSheet"> & { readonly plan: ClassPlan }) => (
  <section className="room-panel" aria-label={plan.title}>
    <h2>{plan.title}</h2>
    <table className="teach-plan">
      <tbody>
        {plan.rows.map((row) => (
          <Row key={row.from} row={row} onSheet={onSheet} />
        ))}
      </tbody>
    </table>
  </section>
);

const advice: readonly string[] = [
  "Before the class, open “Check this laptop” on one laptop of each kind, and set the flags that it names.",
  "Ask each question before you show the answer, and let pairs argue for a minute.",
  "Predict first (key G, or ?predict=1 in the address) covers the numbers of any program, in the presenter view (key V) too.",
  "Without a GPU every lesson works: counts and reasons are exact, times are predicted.",
  "At the end everybody hands in again. The board shows which predictions went wrong: begin the next class there.",
];

export function TeachPage() {
  const [id, setId] = useState<string>(lessonHeads[0]!.id);
  const [answers, setAnswers] = useState(true);
  const loaded = useSheet(id);
  return (
    <div className="room-columns teach">
      <div className="teach-side">
        <section className="room-panel" aria-label="For teachers">
          <h1 className="teach-title">For teachers</h1>
          <ul>
            {advice.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
        {plans.map((plan) => (
          <Plan key={plan.title} plan={plan} onSheet={setId} />
        ))}
      </div>
      <section className="room-panel teach-sheet" aria-label="Sheet">
        <div className="teach-choice">
          <label>
            Sheet of{" "}
            <select className="field" value={id} onChange={(event) => setId(event.target.value)}>
              {lessonHeads.map((head) => (
                <option key={head.id} value={head.id}>
                  {head.kind === "puzzle" ? `Puzzle: ${head.title}` : head.title}
                </option>
              ))}
            </select>
          </label>
          <label className="check">
            <input type="checkbox" checked={answers} onChange={() => setAnswers(!answers)} />
            with answers, for the teacher
          </label>
          <button type="button" className="action" disabled={!loaded} onClick={() => print()}>
            Print
          </button>
        </div>
        {loaded ? <Sheet loaded={loaded} answers={answers} /> : <p role="status">Computing the numbers…</p>}
      </section>
    </div>
  );
}
