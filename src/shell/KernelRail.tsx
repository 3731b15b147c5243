/** @file The kernel inspector folded to a rail: what it would show, one press away. */
import { inspectorTabs, tabNames } from "../document";
import { playground, selectKernelColours, selectPlan, selectPlanned, usePlayground, type InspectorTab } from "../state";
import { Icon } from "../icons";
import "./kernel-rail.css";

const tabs = tabNames.filter((name) => name !== "run");

export function KernelRail() {
  const planned = usePlayground((state) => selectPlanned(state) !== null);
  const plan = usePlayground(selectPlan);
  const colours = usePlayground(selectKernelColours);
  const shown = usePlayground((state) => state.kernel);
  const kernel = plan?.kernels.find(({ id }) => id === shown) ?? plan?.kernels[0];
  const colour = kernel && colours.get(kernel.region);
  const open = (tab: InspectorTab): void => {
    const { actions } = playground.getState();
    actions.showTab(tab);
    actions.showInspector(true);
  };
  return (
    <div className="rail" role="group" aria-label="Kernel inspector, folded">
      <button
        type="button"
        className="icon-button"
        aria-label="Open the kernel inspector"
        title="Open the kernel inspector"
        onClick={() => open(playground.getState().tab)}
      >
        <Icon name="open" size={18} />
      </button>
      {planned && colour !== undefined && (
        <i className="rail-kernel" style={{ background: `var(--k${(colour % 6) + 1})` }} aria-hidden="true" />
      )}
      {tabs.map((tab) => (
        <button key={tab} type="button" className="rail-tab" onClick={() => open(tab)}>
          {tab === "wgsl" && kernel ? `${kernel.id} ${inspectorTabs[tab]}` : inspectorTabs[tab]}
        </button>
      ))}
    </div>
  );
}

/** Over the open inspector's corner. */
export const FoldInspector = () => (
  <button
    type="button"
    className="icon-button fold-inspector"
    aria-label="Fold the kernel inspector"
    title="Fold the kernel inspector"
    onClick={() => playground.getState().actions.showInspector(false)}
  >
    <Icon name="fold" size={18} />
  </button>
);
