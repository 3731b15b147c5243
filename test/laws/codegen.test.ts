import { describe, expect, test } from "vitest";
import { codegenMutations, lowerFusion, planFusion, printWgsl, withMutation } from "../../src/fusion/codegen";
import { generic } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf, oneEach, oneRegion, wgslOf } from "./codegen-harness";
import { programs } from "./codegen-programs";
import { randomFusion, randomProgram } from "./random-program";

const SEEDS = Number(process.env["CODEGEN_SEEDS"] ?? 2000);
const SHARE = 250;
const shares = Array.from({ length: Math.ceil(SEEDS / SHARE) }, (_, i) => i * SHARE);

describe("generated kernels agree with the reference and with the counts", () => {
  test.each(Object.entries(programs))("%s", (_, text) => {
    const graph = graphOf(text);
    for (const target of [gpu, cpu]) {
      expect(complaints(oneEach(graph), target)).toEqual([]);
      expect(complaints(oneRegion(graph), target)).toEqual([]);
    }
  });

  test.each(shares)(
    "random programs from seed %d: every op alone, and in random kernels",
    (from) => {
      for (let seed = from; seed < Math.min(SEEDS, from + SHARE); seed++) {
        const text = randomProgram(seed);
        const graph = graphOf(text);
        const target = seed % 2 === 0 ? gpu : cpu;
        expect({ seed, text, wrong: complaints(oneEach(graph), target) }).toEqual({ seed, text, wrong: [] });
        expect({ seed, text, wrong: complaints(randomFusion(graph, seed), target) }).toEqual({ seed, text, wrong: [] });
      }
    },
    60_000,
  );
});

describe("the text of kernels", () => {
  const everything = Object.values(programs).flatMap((text) =>
    [gpu, cpu].flatMap((target) =>
      lowerFusion(oneRegion(graphOf(text)), target, generic).flatMap((region) => region.programs),
    ),
  );

  test("every loop ends after a number of turns that the text states", () => {
    const loops = everything.flatMap((program) => printWgsl(program).wgsl.match(/^ *(?:for|while|loop)\b.*$/gm) ?? []);
    expect(loops.length).toBeGreaterThan(20);
    const counted = /^for \(var (\w+) = (?:0u; \1 < \d+u; \1\+\+|\d+u; \1 > 0u; \1 \/= 2u)\) \{$/;
    const helper = /^for \(var \w+ = 0; \w+ < \d+; \w+\+\+\) \{$/;
    expect(loops.map((loop) => loop.trim()).filter((loop) => !counted.test(loop) && !helper.test(loop))).toEqual([]);
  });

  test("no expression is nested deeply", () => {
    for (const program of everything) {
      for (const line of printWgsl(program).wgsl.split("\n")) {
        let [depth, most] = [0, 0];
        for (const letter of line) {
          if (letter === "(") most = Math.max(most, ++depth);
          if (letter === ")") depth--;
        }
        expect(most, line).toBeLessThan(16);
      }
    }
  });

  test("every line of the body knows its nodes, and every line has a place", () => {
    for (const program of everything) {
      const { wgsl, lines } = printWgsl(program);
      expect(lines.length).toBe(wgsl.split("\n").length - 1);
      const loads = wgsl.split("\n").flatMap((line, i) => (/^\s+let \w+ = \w+\[/.test(line) ? [lines[i]!.length] : []));
      expect(loads.every((count) => count > 0)).toBe(true);
    }
  });

  test("workgroup memory and bindings stay within the target", () => {
    for (const text of Object.values(programs)) {
      for (const kernel of planFusion(oneRegion(graphOf(text)), gpu, generic).kernels) {
        expect(kernel.workgroupBytes).toBeLessThanOrEqual(gpu.maxWorkgroupBytes);
        expect(kernel.workgroupSize[0] * kernel.workgroupSize[1]).toBeLessThanOrEqual(gpu.maxWorkgroupSize);
      }
    }
  });

  test.each(["log-relu", "softmax", "layer-norm-gelu", "transpose-add", "column-sum", "full-sum", "concat"])(
    "%s",
    (name) => {
      expect(wgslOf(programs[name]!)).toMatchSnapshot();
    },
  );
  test("matmul with bias and relu, without workgroup memory", () => {
    expect(wgslOf(programs["matmul-bias-relu"]!, cpu)).toMatchSnapshot();
  });
});

/** The first thing that notices the bug, or null. Text is written under the bug, too. */
function caught(): string | null {
  const tries = [...Object.values(programs), ...Array.from({ length: 60 }, (_, seed) => randomProgram(seed))];
  for (const [i, text] of tries.entries()) {
    const graph = graphOf(text);
    for (const target of [gpu, cpu]) {
      for (const fusion of i < Object.keys(programs).length
        ? [oneRegion(graph)]
        : [oneEach(graph), randomFusion(graph, i)]) {
        const found = complaints(fusion, target);
        if (found.length > 0) return found[0]!;
      }
    }
  }
  return null;
}

describe("injected bugs are caught", () => {
  test.each(codegenMutations)(
    "%s",
    (name) => {
      expect(withMutation(name, caught)).not.toBeNull();
    },
    60_000,
  );
});
