/** @file Programs that are planned beside the one on the page: the sides of a comparison. The document stays as it is. */
import type { Compilation, CompileOptions } from "../fusion";
import { defaultOptions } from "../fusion";
import type { Document, World } from "../document";
import { findExample, optionsFor } from "../lessons";
import { layoutFor } from "./layout-sync";
import { layoutRequest } from "../picture";
import type { Slice } from "./slices/slice-context";
import { askBeside, planned } from "./ask-beside";

/** The program of one side and the choices that plan it. */
export function programOf(
  { example: id, text, change }: World,
  document: Document,
): Pick<Document, "text" | "options"> {
  const example = id === undefined ? null : findExample(id);
  if (!example) return { text: text ?? document.text, options: { ...document.options, ...change } };
  const opened = optionsFor(example, document.options, findExample(document.example), defaultOptions);
  return { text: example.text, options: { ...opened, ...change } };
}

const same = (compilation: Compilation | null, text: string, options: CompileOptions): boolean =>
  compilation !== null &&
  compilation.text === text &&
  (compilation.options === options || JSON.stringify(compilation.options) === JSON.stringify(options));

/** One graph to begin with: the ops of both then stand at the same places. */
const alike = ([first, second]: readonly Compilation[]): boolean =>
  second !== undefined && first?.text === second.text && first.options.granularity === second.options.granularity;

export const worldsSlice: Slice<"compare" | "race" | "planApart" | "planOf" | "plansApart" | "layOutApart"> = (
  context,
) => ({
  compare: (comparison) => context.set({ comparison, ...(comparison ? { race: null, inside: null } : {}) }),
  race: (race) => context.set({ race, ...(race ? { comparison: null, inside: null } : {}) }),
  async planApart(text, options, signal) {
    const own = (): Compilation | null => {
      const { compilation } = context.get().derived;
      return same(compilation, text, options) ? compilation : null;
    };
    await context.until((state) => own() !== null || planned(state), signal ?? new AbortController().signal);
    const shown = own();
    if (shown) return shown;
    const reply = await askBeside(context, { kind: "compile", text, options }, () => signal?.aborted === true);
    if (!reply.ok) return reply.text;
    return reply.value.kind === "compiled" ? reply.value.compilation : "The planner gave no answer.";
  },
  async planOf(text, options) {
    const compilation = await context.get().actions.planApart(text, options);
    return typeof compilation !== "string" && compilation.naive ? compilation : null;
  },
  async plansApart({ text, options }, cursors) {
    const asked = { kind: "plans", text, options, cursors, target: null } as const;
    const reply = await askBeside(context, asked);
    return reply.ok && reply.value.kind === "planned" ? reply.value.plans : new Map();
  },
  async layOutApart(compilations) {
    if (!alike(compilations)) {
      return Promise.all(compilations.map((each) => layoutFor(context.environment, layoutRequest(each))));
    }
    const [{ naive, drawn }] = compilations as readonly [Compilation];
    const steps = compilations.flatMap((each) => each.steps);
    const layout = await layoutFor(context.environment, layoutRequest({ naive, drawn, steps }));
    return compilations.map(() => layout);
  },
});
