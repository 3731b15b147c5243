/** @file Copy, Diff with naive, Knobs, Export. */
import { lazy, Suspense, useState } from "react";
import { kernelTitle, type Fusion, type Plan } from "../../fusion";
import { isRunOf, loadPart, playground, runAt, selectNaiveFusion, usePlayground, type FinishedRun } from "../../state";
import { Icon } from "../../icons";
import { copyText } from "../copy-text";
import { download } from "../download";
import { naiveWgsl } from "../model/kernel/kernels";
import { useShownKernel } from "./use-shown-kernel";

const OtherLanguages = lazy(async () => ({
  default: (await loadPart(() => import("./code/OtherLanguages"))).OtherLanguages,
}));
const DiffDialog = lazy(() => import("./code/DiffDialog").then(({ DiffDialog: dialog }) => ({ default: dialog })));

const LABELS = { original: "WGSL of the naive kernels, read-only", modified: "WGSL of this kernel, read-only" };

/** The archiver is loaded with the first export. */
async function exportPlan(plan: Plan, as: "zip" | "json"): Promise<void> {
  const { planArchive, planJson } = await import("../model/plan/export");
  if (as === "zip") download("kernels.zip", "application/zip", planArchive(plan));
  else download("plan.json", "application/json", planJson(plan));
}

/** The shown plan, to be run by another page. The compiler is loaded with it. */
async function exportModule(fusion: Fusion, plan: Plan): Promise<void> {
  const { moduleText } = await import("../model/plan/standalone");
  const { compilation } = playground.getState().derived;
  const text = compilation && moduleText(compilation, fusion, plan);
  if (text) download("fused.mjs", "text/javascript", text);
}

/** The last run, where it is of the program that is planned. */
function finishedRun(): FinishedRun | null {
  const { derived, run, cursor } = playground.getState();
  return run.status === "done" && isRunOf(run.run, derived.compilation) ? runAt(run.run, cursor) : null;
}

/** Counts, decisions, times and a checklist, to read. */
async function exportSummary(): Promise<void> {
  const { summaryText } = await import("../model/plan/summary");
  const { compilation } = playground.getState().derived;
  const text = compilation && summaryText(compilation, finishedRun());
  if (text) download("summary.md", "text/markdown", text);
}

/** Passes, decisions and kernels of the program on the page, with the times of its last run. */
async function exportTrace(): Promise<void> {
  const { traceJson } = await import("../model/run/trace");
  const { compilation } = playground.getState().derived;
  if (compilation) download("fusion_trace.json", "application/json", traceJson(compilation, finishedRun()));
}

function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState("Copy");
  const copy = async (): Promise<void> => {
    setCopied((await copyText(text)) ? "Copied" : "Not allowed");
    setTimeout(() => setCopied("Copy"), 1500);
  };
  return (
    <button type="button" className="kernel-action" onClick={() => void copy()}>
      <Icon name="copy" />
      <span aria-live="polite">{copied}</span>
    </button>
  );
}

interface Props {
  readonly knobs: boolean;
  readonly onKnobs: () => void;
}

export function KernelFooter({ knobs, onKnobs }: Props) {
  const { plan, fusion, kernel } = useShownKernel();
  const naivePlan = usePlayground((state) => state.derived.compilation?.naivePlan ?? null);
  const naive = usePlayground(selectNaiveFusion);
  const [diff, setDiff] = useState(false);
  const [others, setOthers] = useState(false);
  const [menu, setMenu] = useState(false);
  if (!plan || !fusion || !kernel) return null;
  return (
    <div className="kernel-foot">
      <CopyButton text={kernel.wgsl} />
      <button type="button" className="kernel-action" disabled={!naive || !naivePlan} onClick={() => setDiff(true)}>
        Diff with naive
      </button>
      <button type="button" className="kernel-action" aria-expanded={knobs} onClick={onKnobs}>
        Knobs
      </button>
      <span className="kernel-grow" />
      <div
        className="kernel-export"
        onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || setMenu(false)}
      >
        <button
          type="button"
          className="kernel-action"
          aria-expanded={menu}
          aria-haspopup="true"
          onClick={() => setMenu(!menu)}
        >
          Export…
        </button>
        {menu && (
          <div className="kernel-menu">
            <button type="button" onClick={() => setOthers(true)}>
              Read as CUDA or Triton
            </button>
            <button type="button" onClick={() => void exportPlan(plan, "zip")}>
              All WGSL files, .zip
            </button>
            <button type="button" onClick={() => void exportPlan(plan, "json")}>
              This plan, .json
            </button>
            <button type="button" onClick={() => void exportModule(fusion, plan)}>
              This plan as an ES module, .mjs
            </button>
            <button type="button" onClick={() => void exportTrace()}>
              Trace for Perfetto or chrome://tracing, .json
            </button>
            <button type="button" onClick={() => void exportSummary()}>
              Summary for a pull request, .md
            </button>
          </div>
        )}
      </div>
      {others && (
        <Suspense fallback={null}>
          <OtherLanguages kernel={kernel} graph={fusion.graph} onClose={() => setOthers(false)} />
        </Suspense>
      )}
      {diff && naive && naivePlan && (
        <Suspense fallback={null}>
          <DiffDialog
            title={`${kernelTitle(kernel)}: naive and this step`}
            before={naiveWgsl(naivePlan, naive.graph, kernel, fusion.graph)}
            after={kernel.wgsl}
            labels={LABELS}
            onClose={() => setDiff(false)}
          />
        </Suspense>
      )}
    </div>
  );
}
