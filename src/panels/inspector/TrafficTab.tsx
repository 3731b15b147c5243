/** @file What every kernel reads and writes, and the three tallies of the whole state. */
import type { Graph, Kernel, Plan } from "../../fusion";
import { playground, runsInstead, selectCovered, selectPlanByHand, usePlayground, type PlanByHand } from "../../state";
import { flopsOfPlan, intensityOf, kernelTraffic, type KernelTraffic } from "../model/plan/traffic";
import { KernelCard } from "./KernelCard";
import { NaiveAndNow } from "./NaiveAndNow";
import { late } from "../Late";
import { Figures } from "./figures/Figures";
import { Orders } from "./memory/Orders";
import { Saved } from "./memory/Saved";
import { known, tallyOf, UNKNOWN } from "../model/plan/score";
import { movedByHand } from "../model/kernel/by-hand";
import { count, decimal, showBytes, significant } from "../model/units";

interface Props {
  readonly plan: Plan;
  readonly graph: Graph;
  /** The one that the inspector shows. */
  readonly kernel: Kernel | null;
}

interface TalliesProps {
  readonly plan: Plan;
  readonly own: PlanByHand | null;
}

function Tallies({ plan, own }: TalliesProps) {
  const naive = usePlayground((state) => state.derived.compilation?.naivePlan ?? null);
  const flops = flopsOfPlan(plan);
  const fullSize = tallyOf((naive ?? plan).totals);
  const now = own ? movedByHand(own) : plan.totals;
  const rows: readonly (readonly [string, string, string])[] = [
    ["All transfers", naive ? count(naive.totals.transfers) : "", known(now.transfers, count)],
    ...(fullSize.noun === "transfers"
      ? []
      : [[fullSize.title, naive ? fullSize.text(naive.totals) : "", fullSize.text(now)] as const]),
    ["Memory traffic", naive ? showBytes(naive.totals.bytes) : "", known(now.bytes, showBytes)],
    // Arithmetic of a text by hand is not counted.
    ["Arithmetic", naive ? decimal(flopsOfPlan(naive), "FLOP") : "", own ? UNKNOWN : decimal(flops, "FLOP")],
    [
      "Arithmetic intensity",
      naive ? significant(intensityOf(flopsOfPlan(naive), naive.totals.bytes)) : "",
      own ? UNKNOWN : `${significant(intensityOf(flops, plan.totals.bytes))} FLOP/B`,
    ],
  ];
  return <NaiveAndNow caption="Tallies of the naive plan and of this step" of="Tally" rows={rows} />;
}

interface TableProps {
  readonly traffic: KernelTraffic;
  readonly current: boolean;
  /** `counted`: by hand, with what its text moves; `unknown`: by hand, and nobody knows. */
  readonly byHand: "no" | "counted" | "unknown";
}

function KernelTable({ traffic, current, byHand }: TableProps) {
  return (
    <section className="traffic-kernel" aria-current={current || undefined}>
      <h3>
        <button type="button" onClick={() => playground.getState().actions.showKernel(traffic.id)}>
          {traffic.title}
        </button>
        <span>
          {byHand === "no" ? "" : "by hand, "}
          {byHand === "unknown" ? "not counted" : showBytes(traffic.bytes)}
        </span>
      </h3>
      <table>
        <tbody>
          {(byHand === "unknown" ? [] : traffic.rows).map((row) => (
            <tr key={`${row.direction}${row.tensor}${row.type}`}>
              <td className={`traffic-${row.direction}`}>{row.direction}</td>
              <th scope="row">
                <code>{row.tensor}</code> <small>{row.type}</small>
              </th>
              <td>
                {row.events > 1 && <small>{row.events} passes </small>}
                {row.fullSize && <small>full </small>}
                {showBytes(row.bytes)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {byHand === "no" && (
        <p>
          {traffic.joins
            ? "Its FLOP are counted with the kernel before it"
            : `${decimal(traffic.flops, "FLOP")}, ${significant(traffic.intensity)} FLOP per byte`}
          {traffic.modelledBytes > 0 && `; ${showBytes(traffic.modelledBytes)} are read again from the cache`}
        </p>
      )}
    </section>
  );
}

const BestPlan = late(() => import("./what-if/BestPlan").then((part) => part.BestPlan));

/** Kernels listed at once; plans of thousands are read through the kernel list. */
const MAX_KERNELS = 100;

export function TrafficTab({ plan, graph, kernel }: Props) {
  const covered = usePlayground((state) => selectCovered(state) === "all");
  const own = usePlayground(selectPlanByHand);
  // A question about the naive plan asks for what stands here.
  if (covered) return <p className="kernel-none">The traffic is covered until you answer.</p>;
  return (
    <div className="kernel-scroll traffic">
      <Tallies plan={plan} own={own} />
      <BestPlan />
      <Saved />
      <Figures />
      <Orders />
      {kernel && <KernelCard kernel={kernel} graph={graph} />}
      {plan.kernels.slice(0, MAX_KERNELS).map((each) => {
        const { kernel: shown, isByHand, moves } = runsInstead(own, each);
        const byHand = !isByHand ? "no" : moves ? "counted" : "unknown";
        const traffic = kernelTraffic(shown, graph);
        return <KernelTable key={each.id} traffic={traffic} current={each.id === kernel?.id} byHand={byHand} />;
      })}
      {plan.kernels.length > MAX_KERNELS && (
        <p className="kernel-none">
          The first {MAX_KERNELS} of {count(plan.kernels.length)} kernels. Export has them all.
        </p>
      )}
      <p className="traffic-note">
        Algorithmic traffic: what the kernels ask for, counted from their loads and stores. Cache misses cannot be read
        through WebGPU.
      </p>
    </div>
  );
}
