/** @file What the totals of a plan owe its kernels: one source for both. */
import type { Compilation } from "../../src/fusion/compilation";
import type { Access, Criterion, Plan, Sums } from "../../src/fusion/ir";

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const times = ({ rereads }: Access): number => 1 + rereads;

/** The sums of a plan, added up from what its kernels show. */
function addedUp({ kernels }: Plan): Sums {
  const accesses = kernels.flatMap(({ reads, writes }) => [...reads, ...writes]);
  return {
    kernels: kernels.length,
    transfers: sum(accesses.map(times)),
    fullSizeTransfers: sum(accesses.filter(({ fullSize }) => fullSize).map(times)),
    bytes: sum(accesses.map((access) => access.bytes * times(access))),
    predictedMicros: sum(kernels.map(({ predictedMicros }) => predictedMicros)),
  };
}

/** Sums of many times differ in their last digits: each is rounded to a picosecond. What is no number is no total. */
const differs = (a: number, b: number): boolean => a !== b && !(Math.abs(a - b) <= 1e-6 * (1 + Math.abs(a)));

const faultsBetween = <T extends object>(what: string, told: T, found: Partial<T>): string[] =>
  (Object.keys(found) as (keyof T & string)[])
    .filter((key) => differs(Number(told[key]), Number(found[key])))
    .map((key) => `${what}: ${key} ${String(told[key])}, found ${String(found[key])}`);

/** Where totals are not the sums of what the kernels show, or not those of the last step. */
export function totalsFaults({ naivePlan, fusedPlan, steps }: Compilation): string[] {
  const last = steps.at(-1)?.totals;
  return [
    ...faultsBetween("naive", naivePlan!.totals, addedUp(naivePlan!)),
    ...faultsBetween("fused", fusedPlan!.totals, addedUp(fusedPlan!)),
    ...(last ? faultsBetween("last step", fusedPlan!.totals, last) : []),
  ];
}

/** Steps that take more time on purpose say by what they were decided: a person's choice, memory, a limit of the device. */
const OTHERWISE: ReadonlySet<Criterion> = new Set(["choice", "memory", "limit"]);

/** Where the fused plan is priced above the naive one, and no step says that it decided by something else than time. */
export function priceFaults({ steps, naivePlan, fusedPlan }: Compilation): string[] {
  if (steps.some(({ accepted, cost }) => accepted && cost && OTHERWISE.has(cost.criterion))) return [];
  const [naive, fused] = [naivePlan!.totals.predictedMicros, fusedPlan!.totals.predictedMicros];
  return fused <= naive * (1 + 1e-9) ? [] : [`naive ${naive} µs, fused ${fused} µs`];
}
