/** @file What if: a question about the plan, both totals, and each decision that comes out otherwise. A click shows it in the graph. */
import { useEffect, useMemo, useState } from "react";
import { playground, selectFusion, titleOfQuestion, usePlayground, type WhatIfState } from "../../../state";
import { changedGroups, totalRows, type ChangedRow, type TakenWords } from "../../model/plan/what-if";
import { WhatIfQuestion } from "./WhatIfQuestion";
import "./what-if.css";
import { passTitle, acceptedWords, parseEdgeId, type ChangedDecision, type EdgeId, type Graph } from "../../../fusion";
import { InlineCode } from "../../InlineCode";
import { Verdict } from "../../Verdict";

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
        {totalRows(answered.answer, answered.of.options.profile).map(({ name, first: before, second: after, tone }) => (
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
  const told = usePlayground((state) => state.derived.compilation);
  const groups = useMemo(() => (told ? changedGroups(answered.answer, told) : []), [answered.answer, told]);
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

const holds = ({ nodes }: Graph, edge: EdgeId): boolean => {
  const ends = parseEdgeId(edge);
  return ends !== null && nodes.get(ends.consumer)?.inputs[ends.operand] === ends.producer;
};

/** The step that took it, and its edge or its op; only these where the shown plan never met the question. */
function show({ before, edges, nodes }: ChangedDecision): void {
  const { actions } = playground.getState();
  if (before) actions.stepTo(before.seq);
  const graph = selectFusion(playground.getState())?.graph;
  const edge = graph && edges.find((id) => holds(graph, id));
  const node = nodes.find((id) => graph?.nodes.has(id));
  if (edge) actions.select({ kind: "edge", id: edge });
  else if (node) actions.select({ kind: "node", id: node });
}

function Said({ when, taken }: { readonly when: string; readonly taken: TakenWords | null }) {
  if (!taken) {
    return (
      <p className="changed-text">
        <i>{when}</i> <span>Not asked.</span>
      </p>
    );
  }
  return (
    <div className="changed-text">
      <i>{when}</i>
      <p>
        <Verdict of={acceptedWords(taken.accepted)} /> <InlineCode text={taken.text} />
        {taken.numbers.length > 0 && <small>{taken.numbers.join(" · ")}</small>}
      </p>
    </div>
  );
}

/** One decision that comes out otherwise: both answers with their reasons and numbers. */
function ChangedItem({ row }: { readonly row: ChangedRow }) {
  return (
    <li className="decision">
      <button type="button" onClick={() => show(row.decision)}>
        <b>{row.about}</b>
        <code>{row.codes}</code>
      </button>
      <p className="changed-pass">{passTitle(row.pass)}</p>
      <Said when="now" taken={row.before} />
      <Said when="then" taken={row.after} />
    </li>
  );
}
