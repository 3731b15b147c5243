/** @file What every kernel reads and writes, and the three tallies of the whole state. */
import type { Graph, Kernel, Plan } from "../../fusion";
import { playground, selectCovered, usePlayground } from "../../state";
import { flopsOfPlan, intensityOf, kernelTraffic, type KernelTraffic } from "../model/plan/traffic";
import { KernelCard } from "./KernelCard";
import { NaiveAndNow } from "./NaiveAndNow";
import { late } from "../Late";
import { Figures } from "./figures/Figures";
import { Orders } from "./memory/Orders";
import { Saved } from "./memory/Saved";
import { tallyOf } from "../model/plan/score";
import { count, decimal, showBytes, significant } from "../model/units";

interface Props {
  readonly plan: Plan;
  readonly graph: Graph;
  /** The one that the inspector shows. */
  readonly kernel: Kernel | null;
}

function Tallies({ plan }: { readonly plan: Plan }) {
  const naive = usePlayground((state) => state.derived.compilation?.naivePlan ?? null);
  const flops = flopsOfPlan(plan);
  const fullSize = tallyOf((naive ?? plan).totals);
  const rows: readonly (readonly [string, string, string])[] = [
    ["All transfers", naive ? count(naive.totals.transfers) : "", count(plan.totals.transfers)],
    ...(fullSize.noun === "transfers"
      ? []
      : [[fullSize.title, naive ? fullSize.text(naive.totals) : "", fullSize.text(plan.totals)] as const]),
    ["Memory traffic", naive ? showBytes(naive.totals.bytes) : "", showBytes(plan.totals.bytes)],
    ["Work", naive ? decimal(flopsOfPlan(naive), "FLOP") : "", decimal(flops, "FLOP")],
    [
      "Arithmetic intensity",
      naive ? significant(intensityOf(flopsOfPlan(naive), naive.totals.bytes)) : "",
      `${significant(intensityOf(flops, plan.totals.bytes))} FLOP/B`,
    ],
  ];
  return <NaiveAndNow caption="Tallies of the naive plan and of this step" of="Tally" rows={rows} />;
}

function KernelTable({ traffic, current }: { readonly traffic: KernelTraffic; readonly current: boolean }) {
  return (
    <section className="traffic-kernel" aria-current={current || undefined}>
      <h3>
        <button type="button" onClick={() => playground.getState().actions.showKernel(traffic.id)}>
          {traffic.title}
        </button>
        <span>{showBytes(traffic.bytes)}</span>
      </h3>
      <table>
        <tbody>
          {traffic.rows.map((row) => (
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
      <p>
        {decimal(traffic.flops, "FLOP")}, {significant(traffic.intensity)} FLOP per byte
        {traffic.modelledBytes > 0 && `; ${showBytes(traffic.modelledBytes)} are read again from the cache`}
      </p>
    </section>
  );
}

const BestPlan = late(() => import("./what-if/BestPlan").then((part) => part.BestPlan));

/** Kernels listed at once; plans of thousands are read through the kernel list. */
const MAX_KERNELS = 100;

export function TrafficTab({ plan, graph, kernel }: Props) {
  const covered = usePlayground((state) => selectCovered(state) === "all");
  // A question about the naive plan asks for what stands here.
  if (covered) return <p className="kernel-none">The traffic is covered until you answer.</p>;
  return (
    <div className="kernel-scroll traffic">
      <Tallies plan={plan} />
      <BestPlan />
      <Saved />
      <Figures />
      <Orders />
      {kernel && <KernelCard kernel={kernel} graph={graph} />}
      {plan.kernels.slice(0, MAX_KERNELS).map((each) => (
        <KernelTable key={each.id} traffic={kernelTraffic(each, graph)} current={each.id === kernel?.id} />
      ))}
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
