import { describe, expect, test } from "vitest";
import { lowerFusion, planFusion } from "../../src/fusion/plan";
import { printWgsl } from "../../src/fusion/kernel/code";
import { canonicalRegion } from "../../src/fusion/plan/canonical-region";
import { kernelOrders } from "../../src/fusion/plan/kernel-order";
import { printRegion } from "../../src/fusion/plan/printed-region";
import { printCached } from "../../src/fusion/plan/kernel-cache";
import {
  nodeId,
  regionId,
  type Fusion,
  type Graph,
  type Node,
  type NodeId,
  type Region,
  type RegionId,
} from "../../src/fusion/ir";
import { generic } from "../../src/fusion/cost";
import { naiveFusion } from "../../src/fusion/passes";
import { complaints, cpu, gpu, graphOf, oneEach, oneRegion, unlike, wgslOf } from "./kernel-harness";
import { programs } from "./kernel-programs";
import { randomFusion, randomProgram } from "./random-program";

/** Random programs, and the first one's seed: CODEGEN_LAWS=count:seed says otherwise. */
const [COUNT, FIRST] = (process.env["CODEGEN_LAWS"] ?? "60:0").split(":").map(Number) as [number, number];
const SHARE = 250;
const kernelsOf = (fusion: Fusion): readonly Region[] => kernelOrders(fusion).text;
const shares = Array.from({ length: Math.ceil(COUNT / SHARE) }, (_, i) => FIRST + i * SHARE);

