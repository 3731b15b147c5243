/** @file Every decision of every pass, grouped by pass; search and filter narrow it. */
import { passTitle } from "../../fusion";
import { useDeferredValue, useMemo, useState } from "react";
import { playground, selectIsCovered, selectPlanned, selectSteps, selectTold, usePlayground } from "../../state";
import { groupDecisions, type DecisionGroup, type DecisionRow } from "../model/plan/decisions";
import { Covered } from "../Covered";
import { count, plural } from "../model/units";
import { useShownKernel } from "./use-shown-kernel";
import { WhatIfTab } from "./what-if/WhatIfTab";
import { InlineCode } from "../InlineCode";
import { Verdict } from "../Verdict";
import "./card-views.css";

/** Rows drawn at once in a group; the rest on request. */
const PAGE = 60;
/** With fewer decisions than this every group is open. */
const OPEN_ALL = 60;

function Group({ group, open }: { readonly group: DecisionGroup; readonly open: boolean }) {
  const [limit, setLimit] = useState(PAGE);
  const [isOpen, setOpen] = useState(open);
  const cursor = usePlayground((state) => state.cursor);
  const known = usePlayground(selectTold);
  const covered = group.rows.some(({ seq }) => seq > known);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b>{passTitle(group.pass)}</b>{" "}
        {covered ? <Covered /> : `${count(group.accepted)} accepted, ${count(group.refused)} refused`}
      </summary>
      {isOpen && (
        <ol>
          {group.rows.slice(0, limit).map((row) => (
            <DecisionItem key={row.seq} row={row} current={row.seq === cursor} covered={row.seq > known} />
          ))}
        </ol>
      )}
      {isOpen && group.rows.length > limit && (
        <button type="button" className="kernel-more" onClick={() => setLimit(limit + 10 * PAGE)}>
          Show more of {plural(group.rows.length, "decision")}
        </button>
      )}
    </details>
  );
}

interface FilterProps {
  readonly passes: readonly string[];
  readonly pass: string | null;
  readonly search: string;
  readonly own: boolean;
  readonly onPass: (pass: string | null) => void;
  readonly onSearch: (search: string) => void;
  readonly onOwn: (own: boolean) => void;
}

function Filters({ passes, pass, search, own, onPass, onSearch, onOwn }: FilterProps) {
  return (
    <div className="decisions-filter">
      <input
        type="search"
        aria-label="Search decisions"
        placeholder="Code, op or reason"
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
      <select aria-label="Pass" value={pass ?? ""} onChange={(event) => onPass(event.target.value || null)}>
        <option value="">All passes</option>
        {passes.map((name) => (
          <option key={name} value={name}>
            {passTitle(name)}
          </option>
        ))}
      </select>
      <label>
        <input type="checkbox" checked={own} onChange={(event) => onOwn(event.target.checked)} /> This kernel
      </label>
    </div>
  );
}

function Mode({ asking }: { readonly asking: boolean }) {
  const { actions } = playground.getState();
  return (
    <div className="card-views decisions-mode" role="group" aria-label="Which decisions">
      <button type="button" aria-pressed={!asking} onClick={() => actions.closeWhatIf()}>
        As taken
      </button>
      <button type="button" aria-pressed={asking} onClick={() => actions.openWhatIf()}>
        What if…
      </button>
    </div>
  );
}

export function DecisionsTab() {
  const whatIf = usePlayground((state) => state.whatIf);
  const planned = usePlayground((state) => selectPlanned(state) !== null);
  // An answer about another plan tells of this one.
  const covered = usePlayground(selectIsCovered);
  return (
    <div className="kernel-scroll decisions">
      {planned && !covered && <Mode asking={whatIf !== null} />}
      {planned && whatIf && !covered ? <WhatIfTab state={whatIf} /> : <Taken />}
    </div>
  );
}

function Taken() {
  const planned = usePlayground(selectPlanned);
  const steps = usePlayground(selectSteps);
  const { kernel } = useShownKernel();
  const [pass, setPass] = useState<string | null>(null);
  const [search, setSearch] = useState("");
  const [own, setOwn] = useState(false);
  const wanted = useDeferredValue(search);
  const groups = useMemo(() => {
    const nodes = own && kernel ? new Set<string>(kernel.nodes) : null;
    return planned ? groupDecisions(planned, { pass, search: wanted, nodes }) : [];
  }, [planned, pass, wanted, own, kernel]);
  const passes = useMemo(() => [...new Set(steps.map((step) => step.pass))], [steps]);
  if (!planned) return <p className="kernel-none">Nothing to show for this program yet.</p>;
  if (steps.length === 0) return <p className="kernel-none">No pass found anything to decide.</p>;
  const found = groups.reduce((sum, group) => sum + group.rows.length, 0);
  return (
    <>
      <Filters {...{ passes, pass, search, own }} onPass={setPass} onSearch={setSearch} onOwn={setOwn} />
      {found === 0 && <p className="kernel-none">No decision matches.</p>}
      {groups.map((group) => (
        <Group key={`${group.pass}${found <= OPEN_ALL}`} group={group} open={found <= OPEN_ALL} />
      ))}
    </>
  );
}

interface Props {
  readonly row: DecisionRow;
  readonly current: boolean;
  /** Its verdict waits for a prediction. */
  readonly covered: boolean;
}

/** One decision: what it was about, both verdicts, the sentence, the numbers, the remedy. */
function DecisionItem({ row, current, covered }: Props) {
  if (covered)
    return (
      <li className="decision">
        <span className="decision-seq">{row.seq}</span> <b>{row.about}</b> <Covered />
      </li>
    );
  return (
    <li className="decision" aria-current={current ? "step" : undefined}>
      <button type="button" onClick={() => playground.getState().actions.stepTo(row.seq)}>
        <span className="decision-seq">{row.seq}</span>
        <b>{row.about}</b>
        <code>{row.code}</code>
      </button>
      <p className="decision-checks">
        {row.verdicts.map((each) => (
          <Verdict key={each.text} of={each} />
        ))}
        {row.criterion && <span className="decision-criterion">{row.criterion}</span>}
      </p>
      <p>
        <b>{row.title}</b> <InlineCode text={row.text} />
      </p>
      {row.remedy && (
        <p>
          <b>{row.remedy.question}</b> <InlineCode text={row.remedy.text} />
        </p>
      )}
      {row.numbers.length > 0 && <p className="decision-numbers">{row.numbers.join(" · ")}</p>}
    </li>
  );
}
