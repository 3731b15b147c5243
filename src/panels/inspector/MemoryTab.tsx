/** @file What is alive while the kernels run, one after the other: the naive plan over this step, on one scale. */
import { useMemo } from "react";
import type { Graph, Plan } from "../../fusion";
import { selectNaiveFusion, usePlayground } from "../../state";
import { livePicture, peakSentence } from "../model/memory";
import { showBytes } from "../model/units";
import { Growth } from "./Growth";
import { MemoryChart } from "./MemoryChart";
import { NaiveAndNow } from "./NaiveAndNow";
import "./memory.css";

interface Props {
  readonly plan: Plan;
  readonly graph: Graph;
}

export function MemoryTab({ plan, graph }: Props) {
  const naive = usePlayground((state) => state.derived.compilation?.naivePlan ?? null);
  const naiveGraph = usePlayground(selectNaiveFusion)?.graph ?? null;
  const isEnd = usePlayground((state) => state.derived.compilation?.fusedPlan === plan);
  const before = useMemo(() => naive && naiveGraph && livePicture(naive, naiveGraph), [naive, naiveGraph]);
  const now = useMemo(() => livePicture(plan, graph), [plan, graph]);
  if (!naive || !before || !now) return <p className="kernel-none">This plan launches no kernel.</p>;
  const most = Math.max(before.peakBytes, now.peakBytes);
  const rows: readonly (readonly [string, string, string])[] = [
    ["Alive at the peak", showBytes(before.peakBytes), showBytes(now.peakBytes)],
    ["Reserved, slots shared", showBytes(naive.plannedBytes), showBytes(plan.plannedBytes)],
    ["Least for this order, inputs freed", showBytes(naive.lowerBoundBytes), showBytes(plan.lowerBoundBytes)],
  ];
  return (
    <div className="kernel-scroll traffic memory">
      <MemoryChart title="naive" plan="naive" picture={before} most={most} />
      <MemoryChart title={isEnd ? "fused" : "this step"} plan={isEnd ? "fused" : "step"} picture={now} most={most} />
      <p className="memory-key">
        <span>
          <i data-role="input" /> inputs
        </span>
        <span>
          <i data-role="temporary" /> between kernels
        </span>
        <span>
          <i data-role="output" /> results
        </span>
      </p>
      <p className="memory-text">{peakSentence(before, now)}</p>
      <NaiveAndNow caption="Memory of the naive plan and of this step" of="Memory" rows={rows} />
      <Growth />
    </div>
  );
}
