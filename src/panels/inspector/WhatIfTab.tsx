/** @file What if: a question about the plan, both totals, and each decision that comes out otherwise. A click shows it in the graph. */
import { useEffect, useMemo, useState } from "react";
import { playground, selectFusion, titleOfQuestion, usePlayground, type WhatIfState } from "../../state";
import { changedGroups, totalRows } from "../model/what-if";
import { ChangedItem } from "./ChangedItem";
import { WhatIfQuestion } from "./WhatIfQuestion";
import "./what-if.css";

type Answered = Extract<WhatIfState, { readonly status: "answered" }>;

function Totals({ answered }: { readonly answered: Answered }) {
  return (
    <table className="traffic-tallies what-if-totals">
      <caption className="offscreen">Totals of the plan as it is and as it would be</caption>
      <thead>
        <tr>
          <th scope="col">Tally</th>
          <th scope="col">as it is</th>
          <th scope="col">then</th>
        </tr>
      </thead>
      <tbody>
        {totalRows(answered.answer).map(({ name, first: before, second: after, tone }) => (
          <tr key={name} data-tone={tone}>
            <th scope="row">{name}</th>
            <td>{before}</td>
            <td>
              <b>{after}</b>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Decisions listed at once in a group; the rest on request. */
const PAGE = 40;

function Changes({ answered }: { readonly answered: Answered }) {
  const graph = usePlayground((state) => selectFusion(state)?.graph ?? null);
  const groups = useMemo(() => changedGroups(answered.answer, graph), [answered.answer, graph]);
  const [limit, setLimit] = useState(PAGE);
  if (groups.length === 0) return <p className="kernel-none">No decision changes.</p>;
  return groups.map(({ change, title, rows }) => (
    <section key={change} className="what-if-group">
      <h3>{title}</h3>
      <ol>
        {rows.slice(0, limit).map((row) => (
          <ChangedItem key={row.key} row={row} />
        ))}
      </ol>
      {rows.length > limit && (
        <button type="button" className="kernel-more" onClick={() => setLimit(limit + 10 * PAGE)}>
          Show more of them
        </button>
      )}
    </section>
  ));
}

function Answer({ answered }: { readonly answered: Answered }) {
  return (
    <>
      <p className="what-if-asked" aria-live="polite">
        What if {titleOfQuestion(answered.question, answered.of.options)}?
      </p>
      <Totals answered={answered} />
      <button type="button" className="what-if-keep" onClick={() => playground.getState().actions.keepWhatIf()}>
        Keep this
      </button>
      <Changes answered={answered} />
    </>
  );
}

export function WhatIfTab({ state }: { readonly state: WhatIfState }) {
  const compilation = usePlayground(({ derived }) => derived.compilation);
  const stale = state.status !== "none" && state.of !== compilation;
  // Another program or other options: the same question again.
  useEffect(() => {
    if (stale) void playground.getState().actions.askWhatIf(state.question);
  }, [stale, state]);
  return (
    <div className="what-if">
      <WhatIfQuestion />
      {state.status === "none" && (
        <p className="kernel-none">
          Change one thing and see which decisions change. Nothing is applied until you press Keep this.
        </p>
      )}
      {state.status === "asking" && <p className="kernel-none">Planning…</p>}
      {state.status === "failed" && <p className="kernel-none">The planner failed: {state.text}</p>}
      {state.status === "answered" && <Answer answered={state} />}
    </div>
  );
}
