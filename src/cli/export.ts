/** @file export, picture and report: the fused plan as a module of its own, and what the page shows as files. */
import { fusionAt, growthOf, savedSheet, standaloneModule, type Compilation } from "../fusion";
import { reportHtml } from "../panels/model/plan/report";
import { missing, posterOf, posters } from "../panels/posters";
import { cardOf, inkOf, placedBy, stillOf, svgOf, svgText, type Ink } from "../picture";
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
  const { options, symbols, steps } = compilation;
  const fusion = fusionAt(compilation, steps.length);
  const text = standaloneModule({ source: compilation.naive!.graph, symbols, fusion, plan: fused, options, given });
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

/** The last part of FILE without its ending; a link has no name. */
const titleOf = (file: string): string =>
  file.length > 80 || file === "-" ? "Fused program" : file.replace(/^.*[\\/]/, "").replace(/\.\w+$/, "");

function said({ naivePlan, fusedPlan }: Compilation): string {
  const [naive, fused] = [naivePlan!.kernels.length, fusedPlan!.kernels.length];
  return naive === fused
    ? `${plural(fused, "kernel")} before and after: no kernel was saved.`
    : `${plural(naive, "kernel")} ${naive === 1 ? "becomes" : "become"} ${fused}, with the same results.`;
}

function drawn({ file, of }: Request, compilation: Compilation, ink: Ink): string {
  const title = titleOf(file);
  const chart = posters.find((each) => each === of);
  if (chart) {
    const sheet = chart === "saved" ? savedSheet(compilation) : null;
    const growth = chart === "growth" ? growthOf(compilation) : null;
    const shape = posterOf({ name: chart, compilation, run: null, sheet, growth, title }, ink);
    if (!shape) throw new Error(missing[chart]);
    return svgText(shape);
  }
  const placed = placedBy(compilation);
  if (of === "card") return cardOf(compilation, { title, sentence: said(compilation), placed }, ink)!;
  const cursor = of === "naive" ? 0 : compilation.steps.length;
  const plan = of === "naive" ? compilation.naivePlan : compilation.fusedPlan;
  return svgOf(stillOf({ compilation, cursor, plan, layout: placed, moved: {}, folds: false }), title, ink);
}

/** Writes what `make` answers to `-o`, or prints it; 1 where that can't be done. */
async function written(
  { out }: Request,
  environment: Environment,
  make: () => Promise<string | Uint8Array>,
): Promise<number> {
  try {
    const content = await make();
    if (out !== null) await environment.write(out, content);
    else if (typeof content === "string") environment.print(content);
    return 0;
  } catch (refused) {
    environment.complain(`${out ?? "The picture"} can't be written: ${(refused as Error).message}`);
    return 1;
  }
}

/** A PNG where `-o` ends so, with two pixels for each px; else SVG. */
export const picture = (request: Request, { compilation }: Planned, environment: Environment): Promise<number> =>
  written(request, environment, async () => {
    const svg = drawn(request, compilation, inkOf(await environment.tokens(), request.theme));
    return request.out?.toLowerCase().endsWith(".png") ? environment.pixels(svg) : svg;
  });

/** The page's report: program, picture, counts, kernels, decisions; on paper it is always light. */
export const report = (request: Request, { compilation }: Planned, environment: Environment): Promise<number> =>
  written(request, environment, async () => {
    const ink = inkOf(await environment.tokens(), "light");
    return reportHtml(compilation, null, {
      title: titleOf(request.file),
      picture: drawn(request, compilation, ink),
      link: null,
    })!;
  });
