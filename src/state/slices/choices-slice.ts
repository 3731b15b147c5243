/** @file Choices that change the plan: pins on edges, options, passes, the profile. All undoable, all in the link. */
import {
  baseOf,
  ownEntry,
  noKnobs,
  passOrder,
  withKnob,
  type CompileOptions,
  type EdgeId,
  type ForbidNote,
  type KnobChoices,
  type Knobs,
  type SavedValues,
} from "../../fusion";
import type { SliceContext, Slice } from "./slice-context";

const without = <T>(list: readonly T[], item: T): T[] => list.filter((other) => other !== item);

const isEmpty = (knobs: Knobs): boolean => Object.keys(knobs).length === 0;

/** Without kernels that nothing is chosen for; undefined when nothing is chosen at all. */
function knobsOrNone({ all, kernels }: KnobChoices): KnobChoices | undefined {
  const chosen = Object.entries(kernels).filter(([, knobs]) => !isEmpty(knobs));
  return isEmpty(all) && chosen.length === 0 ? undefined : { all, kernels: Object.fromEntries(chosen) };
}

const nothingSaved: SavedValues = { apart: false, choices: {} };

/** Undefined where both passes are one graph and nothing is chosen. */
const savedOrNone = (saved: SavedValues): SavedValues | undefined =>
  saved.apart || saved.policy !== undefined || Object.keys(saved.choices).length > 0 ? saved : undefined;

function choose(context: SliceContext, change: Partial<CompileOptions>): void {
  const { document } = context.get();
  context.commit({ ...document, options: { ...document.options, ...change } }, "option");
}

type Names =
  | "force"
  | "forbid"
  | "release"
  | "explainForbidden"
  | "setGranularity"
  | "setPolicy"
  | "setStrict"
  | "togglePass"
  | "setProfile"
  | "setMatmulPolicy"
  | "setGroupSize"
  | "setLevel"
  | "setOrder"
  | "setOptions"
  | "setKnob"
  | "releaseKnobs"
  | "setLibraryLine"
  | "setSaved"
  | "slideBudget"
  | "chooseSaved";

export const choicesSlice: Slice<Names> = (context) => {
  const options = (): CompileOptions => context.get().document.options;
  const notesWithout = (edge: EdgeId): readonly ForbidNote[] | undefined => {
    const others = (options().kept ?? []).filter((each) => each.edge !== edge);
    return others.length > 0 ? others : undefined;
  };
  const pin = (edge: EdgeId, where: "forced" | "forbidden" | null): void => {
    const forced = without(options().forced, edge);
    const forbidden = without(options().forbidden, edge);
    if (where === "forced") forced.push(edge);
    if (where === "forbidden") forbidden.push(edge);
    choose(context, { forced, forbidden, kept: notesWithout(edge) });
  };
  return {
    force: (edge) => pin(edge, "forced"),
    forbid: (edge) => pin(edge, "forbidden"),
    release: (edge) => pin(edge, null),
    explainForbidden: (edge, reason) =>
      choose(context, {
        kept: reason === null ? notesWithout(edge) : [...(notesWithout(edge) ?? []), { edge, reason }],
      }),
    setGranularity: (granularity) => choose(context, { granularity }),
    setPolicy: (policy) => choose(context, { policy }),
    setStrict: (strict) => choose(context, { strict }),
    setMatmulPolicy: (matmulPolicy) => choose(context, { matmulPolicy }),
    setLibraryLine: (line) => choose(context, { matmulPolicy: "threshold", libraryAbove: line ?? undefined }),
    setGroupSize: (groupSize) => choose(context, { groupSize }),
    setProfile(profile) {
      context.get().actions.setPlanHere(baseOf(profile) === null);
      choose(context, { profile });
    },
    setLevel: (level) => choose(context, { level }),
    setOrder(order) {
      const usual = order.join() === passOrder().join();
      choose(context, { order: usual ? undefined : order });
    },
    setKnob(output, knob, value) {
      const { all, kernels } = options().knobs ?? { all: noKnobs, kernels: {} };
      const next =
        output === null
          ? { all: withKnob(all, knob, value), kernels }
          : { all, kernels: { ...kernels, [output]: withKnob(ownEntry(kernels, output) ?? noKnobs, knob, value) } };
      choose(context, { knobs: knobsOrNone(next) });
    },
    setSaved: (change) =>
      choose(context, { savedValues: savedOrNone({ ...nothingSaved, ...options().savedValues, ...change }) }),
    slideBudget(budgetBytes) {
      const { document } = context.get();
      const { choices } = options().savedValues ?? nothingSaved;
      const savedValues: SavedValues = { apart: true, policy: "cut", budgetBytes, choices };
      context.type({ ...document, options: { ...document.options, savedValues } });
    },
    chooseSaved(value, choice) {
      const saved = options().savedValues ?? nothingSaved;
      const { [value]: _, ...rest } = saved.choices;
      choose(context, {
        savedValues: savedOrNone({ ...saved, choices: choice === null ? rest : { ...rest, [value]: choice } }),
      });
    },
    releaseKnobs: () => choose(context, { knobs: undefined }),
    setOptions: (changes) => choose(context, changes),
    togglePass(pass) {
      const { disabledPasses } = options();
      choose(context, {
        disabledPasses: disabledPasses.includes(pass) ? without(disabledPasses, pass) : [...disabledPasses, pass],
      });
    },
  };
};
