/** @file What each tab of the inspector shows: one entry a tab, under the name that `document/view.ts` lists with its title. */
import { lazy, type ReactNode } from "react";
import type { Fusion, Kernel, Plan } from "../../fusion";
import { loadPart, type InspectorTab } from "../../state";
import { WgslTab } from "./code/WgslTab";

// The code is what one sees first; the other tabs come with the first look at them.
const DecisionsTab = lazy(async () => ({ default: (await loadPart(() => import("./DecisionsTab"))).DecisionsTab }));
const LoopsTab = lazy(async () => ({ default: (await loadPart(() => import("./LoopsTab"))).LoopsTab }));
const MemoryTab = lazy(async () => ({ default: (await loadPart(() => import("./memory/MemoryTab"))).MemoryTab }));
const ValuesTab = lazy(async () => ({ default: (await loadPart(() => import("./ValuesTab"))).ValuesTab }));
const TrafficTab = lazy(async () => ({ default: (await loadPart(() => import("./TrafficTab"))).TrafficTab }));

/** What the inspector shows now; nulls before the first plan, or where a plan launches no kernel. */
interface Current {
  readonly plan: Plan | null;
  readonly fusion: Fusion | null;
  readonly kernel: Kernel | null;
}

type OfKernel = { readonly [Part in keyof Current]: NonNullable<Current[Part]> };

const ofKernel =
  (panel: (shown: OfKernel) => ReactNode) =>
  ({ plan, fusion, kernel }: Current): ReactNode =>
    plan && fusion && kernel ? (
      panel({ plan, fusion, kernel })
    ) : (
      <p className="kernel-none">Nothing to show for this program yet.</p>
    );

/** `run` is the measured panel, which the page's layout hands in. */
export const tabPanels: Readonly<Record<Exclude<InspectorTab, "run">, (current: Current) => ReactNode>> = {
  wgsl: ofKernel(({ plan, fusion, kernel }) => (
    <WgslTab kernel={kernel} graph={fusion.graph} index={plan.kernels.indexOf(kernel)} />
  )),
  loops: ofKernel(({ plan, fusion, kernel }) => <LoopsTab plan={plan} fusion={fusion} kernel={kernel} />),
  decisions: () => <DecisionsTab />,
  traffic: ofKernel(({ plan, fusion, kernel }) => <TrafficTab plan={plan} graph={fusion.graph} kernel={kernel} />),
  memory: ofKernel(({ plan, fusion }) => <MemoryTab plan={plan} graph={fusion.graph} />),
  values: () => <ValuesTab />,
};
