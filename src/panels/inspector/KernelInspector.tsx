/** @file The kernel inspector: which kernel, what it is, and its code, loops, decisions, traffic and memory. */
import { lazy, Suspense, useState, type ReactNode } from "react";
import { kernelTitle } from "../../fusion";
import {
  loadPart,
  playground,
  selectHandKernels,
  selectPlanned,
  selectSteps,
  usePlayground,
  type InspectorTab,
} from "../../state";
import { trafficSentence } from "../model/kernels";
import { count } from "../model/units";
import { KernelFooter } from "./KernelFooter";
import { KernelTabs } from "./KernelTabs";
import { TabBar } from "./TabBar";
import { useShownKernel } from "./use-shown-kernel";
import { WgslTab } from "./WgslTab";
import "./inspector.css";

// The code is what one sees first; the other tabs come with the first look at them.
const DecisionsTab = lazy(async () => ({ default: (await loadPart(() => import("./DecisionsTab"))).DecisionsTab }));
const LoopsTab = lazy(async () => ({ default: (await loadPart(() => import("./LoopsTab"))).LoopsTab }));
const KnobsPanel = lazy(async () => ({ default: (await loadPart(() => import("./knobs/KnobsPanel"))).KnobsPanel }));
const MemoryTab = lazy(async () => ({ default: (await loadPart(() => import("./MemoryTab"))).MemoryTab }));
const ValuesTab = lazy(async () => ({ default: (await loadPart(() => import("./ValuesTab"))).ValuesTab }));
const TrafficTab = lazy(async () => ({ default: (await loadPart(() => import("./TrafficTab"))).TrafficTab }));

interface Props {
  /** In the middle layout the measured panel is the fifth tab. */
  readonly run?: ReactNode;
}

function Heading() {
  const { kernel, plan } = useShownKernel();
  const own = usePlayground(selectHandKernels).includes(kernel?.id ?? "");
  if (!kernel) {
    const words = plan ? "This plan launches no kernel." : "No plan yet.";
    return (
      <div className="kernel-head">
        <h2>Kernel</h2>
        <p>{words}</p>
      </div>
    );
  }
  return (
    <div className="kernel-head">
      <h2>{kernelTitle(kernel)}</h2>
      <p>
        {own ? "Edited by hand; generated:" : ""} {kernel.schedule}
        <br />
        {trafficSentence(kernel)}
      </p>
    </div>
  );
}

function Shown({ tab, run }: { readonly tab: InspectorTab; readonly run: ReactNode }) {
  const { plan, fusion, kernel } = useShownKernel();
  if (tab === "decisions") return <DecisionsTab />;
  if (tab === "values") return <ValuesTab />;
  if (tab === "run" && run) return <div className="kernel-run">{run}</div>;
  if (!plan || !fusion || !kernel) return <p className="kernel-none">Nothing to show for this program yet.</p>;
  switch (tab) {
    case "loops":
      return <LoopsTab fusion={fusion} kernel={kernel} />;
    case "traffic":
      return <TrafficTab plan={plan} graph={fusion.graph} kernel={kernel} />;
    case "memory":
      return <MemoryTab plan={plan} graph={fusion.graph} />;
    case "wgsl":
    case "run":
      return <WgslTab kernel={kernel} graph={fusion.graph} index={plan.kernels.indexOf(kernel)} />;
  }
}

export function KernelInspector({ run = null }: Props) {
  const tab = usePlayground((state) => state.tab);
  const planned = usePlayground((state) => selectPlanned(state) !== null);
  const steps = usePlayground(selectSteps).length;
  const { kernel } = useShownKernel();
  const [knobs, setKnobs] = useState(false);
  const tabs: readonly (readonly [InspectorTab, string])[] = [
    ["wgsl", "WGSL"],
    ["loops", "Loops"],
    ["decisions", planned && !run ? `Decisions ${count(steps)}` : "Decisions"],
    ["traffic", "Traffic"],
    ["memory", "Memory"],
    ["values", "Values"],
    ...(run ? [["run", "Run"] as const] : []),
  ];
  const shown = tab === "run" && !run ? "wgsl" : tab;
  return (
    <div className="kernel">
      <KernelTabs />
      <Heading />
      <TabBar tabs={tabs} shown={shown} onShow={(next) => playground.getState().actions.showTab(next)} />
      <div className="kernel-body" role="tabpanel" id="kernel-panel" aria-labelledby={`kernel-tab-${shown}`}>
        <Suspense>
          <Shown tab={shown} run={run} />
        </Suspense>
      </div>
      {knobs && kernel && shown !== "run" && (
        <Suspense>
          <KnobsPanel kernel={kernel} />
        </Suspense>
      )}
      {shown !== "run" && <KernelFooter knobs={knobs} onKnobs={() => setKnobs(!knobs)} />}
    </div>
  );
}
