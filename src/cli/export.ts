/** @file export: the fused plan as an ES module of its own. */
import { fusionAt, standaloneModule } from "../fusion";
import type { Request } from "./args";
import type { Environment } from "./environment";
import { plural } from "./format";
import type { Planned } from "./report";

/** Writes the module to `-o`, or prints it; 1 where the file can't be written. */
export async function exportModule(
  { out }: Request,
  { compilation, fused, given }: Planned,
  environment: Environment,
): Promise<number> {
  const { options, steps } = compilation;
  const fusion = fusionAt(compilation, steps.length);
  const text = standaloneModule({ source: compilation.naive!.graph, fusion, plan: fused, options, given });
  if (out === null) {
    environment.print(text);
    return 0;
  }
  try {
    await environment.write(out, text);
  } catch (refused) {
    environment.complain(`${out} can't be written: ${(refused as Error).message}`);
    return 1;
  }
  environment.complain(`${out}: ${plural(fused.kernels.length, "kernel")}, ${text.length} characters.`);
  return 0;
}
