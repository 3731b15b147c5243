/** @file The kernel inspector: which kernel, what it is, and its code, loops, decisions, traffic and memory. */
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode, type KeyboardEvent } from "react";
import { inspectorTabs, tabNames } from "../../document";
import { kernelTitle } from "../../fusion";
import {
  loadPart,
  playground,
  runsInstead,
  selectPlanByHand,
  selectPlanned,
  selectSteps,
  usePlayground,
} from "../../state";
import { handTraffic, trafficSentence } from "../model/kernel/kernels";
import { count } from "../model/units";
import { KernelFooter } from "./KernelFooter";
import { KernelTabs } from "./KernelTabs";
import { tabPanels } from "./TabPanels";
import { useShownKernel } from "./use-shown-kernel";
import "./inspector.css";

const KnobsPanel = lazy(async () => ({ default: (await loadPart(() => import("./knobs/KnobsPanel"))).KnobsPanel }));

interface InspectorProps {
  /** In the middle layout the measured panel is the fifth tab. */
  readonly run?: ReactNode;
}

function Heading() {
  const { kernel, plan, fusion } = useShownKernel();
  const own = usePlayground(selectPlanByHand);
  if (!kernel || !fusion) {
    const words = plan ? "This plan launches no kernel." : "No plan yet.";
    return (
      <div className="kernel-head">
        <h2>Kernel</h2>
        <p>{words}</p>
      </div>
    );
  }
  const { isByHand, moves } = runsInstead(own, kernel);
  return (
    <div className="kernel-head">
      <h2>{kernelTitle(kernel)}</h2>
      <p>
        {isByHand ? "Edited by hand." : kernel.schedule}
        <br />
        {isByHand ? handTraffic(moves) : trafficSentence(kernel, fusion.graph)}
      </p>
    </div>
  );
}

export function KernelInspector({ run = null }: InspectorProps) {
  const tab = usePlayground((state) => state.tab);
  const planned = usePlayground((state) => selectPlanned(state) !== null);
  const steps = usePlayground(selectSteps).length;
  const current = useShownKernel();
  const { kernel } = current;
  const [knobs, setKnobs] = useState(false);
  const titles = { ...inspectorTabs, ...(planned && !run && { decisions: `Decisions ${count(steps)}` }) };
  const tabs = tabNames.filter((name) => name !== "run" || run !== null).map((name) => [name, titles[name]] as const);
  const shown = tab === "run" && !run ? "wgsl" : tab;
  return (
    <div className="kernel">
      <KernelTabs />
      <Heading />
      <TabBar tabs={tabs} shown={shown} onShow={(next) => playground.getState().actions.showTab(next)} />
      <div className="kernel-body" role="tabpanel" id="kernel-panel" aria-labelledby={`kernel-tab-${shown}`}>
        <Suspense>{shown === "run" ? <div className="kernel-run">{run}</div> : tabPanels[shown](current)}</Suspense>
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

interface TabBarProps<T extends string> {
  readonly tabs: readonly (readonly [T, string])[];
  readonly shown: T;
  readonly onShow: (tab: T) => void;
}

/** Tabs that arrow keys move along. */
function TabBar<T extends string>({ tabs, shown, onShow }: TabBarProps<T>) {
  const selected = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Together with the frame's own layout: on its own it would force one.
    const show = (): void => selected.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
    const frame = requestAnimationFrame(show);
    return () => cancelAnimationFrame(frame);
  }, [shown]);
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const direction = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (direction === 0) return;
    const at = tabs.findIndex(([tab]) => tab === shown);
    const next = tabs[(at + direction + tabs.length) % tabs.length];
    event.preventDefault();
    event.stopPropagation();
    if (!next) return;
    onShow(next[0]);
    event.currentTarget.querySelector<HTMLElement>(`#kernel-tab-${next[0]}`)?.focus();
  };
  return (
    <div className="kernel-tabs" role="tablist" aria-label="Kernel details" tabIndex={-1} onKeyDown={move}>
      {tabs.map(([tab, title]) => (
        <button
          key={tab}
          ref={tab === shown ? selected : null}
          type="button"
          role="tab"
          id={`kernel-tab-${tab}`}
          aria-selected={tab === shown}
          aria-controls="kernel-panel"
          tabIndex={tab === shown ? 0 : -1}
          onClick={() => onShow(tab)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
