/** @file Choices that change the plan: pins on edges, options, passes, the profile. All undoable, all in the link. */
import { passOrder, type CompileOptions, type EdgeId } from "../fusion";
import type { Deeds, Slice } from "./slice";

const without = <T>(list: readonly T[], item: T): T[] => list.filter((other) => other !== item);

function choose(deeds: Deeds, change: Partial<CompileOptions>): void {
  const { document } = deeds.get();
  deeds.commit({ ...document, options: { ...document.options, ...change } }, "option");
}

type Names =
  | "force" | "forbid" | "release" | "setGranularity" | "setPolicy" | "setStrict" | "togglePass" | "setProfile"
  | "setMatmulPolicy" | "setGroupSize" | "setLevel" | "setOrder" | "setOptions"; // prettier-ignore

export const choicesSlice: Slice<Names> = (deeds) => {
  const options = (): CompileOptions => deeds.get().document.options;
  const pin = (edge: EdgeId, where: "forced" | "forbidden" | null): void => {
    const forced = without(options().forced, edge);
    const forbidden = without(options().forbidden, edge);
    if (where === "forced") forced.push(edge);
    if (where === "forbidden") forbidden.push(edge);
    choose(deeds, { forced, forbidden });
  };
  return {
    force: (edge) => pin(edge, "forced"),
    forbid: (edge) => pin(edge, "forbidden"),
    release: (edge) => pin(edge, null),
    setGranularity: (granularity) => choose(deeds, { granularity }),
    setPolicy: (policy) => choose(deeds, { policy }),
    setStrict: (strict) => choose(deeds, { strict }),
    setMatmulPolicy: (matmulPolicy) => choose(deeds, { matmulPolicy }),
    setGroupSize: (groupSize) => choose(deeds, { groupSize }),
    setProfile: (profile) => choose(deeds, { profile }),
    setLevel: (level) => choose(deeds, { level }),
    setOrder(order) {
      const usual = order.join() === passOrder().join();
      choose(deeds, { order: usual ? undefined : order });
    },
    setOptions: (changes) => choose(deeds, changes),
    togglePass(pass) {
      const { disabledPasses } = options();
      choose(deeds, {
        disabledPasses: disabledPasses.includes(pass) ? without(disabledPasses, pass) : [...disabledPasses, pass],
      });
    },
  };
};
