/** @file Gathers the facts for the status line and does what its button says. */
import { useEffect, useState } from "react";
import type { Compilation, Diagnostic, NodeId } from "../../fusion";
import {
  playground,
  selectHasHoles,
  selectIsEmpty,
  selectScore,
  usePlayground,
  type Derived,
  type PlaygroundState,
} from "../../state";
import { opCount } from "../model/score";
import { statusOf, type Status, type StatusAction } from "../model/status";

/** Planning shorter than this shows nothing. */
const SLOW_MILLIS = 150;
/** The summary at the last step gives the numbers their place back. */
const SUMMARY_MILLIS = 6000;

function useSlow(active: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(() => setSlow(true), SLOW_MILLIS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [active]);
  return active && slow;
}

/** True for a while after a step forward has reached the end; opening a page at its end is no arrival. */
function useArrival(): [boolean, () => void] {
  const [arrived, setArrived] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = playground.subscribe((state, before) => {
      if (state.cursor === before.cursor && state.derived.compilation === before.derived.compilation) return;
      const last = state.derived.compilation?.steps.length ?? 0;
      const stepped = state.derived.compilation === before.derived.compilation && state.cursor === before.cursor + 1;
      clearTimeout(timer);
      setArrived(stepped && state.cursor === last);
      if (stepped && state.cursor === last) timer = setTimeout(() => setArrived(false), SUMMARY_MILLIS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return [arrived, () => setArrived(false)];
}

function agreement({ run, document }: Pick<PlaygroundState, "run" | "document">): boolean | null {
  if (run.status !== "done" || run.run.text !== document.text || !run.run.check) return null;
  return run.run.check.length === 0 ? null : run.run.check.every((row) => row.pass);
}

const firstError = ({ latest }: Derived): Diagnostic | null =>
  latest?.diagnostics.find(({ severity }) => severity === "error") ?? null;

const NONE: readonly string[] = [];

/** Labels of the ops that read from a hole. */
function unconnectedOf({ drawn: { nodes } }: Compilation): readonly string[] {
  const isHole = (id: NodeId): boolean => nodes.get(id)?.op === "hole";
  return [...nodes.values()].flatMap(({ inputs, label }) => (inputs.some(isHole) ? [label] : []));
}

function perform(kind: StatusAction): void {
  const { actions, derived } = playground.getState();
  const error = firstError(derived);
  switch (kind) {
    case "notice":
      return playground.getState().notice?.action ? actions.followNotice() : actions.dismissNotice();
    case "cancel-run":
      return actions.cancelRun();
    case "cancel-compile":
      return actions.cancelCompile();
    case "run-again":
      return void actions.runBoth();
    case "go-to-error":
      return error ? actions.revealSpan(error.span) : undefined;
    case "play-again":
      actions.stepTo(0);
      return actions.togglePlay();
    case "open-example":
      return actions.openDialog("find");
  }
}

/** The status to show or null, what its button does, and how to close it (null when it cannot be). */
export function useStatus(): readonly [Status | null, () => void, (() => void) | null] {
  const notice = usePlayground((state) => state.notice);
  const derived = usePlayground((state) => state.derived);
  const run = usePlayground((state) => state.run);
  const totals = usePlayground(selectScore);
  const empty = usePlayground(selectIsEmpty);
  const document = usePlayground((state) => state.document);
  const waits = usePlayground(selectHasHoles);
  const slow = useSlow(derived.status === "compiling");
  const [arrived, leave] = useArrival();
  const status = statusOf({
    notice,
    run,
    slow,
    derived: derived.status,
    ops: derived.latest ? opCount(derived.latest.drawn) : 0,
    empty,
    firstError: firstError(derived),
    unconnected: waits && derived.latest ? unconnectedOf(derived.latest) : NONE,
    finished:
      arrived && totals ? { naive: totals.naive, final: totals.end, agrees: agreement({ run, document }) } : null,
  });
  const follow = (): void => {
    if (status?.action) perform(status.action.kind);
  };
  const dismiss = (): void => playground.getState().actions.dismissNotice();
  const closable = notice?.action ? dismiss : !notice && status && arrived ? leave : null;
  return [status, follow, closable];
}
