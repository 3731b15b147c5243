/** @file The shown kernel as a profiler would show it, from the model: what its time is made of, registers, occupancy. */
import { useMemo } from "react";
import { kernelTitle, type Graph, type Kernel } from "../../fusion";
import { isRunOf, selectHandKernels, selectNaiveFusion, usePlayground } from "../../state";
import { kernelCard } from "../model/kernel/kernel-card";
import { naiveKernels } from "../model/kernel/kernels";
import { kernelTimes } from "../model/run/timings";
import { showMicros } from "../model/units";
import { CardViews } from "./CardViews";
import "./kernel-card.css";

/** The median of this kernel in the last run of this program, in words; empty when it was not timed by itself. */
function useMeasured(kernel: Kernel): string {
  const run = usePlayground((state) => (state.run.status === "done" ? state.run.run : null));
  const compilation = usePlayground((state) => state.derived.compilation);
  if (!run || !isRunOf(run, compilation)) return "";
  for (const { plan, kernel: id, measured } of kernelTimes(run)) {
    const ran = run.plans[plan]?.kernels.find(({ name }) => name === kernel.name);
    if (plan === "naive" || id !== kernel.id || !ran) continue;
    const own = ran.wgsl === kernel.wgsl ? "" : ", with a kernel generated for it instead of the one shown";
    return `${showMicros(measured.median)} measured on ${run.result.device.name}${own}`;
  }
  return "";
}

export function KernelCard({ kernel, graph }: { readonly kernel: Kernel; readonly graph: Graph }) {
  const compilation = usePlayground((state) => state.derived.compilation);
  const naive = usePlayground(selectNaiveFusion);
  const measured = useMeasured(kernel);
  const isByHand = usePlayground(selectHandKernels).includes(kernel.id);
  const card = useMemo(() => {
    if (!compilation?.naivePlan || !naive) return null;
    const apart = naiveKernels(compilation.naivePlan, naive.graph, kernel, graph);
    return kernelCard(kernel, apart, compilation.options.profile);
  }, [compilation, naive, kernel, graph]);
  if (!card || !compilation) return null;
  const most = Math.max(...card.parts.map(({ micros }) => micros), Number.MIN_VALUE);
  return (
    <section className="kernel-card" aria-label="Model of the kernel">
      <h3>
        {kernelTitle(kernel)}{" "}
        <span>
          {isByHand ? "as generated, " : ""}modelled for {compilation.options.profile.name}
        </span>
      </h3>
      <dl>
        {card.parts.map(({ name, micros, text }) => (
          <div key={name} className="card-part">
            <dt>{name}</dt>
            <dd>
              <span className="card-bar" role="img" aria-label={`${name}: ${showMicros(micros)}`}>
                <i style={{ width: `${(micros / most) * 100}%` }} />
              </span>
              <b>{showMicros(micros)}</b>
              <small>{text}</small>
            </dd>
          </div>
        ))}
      </dl>
      <p>{card.sum}.</p>
      {measured && <p>{measured}.</p>}
      <CardViews kernel={kernel} card={card} />
    </section>
  );
}
