/** @file The machine's answers as the store hands them on; panels read outcomes from the store only. */
import type { FinishedRun } from "../../../state";

export type BenchResult = FinishedRun["result"];
export type Device = BenchResult["device"];
export type Timing = BenchResult["timings"][number];
export type PlanName = Timing["plan"];
export type TwoStops = NonNullable<BenchResult["twoStops"]["naive"]>;
export type Roofs = NonNullable<BenchResult["roofs"]>;

export const PLAN_NAMES: readonly PlanName[] = ["naive", "step", "fused", "hand"];

/** How the page calls a plan. */
export const planTitle = (plan: PlanName): string =>
  plan === "step" ? "this step" : plan === "hand" ? "by-hand" : plan;
