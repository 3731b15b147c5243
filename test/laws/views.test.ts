/** Chains of views and index maps: every one of them is planned, and means what it meant. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseProgram } from "../../src/fusion";
import { fusionAt } from "../../src/fusion/compile";
import { compiled, stepFaults, valueFaults } from "./pass-harness";

/** One more op on a value of this shape: its text, and the shape it answers. */
type Step = (shape: readonly number[], random: number) => readonly [text: string, shape: readonly number[]];

const axisOf = (rank: number, random: number): number => random % Math.max(1, rank);

const STEPS: readonly Step[] = [
  (shape, random) => {
    const at = random % (shape.length + 1);
    return [`.unsqueeze(${at})`, shape.toSpliced(at, 0, 1)];
  },
  (shape, random) => {
    const ones = shape.flatMap((extent, axis) => (extent === 1 ? [axis] : []));
    const at = ones[random % Math.max(1, ones.length)];
    return at === undefined ? ["", shape] : [`.squeeze(${at})`, shape.toSpliced(at, 1)];
  },
  (shape, random) => {
    const to = [1, ...shape.slice(0, axisOf(shape.length, random)), ...shape.slice(axisOf(shape.length, random))];
    return [`.reshape(${to.join(", ")})`, to];
  },
  (shape) => {
    const size = shape.reduce((product, extent) => product * extent, 1);
    return [`.reshape(${size})`, [size]];
  },
  (shape, random) => {
    const by = axisOf(shape.length, random);
    const perm = shape.map((_, axis) => (axis + by) % shape.length);
    return perm.length === 0 ? ["", shape] : [`.permute(${perm.join(", ")})`, perm.map((axis) => shape[axis]!)];
  },
  (shape) => [".relu()", shape],
  (shape) => [" * 2", shape],
  (shape) => [" + 0", shape],
  (shape) => [" * 1", shape],
  (shape, random) => {
    const at = axisOf(shape.length, random);
    return shape.length === 0 ? ["", shape] : [`.flip(${at})`, shape];
  },
];

function chain(picks: readonly (readonly [number, number])[]): string {
  let shape: readonly number[] = [6, 4];
  let text = "x";
  const lines: string[] = [];
  for (const [pick, random] of picks) {
    const [more, next] = STEPS[pick % STEPS.length]!(shape, random);
    if (more.startsWith(" ")) text = `(${text}${more})`;
    else text += more;
    shape = next;
    if (random % 5 === 0) {
      lines.push(`v${lines.length} = ${text}`);
      text = `v${lines.length - 1}`;
    }
  }
  return `x: f32[6, 4] = arange()\n${lines.join("\n")}\ny = ${text} * 2\n`;
}

test.each([
  "x: f32[64]\ny = x.reshape(1, 64).reshape(1, 1, 64).permute(1, 0, 2) * 2\n",
  "x: f32[64]\na = (x.reshape(8, 8) + 0).reshape(4, 16).reshape(16, 4).T\nb = a.T * 1\n",
  "x: f32[1]\na = cumsum(x, dim=0)\nb = a[::2]\nreturn a, b\n",
  "x: f32[3, 1]\na = x.softmax(dim=-1)\nb = a[:, ::-1]\nreturn a, b\n",
])("%s", (text) => {
  const { graph } = parseProgram(text);
  const c = compiled(graph);
  expect([...stepFaults(c), ...valueFaults(graph, fusionAt(c, c.steps.length))]).toEqual([]);
});

test("chains of views are planned, whatever stands in them", () => {
  const pick = fc.tuple(fc.nat({ max: STEPS.length - 1 }), fc.nat({ max: 30 }));
  fc.assert(
    fc.property(fc.array(pick, { minLength: 2, maxLength: 9 }), (picks) => {
      const { graph, complete } = parseProgram(chain(picks));
      expect(complete).toBe(true);
      const c = compiled(graph);
      expect([...stepFaults(c), ...valueFaults(graph, fusionAt(c, c.steps.length))]).toEqual([]);
    }),
    { numRuns: 120 },
  );
});
