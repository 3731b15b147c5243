/** @file The plan that is shown as an ES module, for a page of one's own. */
import { standaloneModule, type Compilation, type Fusion, type Plan } from "../../../fusion";

/** The module's text; parameters have the numbers that their seeds give. Null where there is no program. */
export function moduleText({ naive, symbols, options }: Compilation, fusion: Fusion, plan: Plan): string | null {
  return naive && standaloneModule({ source: naive.graph, symbols, fusion, plan, options });
}
