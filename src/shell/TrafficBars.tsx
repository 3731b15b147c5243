/** @file What fusion does to a program's traffic, small enough for a list: full-size transfers of both plans as blocks. */
import { Covered, tallyOf } from "../panels";
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
  const tally = tallyOf(totals.naive);
  const [naive, fused] = [tally.of(totals.naive), tally.of(totals.fused)];
  const most = Math.max(naive, fused);
  return (
    <span
      className="traffic-bars"
      role="img"
      aria-label={`${tally.text(totals.naive)} ${tally.noun} become ${covered ? "covered" : tally.text(totals.fused)}`}
    >
      <Bar count={naive} most={most} said={tally.text(totals.naive)} fused={false} />
      {covered ? <Covered /> : <Bar count={fused} most={most} said={tally.text(totals.fused)} fused />}
    </span>
  );
}
