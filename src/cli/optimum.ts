/** @file optimum: the planner's plan beside the best one by the price. */
import { fusionAt, isTooLarge, optimumOf, regretOf, showMicros } from "../fusion";
import type { Request } from "./args";
import type { Environment } from "./environment";
import { plural, table } from "./format";
import type { Planned } from "./report";

/** 1 where the graph is too large to try every plan. */
export function optimum({ json }: Request, { compilation }: Planned, environment: Environment): number {
  const { steps, options } = compilation;
  const found = optimumOf(fusionAt(compilation, steps.length), options);
  if (isTooLarge(found)) {
    environment.complain(`The best plan is not searched for: ${found.tooLarge}.`);
    return 1;
  }
  const { micros, planned, regions, weighed } = found;
  const regret = regretOf(found);
  if (json) {
    const kernels = regions.map(({ members, outputs }) => ({ nodes: members, outputs }));
    environment.print(JSON.stringify({ planned, best: micros, regret, weighed, kernels }, null, 2));
    return 0;
  }
  const tried = `${plural(weighed, "kernel")} weighed, on the device profile ${options.profile.name}.`;
  if (regret === 0) {
    environment.print(`By the cost model, no plan is better: ${showMicros(planned)}. ${tried}`);
    return 0;
  }
  const share = `${Number((100 * regret).toPrecision(2))} %`;
  const rows = regions.map(({ members, outputs }) => [outputs.join(", "), `from ${members.join(", ")}`]);
  environment.print(
    `By the cost model, the plan takes ${showMicros(planned)}, ${share} more than the best one: ${showMicros(micros)}. ${tried}\n\n${table(rows)}`,
  );
  return 0;
}
