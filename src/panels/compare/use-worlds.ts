/** @file Both sides of a comparison, planned and laid out by the workers. What is known stays shown while the next is made. */
import { useEffect, useMemo, useState } from "react";
import { alignSteps, type AlignedStep, type Compilation, type Plan } from "../../fusion";
import type { Comparison, World } from "../../document";
import { stepsOf } from "../model/plan/compare";
import { playground, programOf, usePlayground, type Layout } from "../../state";

/** Both compilations, their layouts, and their steps beside each other. */
export interface Planned {
  readonly compilations: readonly [Compilation, Compilation];
  readonly layouts: readonly [Layout, Layout];
  readonly aligned: readonly AlignedStep[];
}

export interface Worlds {
  /** Null until both are there. */
  readonly planned: Planned | null;
  /** Why a side has no plan. */
  readonly problem: string | null;
  readonly busy: boolean;
}

const mistakeOf = ({ diagnostics }: Compilation): string =>
  diagnostics.find(({ severity }) => severity === "error")?.text ?? "It has nothing to plan.";

type Wanted = Pick<Compilation, "text" | "options"> & Pick<World, "at">;

async function plan(wanted: readonly Wanted[], signal: AbortSignal): Promise<Planned | string> {
  const { actions } = playground.getState();
  const compilations: Compilation[] = [];
  // One after the other: the worker has one thread, and what is compiled first is there for the second.
  for (const [i, { text, options }] of wanted.entries()) {
    const answer = await actions.planApart(text, options, signal);
    if (typeof answer === "string") return answer;
    if (!answer.naivePlan) return `The ${i === 0 ? "first" : "second"} program has no plan. ${mistakeOf(answer)}`;
    compilations.push(answer);
  }
  const [first, second] = await actions.layOutApart(compilations);
  if (!first || !second) return "There is no room to draw both graphs.";
  const [a, b] = compilations as [Compilation, Compilation];
  return {
    compilations: [a, b],
    layouts: [first, second],
    aligned: alignSteps(stepsOf(a, wanted[0]!), stepsOf(b, wanted[1]!)),
  };
}

export function useWorlds({ worlds }: Comparison): Worlds {
  const document = usePlayground((state) => state.document);
  const wanted = useMemo(
    () =>
      worlds.map((world): Wanted => ({
        ...programOf(world, document),
        ...(world.at === undefined ? {} : { at: world.at }),
      })),
    [worlds, document],
  );
  const key = JSON.stringify(wanted);
  const [answer, setAnswer] = useState<{ readonly key: string; readonly found: Planned | string } | null>(null);
  useEffect(() => {
    const asking = new AbortController();
    const asked = JSON.parse(key) as readonly Wanted[];
    void plan(asked, asking.signal).then((found) => !asking.signal.aborted && setAnswer({ key, found }));
    return () => asking.abort();
  }, [key]);
  const found = answer?.found ?? null;
  return {
    planned: typeof found === "string" ? null : found,
    problem: typeof found === "string" ? found : null,
    busy: answer?.key !== key,
  };
}

const endPlan = ({ naivePlan, fusedPlan, steps }: Compilation, cursor: number): Plan | null =>
  cursor === 0 ? naivePlan : cursor >= steps.length ? fusedPlan : null;

/** The plan of the state after `cursor` steps; null while the worker makes it, or where nothing is compiled yet. */
export function usePlanAt(compilation: Compilation | null, cursor: number): Plan | null {
  const [plans, setPlans] = useState<{ readonly of: Compilation; readonly known: ReadonlyMap<number, Plan> } | null>(
    null,
  );
  const ends = compilation && endPlan(compilation, cursor);
  const known = plans?.of === compilation ? plans.known : null;
  const missing = !ends && !known?.has(cursor);
  useEffect(() => {
    if (!compilation || !missing) return undefined;
    let open = true;
    void playground
      .getState()
      .actions.plansApart(compilation, [cursor])
      .then((made) => {
        if (!open || made.size === 0) return;
        setPlans((before) => ({
          of: compilation,
          known: new Map([...(before?.of === compilation ? before.known : []), ...made]),
        }));
      });
    return () => {
      open = false;
    };
  }, [compilation, cursor, missing]);
  return ends ?? known?.get(cursor) ?? null;
}
