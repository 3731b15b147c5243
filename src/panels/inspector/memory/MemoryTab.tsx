/** @file What is alive while the kernels run, one after the other: the naive plan over this step, on one scale. */
import { useMemo, createElement, useEffect, useState } from "react";
import type { Graph, Plan, GrowthOf } from "../../../fusion";
import { selectNaiveFusion, usePlayground, playground, selectExample, selectIsCovered } from "../../../state";
import { livePicture, peakSentence } from "../../model/plan/memory";
import { showBytes, count } from "../../model/units";
import { MemoryChart } from "./MemoryChart";
import { NaiveAndNow } from "../NaiveAndNow";
import "./memory.css";
import { propsOf } from "../../../picture";
import { growthSentence, grown, growths, sizeName, type Grown } from "../../model/plan/growth";
import { curveShapes } from "../../posters/growth-poster";
import "./growth.css";

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
  const shown = isEnd ? "fused" : "step";
  const most = Math.max(before.peakBytes, now.peakBytes);
  const rows: readonly (readonly [string, string, string])[] = [
    ["Alive at the peak", showBytes(before.peakBytes), showBytes(now.peakBytes)],
    ["Reserved, slots shared", showBytes(naive.plannedBytes), showBytes(plan.plannedBytes)],
    ["Least for this order, inputs freed", showBytes(naive.lowerBoundBytes), showBytes(plan.lowerBoundBytes)],
  ];
  return (
    <div className="kernel-scroll traffic memory">
      <MemoryChart title="naive" plan="naive" picture={before} most={most} />
      <MemoryChart title={isEnd ? "fused" : "this step"} plan={shown} picture={now} most={most} />
      <p className="memory-key" data-plan={shown}>
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

const WIDTH = 300;
const HEIGHT = 96;
const ink = (token: string): string => `var(--${token})`;

function Chart({ name, rows, what }: GrowthOf & { readonly what: Grown }) {
  const label = growthSentence(rows, name, what);
  return (
    <>
      <h4 className="growth-title">{grown[what]}</h4>
      <svg viewBox={`-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`} className="growth-chart" role="img" aria-label={label}>
        {curveShapes({ rows, what, width: WIDTH, height: HEIGHT }, ink).map((shape, key) =>
          createElement(shape.name, { key, ...propsOf(shape) }),
        )}
      </svg>
      <p className="growth-axis">
        <span>{count(rows[0]!.value)}</span>
        <span>{name}, both axes logarithmic</span>
        <span>{count(rows.at(-1)!.value)}</span>
      </p>
      <p className="traffic-note">{label}</p>
    </>
  );
}

function Charts({ name }: { readonly name: string }) {
  const sizes = usePlayground((state) => state.sizes);
  const compilation = usePlayground((state) => state.derived.compilation);
  const stale = sizes === null || sizes.of !== compilation || sizes.name !== name;
  useEffect(() => {
    if (stale) void playground.getState().actions.askSizes(name);
  }, [stale, name]);
  const rows = stale ? null : sizes.rows;
  if (!rows) return <p className="traffic-note">Planning…</p>;
  if (rows.length < 2) return <p className="traffic-note">The program can't be planned at other sizes.</p>;
  return growths.map((what) => <Chart key={what} name={name} rows={rows} what={what} />);
}

/** Opens on request: it plans the program at five sizes. */
function Growth() {
  const text = usePlayground((state) => state.derived.compilation?.text ?? "");
  const example = usePlayground(selectExample);
  const covered = usePlayground(selectIsCovered);
  const [open, setOpen] = useState(false);
  const name = sizeName(text, example?.sizes?.name);
  // Its curves end in the fused plan.
  if (name === undefined || covered) return null;
  return (
    <details className="growth" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Peak memory and traffic over {name}</summary>
      {open && <Charts name={name} />}
    </details>
  );
}
