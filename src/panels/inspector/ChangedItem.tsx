/** @file One decision that comes out otherwise: both answers with their reasons and numbers. */
import { parseEdgeId, type ChangedDecision, type EdgeId, type Graph } from "../../fusion";
import { playground, selectFusion } from "../../state";
import { Icon } from "../Icon";
import { InlineCode } from "../InlineCode";
import { passTitle } from "../model/passes";
import type { ChangedRow, TakenWords } from "../model/what-if";

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
        <span className={taken.accepted ? "decision-ok" : "decision-no"}>
          <Icon name={taken.accepted ? "check" : "cross"} size={14} />
          {taken.accepted ? "Fused" : "Refused"}
        </span>{" "}
        <InlineCode text={taken.text} />
        {taken.numbers.length > 0 && <small>{taken.numbers.join(" · ")}</small>}
      </p>
    </div>
  );
}

export function ChangedItem({ row }: { readonly row: ChangedRow }) {
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
