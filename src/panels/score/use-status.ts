/** @file Gathers the facts for the status line and does what its button says. */
import { useEffect, useState } from "react";
import type { Compilation, Diagnostic, NodeId } from "../../fusion";
import { playground, selectHasHoles, selectIsEmpty, usePlayground, type Derived } from "../../state";
import { nameIn } from "../../picture";
import { opCount } from "../model/plan/score";
import { statusOf, type Status, type StatusAction } from "../model/status";

/** Planning shorter than this shows nothing. */
const SLOW_MILLIS = 150;

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

const firstError = ({ latest }: Derived): Diagnostic | null =>
  latest?.diagnostics.find(({ severity }) => severity === "error") ?? null;

const NONE: readonly string[] = [];

/** What the graph writes on the ops that read from a hole, and on the calls that miss an argument. */
function unconnectedOf({ drawn }: Compilation): readonly string[] {
  const isHole = (id: NodeId): boolean => drawn.nodes.get(id)?.op === "hole";
  const found = new Map<string, string>();
  for (const { id, inputs, groups } of drawn.nodes.values())
    if (inputs.some(isHole)) found.set(groups[0]?.id ?? id, groups[0]?.label ?? nameIn(drawn, id));
  return [...found.values()];
}

/** Inputs of a drawing that has nothing else. */
function loneInputsOf({ drawn }: Compilation): readonly string[] {
  const nodes = [...drawn.nodes.values()];
  return nodes.every(({ op }) => op === "input") ? nodes.map(({ label }) => label) : NONE;
}

function perform(kind: StatusAction, which = 0): void {
  const { actions, derived } = playground.getState();
  const error = firstError(derived);
  switch (kind) {
    case "notice":
      return playground.getState().notice?.action ? actions.followNotice(which) : actions.dismissNotice();
    case "cancel-run":
      return actions.cancelRun();
    case "cancel-compile":
      return actions.cancelCompile();
    case "run-again":
      return void actions.runBoth();
    case "go-to-error":
      return error ? actions.revealSpan(error.span) : undefined;
    case "open-example":
      return actions.openDialog("examples");
  }
}

/** The status to show or null, what its buttons do, and how to close it (null when it cannot be). */
export function useStatus(): readonly [
  Status | null,
  (kind: StatusAction, which: number) => void,
  (() => void) | null,
] {
  const notice = usePlayground((state) => state.notice);
  const derived = usePlayground((state) => state.derived);
  const run = usePlayground((state) => state.run);
  const empty = usePlayground(selectIsEmpty);
  const waits = usePlayground(selectHasHoles);
  const slow = useSlow(derived.status === "compiling");
  const status = statusOf({
    notice,
    run,
    slow,
    derived: derived.status,
    ops: derived.latest ? opCount(derived.latest.drawn) : null,
    empty,
    drawn: derived.compilation !== null,
    firstError: firstError(derived),
    unconnected: waits && derived.latest ? unconnectedOf(derived.latest) : NONE,
    loneInputs: waits && derived.latest ? loneInputsOf(derived.latest) : NONE,
  });
  const dismiss = (): void => playground.getState().actions.dismissNotice();
  const closable = notice?.action ? dismiss : null;
  return [status, perform, closable];
}
