/** @file What is alive while the kernels run, one after the other: the naive plan over this step, on one scale. */
import { useMemo } from "react";
import type { Graph, Plan } from "../../fusion";
import { selectNaiveFusion, usePlayground } from "../../state";
import { livePicture, peakSentence } from "../model/memory";
import { showBytes } from "../model/units";
import { Growth } from "./Growth";
import { MemoryChart } from "./MemoryChart";
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
  if (!naive || !before || !now) return <p className="kernel-none">This state launches no kernel.</p>;
  const most = Math.max(before.peakBytes, now.peakBytes);
  const rows: readonly (readonly [string, number, number])[] = [
    ["Alive at the peak", before.peakBytes, now.peakBytes],
    ["Reserved, slots shared", naive.plannedBytes, plan.plannedBytes],
    ["Least for this order, inputs freed", naive.lowerBoundBytes, plan.lowerBoundBytes],
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
      <p className="memory-said">{peakSentence(before, now)}</p>
      <table>
        <caption className="offscreen">Memory of the naive plan and of this step</caption>
        <thead>
          <tr>
            <th scope="col">Memory</th>
            <th scope="col">naive</th>
            <th scope="col">this step</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, first, second]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{showBytes(first)}</td>
              <td>
                <b>{showBytes(second)}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Growth />
    </div>
  );
}
