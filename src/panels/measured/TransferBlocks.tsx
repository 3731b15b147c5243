/** @file Transfers counted in blocks, solid read and hollow write: the bar is the count. */
import type { Plan } from "../../fusion";
import { count } from "../model/units";
import { planTitle, type PlanName } from "../model/run/run-types";
import { tallyOf } from "../model/plan/score";
import { transferBlocks } from "../model/plan/traffic";

/** More than these are drawn as two plain bars; the number is beside them anyway. */
const MAX_BLOCKS = 40;

interface Props {
  readonly plans: readonly (readonly [PlanName, Plan])[];
  /** What ran on the device where that moves something else: the blocks are what is planned. */
  readonly note: string | null;
}

interface RowProps {
  readonly plan: PlanName;
  readonly reads: number;
  readonly writes: number;
  /** The count in words: never 0 while bytes move. */
  readonly said: string;
  readonly most: number;
}

function Row({ plan, reads, writes, said, most }: RowProps) {
  const width = (part: number): string => `${(part / most) * 100}%`;
  return (
    <div className="blocks-row" data-plan={plan}>
      <span>{planTitle(plan)}</span>
      <span
        className="blocks"
        role="img"
        aria-label={`${planTitle(plan)}: ${count(reads)} read, ${count(writes)} written`}
      >
        {most <= MAX_BLOCKS ? (
          Array.from({ length: reads + writes }, (_, i) => (
            <i key={i} className={i < reads ? "read" : "write"} style={{ width: `calc(${width(1)} - 2.5px)` }} />
          ))
        ) : (
          <>
            <i className="read whole" style={{ width: width(reads) }} />
            <i className="write whole" style={{ width: width(writes) }} />
          </>
        )}
      </span>
      <b>{said}</b>
    </div>
  );
}

export function TransferBlocks({ plans, note }: Props) {
  const tally = tallyOf(...plans.map(([, { totals }]) => totals));
  const rows = plans.map(([plan, planned]) => ({
    plan,
    said: tally.text(planned.totals),
    ...transferBlocks(planned, tally),
  }));
  const most = Math.max(1, ...rows.map(({ reads, writes }) => reads + writes));
  return (
    <div className="measured-block">
      <h3>
        {tally.title}
        {note && " as planned"} <span>solid read, hollow write</span>
      </h3>
      {rows.map((row) => (
        <Row key={row.plan} {...row} most={most} />
      ))}
      {note && <p className="measured-note">{note}</p>}
    </div>
  );
}