describe("generated kernels agree with the reference and with the counts", () => {
  test.each(Object.entries(programs))("%s", (_, text) => {
    const graph = graphOf(text);
    for (const fusion of [oneEach(graph), oneRegion(graph)])
      for (const target of unlike(fusion, [gpu, cpu])) expect(complaints(fusion, target)).toEqual([]);
  });

  test.each(shares)(
    "random programs from seed %d: every op alone, and in random kernels",
    (from) => {
      for (let seed = from; seed < Math.min(FIRST + COUNT, from + SHARE); seed++) {
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

test("launches of one region that read parts of a value are counted by what each of them reads", () => {
  const graph = graphOf("x: f32[3, 30000]\ny = x[1:] - x[:2].sum(dim=-1, keepdim=True) * x[:2]");
  const { kernels } = planFusion(oneRegion(graph), gpu, generic);
  const ofX = kernels.map(({ reads }) => reads.filter(({ value }) => value === "x"));
  const whole = 4 * 3 * 30_000;
  expect(ofX.map((reads) => reads.map(({ bytes, rereads }) => [bytes, rereads]))).toEqual([
    [[(whole / 3) * 2, 0]],
    [[whole, 0]],
  ]);
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
    // A stride that shrinks starts from a number, or from the runs of a sort, which grow to one, or to the keys that wait: at most so many.
    const counted =
      /^for \(var (\w+) = (?:(?:[01]u|begin\w*); \1 < (?:\d+u|end\w*); \1\+\+|(?:\d+u|half \/ 2u); \1 > 0u; \1 \/= 2u|1u; \1 < (?:now_waiting\w* \+ )?\d+u; \1 \*= 2u)\) \{$/;
    const helper = /^for \(var \w+ = 0; \w+ < \d+; \w+\+\+\) \{$/;
    expect(loops.map((loop) => loop.trim()).filter((loop) => !counted.test(loop) && !helper.test(loop))).toEqual([]);
    // Where steps of a product begin and end are numbers that fall from one that is stated.
    const bounds = everything.flatMap((program) => {
      const { wgsl } = printWgsl(program);
      const names = [...wgsl.matchAll(/for \(var \w+ = (\w+); \w+ < (\w+);/g)].flatMap(([, from, to]) => [from, to]);
      return names.flatMap((name) => wgsl.match(new RegExp(`let ${name} = .*$`, "m")) ?? []);
    });
    expect(bounds.length).toBeGreaterThan(1);
    expect(bounds.filter((line) => !/= (?:min\(.*, \d+u\);|\(?\d+u - )/.test(line))).toEqual([]);
    const waiting = everything.flatMap((program) => printWgsl(program).wgsl.match(/let now_waiting.*$/gm) ?? []);
    expect(waiting.filter((line) => !/= min\(workgroupUniformLoad\(&\w+\), \d+u\);$/.test(line))).toEqual([]);
  });

  test("no expression is nested deeply", () => {
    const depthOf = (line: string): number => {
      let [depth, most] = [0, 0];
      for (const letter of line) {
        if (letter === "(") most = Math.max(most, ++depth);
        if (letter === ")") depth--;
      }
      return most;
    };
    const lines = everything.flatMap((program) => printWgsl(program).wgsl.split("\n"));
    expect(lines.filter((line) => depthOf(line) >= 16)).toEqual([]);
  });

  test("every line of the body knows its nodes, and every line has a position", () => {
    for (const program of everything) {
      const { wgsl, lines } = printWgsl(program);
      expect(lines.length).toBe(wgsl.split("\n").length - 1);
      const text = wgsl.split("\n");
      const body = text.findIndex((line) => line.startsWith("@compute"));
      const loads = text.flatMap((line, i) => (i > body && /^\s+let \w+ = \w+\[/.test(line) ? [lines[i]!.length] : []));
      expect(loads.every((count) => count > 0)).toBe(true);
    }
  });

  const gradient = "x: f32[8, 64]\ndef f(t):\n  return sum(exp(t) * t)\ny = grad(f)(x)\nreturn y\n";

  test("a kernel of a backward pass says whose gradient it is, and does not multiply by the 1 it began with", () => {
    const wgsl = wgslOf(gradient);
    expect(wgsl).toMatch(/^fn exp_sum_d_x\(/m);
    expect(wgsl).toMatch(/^\/\/ d_x: exp, /m);
    expect(wgsl).not.toMatch(/1\.0\)? \*|\* (vec4f\()?1\.0/);
  });

  test("a kernel of one op writes it as it is", () => {
    expect(wgslOf("x: f32[64]\ny = x * 1.0\n")).toMatch(/x_i \* 1\.0;/);
  });

  test("numbers are as short as an f32 allows, and one beside a vector is not spread", () => {
    const wgsl = wgslOf("x: f32[64]\ny = (x * 0.1 + 1e-5) / 3.4028235e38 - 1e-7\n");
    expect(wgsl).toMatch(/ \* 0\.1;/);
    expect(wgsl).toMatch(/ \+ 0\.00001;/);
    expect(wgsl).toMatch(/ \/ 3\.4028234663852886e\+38;/);
    expect(wgsl).toMatch(/ - 1e-7;/);
  });

  test("workgroup memory and bindings stay within the target", () => {
    for (const text of Object.values(programs)) {
      for (const kernel of planFusion(oneRegion(graphOf(text)), gpu, generic).kernels) {
        expect(kernel.workgroupBytes).toBeLessThanOrEqual(gpu.maxWorkgroupBytes);
        expect(kernel.workgroupSize[0] * kernel.workgroupSize[1]).toBeLessThanOrEqual(gpu.maxWorkgroupSize);
      }
    }
  });

  test.each([
    "log-relu",
    "softmax",
    "layer-norm-gelu",
    "transpose-add",
    "column-sum",
    "full-sum",
    "concat",
    "scan-neighbours",
  ])("%s", (name) => {
    expect(wgslOf(programs[name]!)).toMatchSnapshot();
  });
  test("matmul with bias and relu, without workgroup memory", () => {
    expect(wgslOf(programs["matmul-bias-relu"]!, cpu)).toMatchSnapshot();
  });
});

describe("plans of many kernels", () => {
  test("a kernel that is renamed from an equal one reads as if it had been written for itself", () => {
    let repeated = 0;
    for (let seed = 0; seed < 60; seed++) {
      const graph = graphOf(randomProgram(seed));
      for (const region of [oneEach(graph), randomFusion(graph, seed)].flatMap(kernelsOf)) {
        const [once, again] = [printRegion(graph, region, gpu), printCached(graph, region, gpu)];
        expect(again).toEqual(once);
        repeated++;
      }
    }
    expect(repeated).toBeGreaterThan(200);
  });

  test.each(Object.entries(programs))("%s: renamed or written for itself, the same text", (_, text) => {
    const graph = graphOf(text);
    for (const region of [...kernelsOf(oneRegion(graph)), ...kernelsOf(naiveFusion(graph, "op"))]) {
      for (const target of [gpu, cpu])
        expect(printCached(graph, region, target)).toEqual(printRegion(graph, region, target));
    }
  });

  // Words that begin with each other, that WGSL has, that a kernel brings along, or that look like a stand-in.
  test.each([
    "x h h_2 h_2_2",
    "a_tile b exp exp_v",
    "row row_0 chunk column",
    "Qaa Qaa_i Qname f",
    "m max_0 sum_0 tid_1",
    "h h_113 h_114 h_1",
    "a_7 row_8 h_9 h_9_2",
    "partial_2 partial_3 partial_4 h_2",
    `w${"o".repeat(30)} w v u`,
  ])("whatever the values are called: %s", (words) => {
    const [x, y, z, u] = words.split(" ");
    const text = `${x}: f32[8, 64]\n${y} = softmax(${x} * 2)\n${z} = ${y} / (${x} + ${y})\n${u} = relu(${z}.sum(dim=1, keepdim=True)) + ${x}`;
    const renamed = new RegExp(`\\b(${words.replaceAll(" ", "|")})(?![A-Za-z0-9])`, "g");
    const plain = text.replaceAll(renamed, (word) => `v${words.split(" ").indexOf(word)}`);
    for (const program of [plain, text]) {
      const graph = graphOf(program);
      for (const region of [oneRegion(graph), oneEach(graph)].flatMap(kernelsOf))
        expect(printCached(graph, region, gpu)).toEqual(printRegion(graph, region, gpu));
    }
  });

  test("blocks that repeat under other names, views in between, are one text", () => {
    const block = (name: string, from: string): string =>
      `${name}_n = layer_norm(${from}).reshape(2, 32, 64)\n${name} = relu(${name}_n + 1).sum(dim=2)\n${name}_o = ${name}.reshape(64, 1) + ${from}`;
    const graph = graphOf(
      `x: f32[64, 64]\n${block("h1", "x")}\n${block("up", "h1_o")}\n${block("t", "up_o")}\ny = t_o`,
    );
    const keys = kernelsOf(naiveFusion(graph, "op")).map((region) => canonicalRegion(graph, region)!.key);
    expect(keys.length).toBe(15);
    expect(keys.slice(10)).toEqual(keys.slice(5, 10));
  });

  test("a number that the kernel puts behind a name itself is met by no name of the user's", () => {
    for (const name of ["mul_2", "mul_3", "mul_9", "relu_2"]) {
      const graph = graphOf(`${name}: f32[64, 64]\ny = relu(${name} * 2) + relu(${name} * 3) * (${name} * 4)`);
      for (const region of kernelsOf(oneRegion(graph)))
        expect(printCached(graph, region, gpu)).toEqual(printRegion(graph, region, gpu));
    }
  });

  test("a name that is bound again and again is one text, whatever its number", () => {
    const again = Array.from({ length: 20 }, () => "h = tanh(h)\nh = h * x").join("\n");
    const graph = graphOf(`x: f32[64, 64]\nh = relu(x)\n${again}\ny = h`);
    const keys = kernelsOf(naiveFusion(graph, "op")).map((region) => canonicalRegion(graph, region)!.key);
    expect(new Set(keys.slice(5)).size).toBe(2);
  });

  test("a chain of 10,000 ops is planned without deep recursion, naive, in budgets of 64, and as one kernel", () => {
    const graph = chain(10_000);
    for (const [size, kernels] of [
      [1, 10_000],
      [64, 157],
      [10_000, 1],
    ] as const) {
      expect(planFusion(inParts(graph, size), gpu, generic).kernels.length).toBe(kernels);
    }
  });
});

function chain(length: number): Graph {
  const nodes = new Map<NodeId, Node>();
  const add = (name: string, op: string, inputs: readonly NodeId[]): NodeId => {
    const id = nodeId(name);
    nodes.set(id, {
      id,
      op,
      inputs,
      attrs: {},
      type: { dtype: "f32", shape: [64] },
      label: name,
      origins: [id],
      groups: [],
    });
    return id;
  };
  let last = add("x", "input", []);
  for (let i = 0; i < length; i++) last = add(`v${i}`, ["relu", "exp", "tanh", "abs"][i % 4]!, [last]);
  return { nodes, outputs: [last] };
}

function inParts(graph: Graph, size: number): Fusion {
  const ids = [...graph.nodes.keys()].slice(1);
  const regions = new Map<RegionId, Region>();
  for (let i = 0; i < ids.length; i += size) {
    const members = ids.slice(i, i + size);
    regions.set(regionId(`k${i}`), { id: regionId(`k${i}`), members, outputs: [members.at(-1)!] });
  }
  return { graph, regions };
}
