/** @file What fusion does to a program's traffic, small enough for a list: full-size transfers of both plans as blocks. */
import { Covered, transferCount } from "../panels";
import { selectIsCovered, usePlayground, type PlaygroundState } from "../state";

type PlanTotals = NonNullable<ReturnType<PlaygroundState["lessonTotals"]["get"]>>;

/** More blocks than these become one bar. */
const MAX_BLOCKS = 18;

interface BarProps {
  readonly count: number;
  readonly most: number;
  /** The count in words: never 0 while bytes move. */
  readonly said: string;
  readonly fused: boolean;
}

function Bar({ count, most, said, fused }: BarProps) {
  return (
    <span className="traffic-bar" data-fused={fused}>
      <span
        style={most > MAX_BLOCKS ? { width: `${(count / most) * 100}%` } : undefined}
        data-whole={most > MAX_BLOCKS}
      >
        {most <= MAX_BLOCKS && Array.from({ length: count }, (_, i) => <i key={i} />)}
      </span>
      <b>{said}</b>
    </span>
  );
}

/** Empty until somebody has planned the program. */
export function TrafficBars({ totals }: { readonly totals: PlanTotals | undefined }) {
  const covered = usePlayground((state) => state.predict || selectIsCovered(state));
  if (!totals) return <span className="traffic-bars" aria-hidden="true" />;
  const [naive, fused] = [totals.naive.fullSizeTransfers, totals.fused.fullSizeTransfers];
  const most = Math.max(naive, fused);
  return (
    <span
      className="traffic-bars"
      role="img"
      aria-label={`${transferCount(totals.naive)} full-size transfers become ${covered ? "covered" : transferCount(totals.fused)}`}
    >
      <Bar count={naive} most={most} said={transferCount(totals.naive)} fused={false} />
      {covered ? <Covered /> : <Bar count={fused} most={most} said={transferCount(totals.fused)} fused />}
    </span>
  );
}
