/** @file Pages beside the playground: the laptop check, the class board, the teacher's page. */
import { findExample } from "../../lessons";
import { exampleDocument } from "./document-slice";
import { loadPart } from "../load-part";
import type { Slice } from "./slice-context";

export const BOARD_KEY = "fusion-playground.board";

/** One fragment a line. */
const linesOf = (text: string | null): string[] => (text ?? "").split("\n").filter(Boolean);

type Names = "showPage" | "eraseAll" | "checkLaptop" | "addToBoard" | "takeFromBoard";

export const roomSlice: Slice<Names> = (context) => {
  const { storage } = context.environment;
  let current = new AbortController();
  /** Stored by any tab, and what this one has where nothing can be stored. */
  const board = (): string[] => [...new Set([...linesOf(storage.read(BOARD_KEY)), ...context.get().board])];
  const put = (fragments: readonly string[]): boolean => {
    context.set({ board: fragments });
    return storage.write(BOARD_KEY, fragments.join("\n"));
  };
  return {
    showPage(page) {
      context.set({ page, dialog: "none", ...(page === "board" ? { board: board() } : {}) });
    },
    eraseAll() {
      storage.clear();
      context.environment.reload();
    },
    addToBoard: (fragments) => put([...new Set([...board(), ...fragments])]),
    takeFromBoard(fragments) {
      put(fragments === "all" ? [] : board().filter((each) => !fragments.includes(each)));
    },
    async checkLaptop() {
      current.abort();
      current = new AbortController();
      const { signal } = current;
      const [{ checkLaptop }, running] = await Promise.all([
        loadPart(() => import("../runs/laptop-check")),
        loadPart(() => import("../runs/running")),
      ]);
      const { inputsFor, outputsOf, plansFor, statesOf } = running;
      await checkLaptop(context, signal, { exampleDocument, findExample, inputsFor, outputsOf, plansFor, statesOf });
    },
  };
};
