/** @file Pages beside the playground: the laptop check, the class board, the teacher's page. */
import { findExample } from "../lessons";
import { exampleDocument } from "./document-slice";
import { loadPart } from "./load-part";
import { inputsFor, outputsOf, plansFor, statesOf } from "./running";
import type { Slice } from "./slice-context";

export const roomSlice: Slice<"showPage" | "checkLaptop"> = (context) => {
  let current = new AbortController();
  return {
    showPage: (page) => context.set({ page, dialog: "none" }),
    async checkLaptop() {
      current.abort();
      current = new AbortController();
      const { signal } = current;
      const { checkLaptop } = await loadPart(() => import("./laptop-check"));
      await checkLaptop(context, signal, { exampleDocument, findExample, inputsFor, outputsOf, plansFor, statesOf });
    },
  };
};
