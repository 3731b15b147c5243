/** @file A kernel edited by hand: its text, what is wrong with it or known of it, and the way back. */
import { useMemo, useState, type ReactNode } from "react";
import { bindsOf, handText } from "../../document";
import { bytesOfKernel, type Kernel } from "../../fusion";
import {
  afterFirstPaint,
  lazyModule,
  playground,
  usePlayground,
  type FinishedRun,
  type Score,
  asideOf,
  selectPlan,
  selectPlanByHand,
} from "../../state";
import { Icon } from "../../icons";
import { handLines, handStatus, medianByHand, outcomeOf, scoreByHand } from "../model/kernel/by-hand";
import "./by-hand.css";

const useEditorModule = lazyModule(async () => {
  await afterFirstPaint();
  return import("./HandEditor");
});

interface Props {
  readonly kernel: Kernel;
  /** A plain field, where touch is the main pointer. */
  readonly plain: boolean;
}

function PlainField({ kernel, text }: { readonly kernel: Kernel; readonly text: string }) {
  const { actions } = playground.getState();
  return (
    <textarea
      className="hand-plain"
      aria-label={`WGSL of ${kernel.id}, edited by hand`}
      spellCheck={false}
      autoCapitalize="off"
      autoCorrect="off"
      value={text}
      onChange={(event) => {
        actions.writeKernel(kernel, event.target.value);
        void actions.checkKernel(kernel, true);
      }}
    />
  );
}

function CodeField(props: {
  readonly kernel: Kernel;
  readonly faults: ReturnType<typeof handStatus>["faults"];
  readonly asked: number;
}) {
  const editor = useEditorModule();
  return editor ? <editor.HandEditor {...props} /> : null;
}

export function HandKernel({ kernel, plain }: Props) {
  const text = usePlayground(({ document }) => handText(document.byHand, kernel)) ?? "";
  const check = usePlayground(({ handChecks }) => handChecks.get(bindsOf(kernel)) ?? null);
  const run = usePlayground(({ run: state }) => (state.status === "done" ? state.run : null));
  const [asked, setAsked] = useState(0);
  const status = useMemo(() => {
    const outcome = outcomeOf(run, bindsOf(kernel), text);
    return handStatus(check, outcome, text, bytesOfKernel(kernel));
  }, [check, run, kernel, text]);
  const field: ReactNode = plain ? (
    <PlainField kernel={kernel} text={text} />
  ) : (
    <CodeField kernel={kernel} faults={status.faults} asked={asked} />
  );
  return (
    <div className="hand">
      <div className="hand-field">{field}</div>
      <div className="hand-strip" data-tone={status.tone}>
        <b>Edited by hand</b>
        {status.faults.length > 0 ? (
          <button type="button" className="hand-fault" onClick={() => setAsked(asked + 1)}>
            {status.text}
          </button>
        ) : (
          status.text && <span role="status">{status.text}</span>
        )}
        <button
          type="button"
          className="kernel-action"
          onClick={() => playground.getState().actions.writeKernel(kernel, null)}
        >
          Reset to generated
        </button>
      </div>
      <SetAside kernel={kernel} />
    </div>
  );
}

/** The generated text to begin with: how many workgroups run it is a comment that may be changed. */
const beginning = ({ wgsl, workgroups }: Kernel): string =>
  `// workgroups: ${workgroups.join(" × ")}\n${wgsl.trimEnd()}\n`;

export function WriteStrip({ kernel }: { readonly kernel: Kernel }) {
  return (
    <>
      <div className="hand-strip">
        <button
          type="button"
          className="kernel-action"
          title="Watch this kernel's threads at work, at a small size"
          onClick={() => playground.getState().actions.lookInside({})}
        >
          Look inside
        </button>
        <button
          type="button"
          className="kernel-action"
          title="Edit this kernel in place. Run compares it with the reference and times it beside the generated one."
          onClick={() => playground.getState().actions.writeKernel(kernel, beginning(kernel))}
        >
          Write it yourself
        </button>
      </div>
      <SetAside kernel={kernel} />
    </>
  );
}

/** What became of the kernels that were edited by hand: wrong, slow, endless, refused, or right. */
export function ByHand({ run }: { readonly run: FinishedRun }) {
  return handLines(run).map(({ key, good, title, text }) => (
    <p key={key} className="measured-verdict" data-same={good}>
      <Icon name={good ? "check" : "cross"} />
      <span>
        <b>{title}</b> {text}
      </span>
    </p>
  ));
}

/** What is bound by texts that were set aside. */
function useAside(): readonly string[] {
  const byHand = usePlayground(({ document }) => document.byHand);
  const compilation = usePlayground(({ derived }) => derived.compilation);
  const plans = usePlayground(({ derived }) => derived.plans);
  const shown = usePlayground(selectPlan);
  return useMemo(
    () =>
      compilation ? asideOf(byHand, [compilation.naivePlan, compilation.fusedPlan, shown, ...plans.values()]) : [],
    [byHand, compilation, shown, plans],
  );
}

function SetAside({ kernel }: { readonly kernel: Kernel }) {
  const aside = useAside();
  const texts = usePlayground(({ document }) => document.byHand);
  const { actions } = playground.getState();
  if (aside.length === 0 || !texts) return null;
  return (
    <details className="hand-aside">
      <summary>Set aside: {aside.length === 1 ? "one text" : `${aside.length} texts`} edited by hand</summary>
      {aside.map((binds) => (
        <section key={binds}>
          <p>
            Binds <code>{binds}</code>
          </p>
          <pre>{texts[binds]}</pre>
          <button type="button" className="kernel-action" onClick={() => actions.setHandKernel(binds, kernel)}>
            Use for {kernel.id}
          </button>
          <button type="button" className="kernel-action" onClick={() => actions.setHandKernel(binds, null)}>
            Delete
          </button>
        </section>
      ))}
    </details>
  );
}

interface ScoreProps {
  readonly score: Score;
  readonly children: (score: Score, median: number | null) => ReactNode;
}

/** The score of a plan with kernels in it that were edited by hand: what they move, and their time. */
export function HandScore({ score, children }: ScoreProps) {
  const own = usePlayground(selectPlanByHand);
  const byHand = usePlayground(({ document }) => document.byHand);
  const run = usePlayground((state) => (state.run.status === "done" ? state.run.run : null));
  const texts = useMemo(
    () => own?.plan.kernels.flatMap((kernel) => handText(byHand, kernel) ?? []) ?? [],
    [own, byHand],
  );
  return children(
    useMemo(() => scoreByHand(score, own), [score, own]),
    useMemo(() => run && medianByHand(run, texts), [run, texts]),
  );
}
