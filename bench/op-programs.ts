/** @file What each function takes of a shader: chains of one op, long enough that arithmetic decides. */
import { allOps, workOf } from "../src/fusion/ops";
import type { Program } from "./suites";

/** Evaluations of the op for each element, and elements. */
const [EVALUATIONS, ELEMENTS] = [24, 1 << 24];

/** Programs of every elementwise op whose work is not its FLOP; values stay about one half. */
export const opPrograms = (): readonly Program[] =>
  allOps
    .filter((def) => def.kind === "elementwise" && workOf(def, []) !== def.weightedFlops)
    .map(({ name, params }) => {
      const operands = params.filter(({ kind }) => kind === "tensor").length;
      const call = (x: string): string => `${name}(${[x, ...Array<string>(operands - 1).fill("c")].join(", ")})`;
      const steps = Array.from({ length: EVALUATIONS }, (_, i) => `x${i + 1} = ${call(`x${i}`)} * 0.0625 + 0.5`);
      const head = [`x: f32[${ELEMENTS}]`, ...(operands > 1 ? ["c: f32[1]"] : []), "x0 = x * 0.0625 + 0.5"];
      return {
        name,
        text: [...head, ...steps, `return x${EVALUATIONS}`].join("\n"),
        expert: null,
        options: { groupSize: 8 },
      };
    });
