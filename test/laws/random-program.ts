/** @file Random programs in the typed language, and random legal groupings of their ops: what one kernel may have to be. */
import type { Fusion, Graph, NodeId, Region, RegionId } from "../../src/fusion/ir";
import { node, topological, usesOf } from "../../src/fusion/ir";
import { storedForm } from "../../src/fusion/kernel/emit/kernel-frame";
import { kernelOrders } from "../../src/fusion/plan/kernel-order";
import { naiveFusion } from "../../src/fusion/passes";
import { classify, storedInputs } from "../../src/fusion/kernel";

/** A small generator with a seed (xorshift32). */
export function randomness(seed: number): {
  int(below: number): number;
  pick<T>(list: readonly T[]): T;
  chance(share: number): boolean;
} {
  let state = (seed * 2654435761 + 12345) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  for (let i = 0; i < 4; i++) next();
  const int = (below: number): number => next() % below;
  return { int, pick: (list) => list[int(list.length)]!, chance: (share) => next() / 2 ** 32 < share };
}
type Random = ReturnType<typeof randomness>;

const SIZES = [1, 2, 3, 4, 8, 12, 31, 32, 33, 64, 65, 127];
const UNARY = ["relu", "exp", "tanh", "sigmoid", "abs", "neg", "square", "silu", "gelu", "floor"];
/** A sort takes the interpreter longer than all else: one of them. */
const SCANS = [
  "cumsum($",
  "cummax($",
  "cummin($, reverse=True",
  "cumsum($, reverse=True",
  "cumsum($, exclusive=True",
  "sort($",
];
const REDUCE = ["sum", "mean", "max", "min", "sum_square", "l2_norm"];
/** Elements of one tensor: small enough for thousands of runs. */
const MOST = 6000;

interface Value {
  readonly name: string;
  readonly shape: readonly number[];
}
const size = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** A program of up to `most` statements. */
export function randomProgram(seed: number, most = 9): string {
  const random = randomness(seed);
  const lines: string[] = [];
  const values: Value[] = [];
  const input = (shape: readonly number[]): Value => {
    const value = { name: `x${values.length}`, shape };
    lines.push(`${value.name}: f32[${shape.join(", ")}]`);
    values.push(value);
    return value;
  };
  const shape: number[] = [];
  const rank = random.pick([1, 2, 2, 2, 3, 3, 4]);
  for (let i = 0; i < rank; i++) {
    const extent = random.pick(SIZES);
    shape.push(size(shape) * extent > MOST ? random.pick([1, 2, 3, 4]) : extent);
  }
  input(shape);
  const statements = 1 + random.int(most);
  for (let i = 0; i < statements; i++) {
    const x = random.chance(0.6) ? values.at(-1)! : random.pick(values);
    const made = statement(random, x, values, input);
    if (!made || size(made.shape) > 4 * MOST) continue;
    const name = `v${i}`;
    lines.push(`${name} = ${made.text}`);
    values.push({ name, shape: made.shape });
  }
  return lines.join("\n");
}

type Made = { readonly text: string; readonly shape: readonly number[] } | null;

function statement(
  random: Random,
  x: Value,
  values: readonly Value[],
  input: (shape: readonly number[]) => Value,
): Made {
  const { name, shape } = x;
  const axis = shape.length === 0 ? 0 : random.int(shape.length);
  switch (random.int(16)) {
    case 0:
    case 1:
    case 2:
      return { text: `${random.pick(UNARY)}(${name})`, shape };
    case 3:
    case 4: {
      const fits = values.filter(
        (v) =>
          v.shape.length <= shape.length &&
          v.shape.every((e, i) => e === 1 || e === shape[shape.length - v.shape.length + i]),
      );
      const other = random.chance(0.5) && fits.length > 0 ? random.pick(fits) : input(broadcastable(random, shape));
      const sign = random.pick(["+", "-", "*", "/"]);
      return { text: sign === "/" ? `${name} / (abs(${other.name}) + 1)` : `${name} ${sign} ${other.name}`, shape };
    }
    case 5:
    case 6: {
      if (shape.length === 0) return null;
      const keep = random.chance(0.6);
      return {
        text: `${name}.${random.pick(REDUCE)}(dim=${axis}, keepdim=${keep ? "True" : "False"})`,
        shape: without(shape, axis, keep),
      };
    }
    case 7: {
      if (shape.length === 0) return null;
      const reduced = `${name}.${random.pick(["mean", "max", "sum"])}(dim=${axis}, keepdim=True)`;
      return { text: `${name} - ${reduced}`, shape };
    }
    case 8:
      if (shape.length === 0) return null;
      if (random.chance(0.5))
        return { text: `${random.pick(["softmax", "log_softmax"])}(${name}, dim=${axis})`, shape };
      return { text: `${random.pick(SCANS).replace("$", name)}, dim=${axis})`, shape };
    case 9: {
      const [a, b] = [random.int(Math.max(1, shape.length)), random.int(Math.max(1, shape.length))];
      if (shape.length < 2 || a === b) return null;
      return {
        text: `transpose(${name}, ${a}, ${b})`,
        shape: shape.map((e, i) => (i === a ? shape[b]! : i === b ? shape[a]! : e)),
      };
    }
    case 10: {
      const flat = size(shape);
      const parts = [2, 3, 4].filter((d) => flat % d === 0);
      const to = parts.length > 0 && random.chance(0.7) ? [random.pick(parts)] : [];
      const next = to.length > 0 ? [flat / to[0]!, to[0]!] : [flat];
      return { text: `${name}.reshape(${next.join(", ")})`, shape: next };
    }
    case 11: {
      if (shape.length === 0 || shape[axis]! < 2) return null;
      const [from, step] = [random.int(shape[axis]! - 1), random.pick([1, 1, 2])];
      const text = shape.map((_, i) => (i === axis ? `${from}:${shape[axis]}:${step}` : ":")).join(", ");
      return { text: `${name}[${text}]`, shape: shape.map((e, i) => (i === axis ? Math.ceil((e - from) / step) : e)) };
    }
    case 12: {
      if (shape.length === 0) return null;
      const other =
        values.find(
          (v) => v !== x && v.shape.length === shape.length && v.shape.every((e, i) => i === axis || e === shape[i]),
        ) ?? x;
      return {
        text: `concat([${name}, ${other.name}], dim=${axis})`,
        shape: shape.map((e, i) => (i === axis ? e + other.shape[i]! : e)),
      };
    }
    case 13: {
      if (shape.length === 0) return null;
      const [left, right] = [random.int(3), random.int(3)];
      return {
        text: `pad(${name}, (${left}, ${right}), value=${random.pick([0, 1])})`,
        shape: shape.map((e, i) => (i === shape.length - 1 ? e + left + right : e)),
      };
    }
    case 14: {
      if (shape.length < 2) return null;
      const n = random.pick([1, 3, 4, 16, 33, 64]);
      const w = random.chance(0.3) ? `${input([n, shape.at(-1)!]).name}.T` : input([shape.at(-1)!, n]).name;
      return { text: `${name} @ ${w}`, shape: [...shape.slice(0, -1), n] };
    }
    default:
      return random.chance(0.5)
        ? { text: `where(${name} > 0, ${name}, ${random.pick(["0.5", name])})`, shape }
        : { text: `dropout(${name}, p=0.3, seed=${random.int(9)})`, shape };
  }
}

const broadcastable = (random: Random, shape: readonly number[]): number[] =>
  shape
    .slice(random.chance(0.3) ? random.int(shape.length + 1) : 0)
    .map((extent) => (random.chance(0.25) ? 1 : extent));
const without = (shape: readonly number[], axis: number, keep: boolean): number[] =>
  keep ? shape.map((extent, i) => (i === axis ? 1 : extent)) : shape.filter((_, i) => i !== axis);

/** Merges neighbours at random wherever one kernel can do both. */
export function randomFusion(graph: Graph, seed: number): Fusion {
  const random = randomness(seed ^ 0x5bd1e995);
  let fusion = naiveFusion(graph, "primitive");
  const position = new Map(topological(graph).map((id, i) => [id, i]));
  const uses = usesOf(graph);
  for (let turn = 0; turn < 3 * graph.nodes.size; turn++) {
    const regions = [...fusion.regions.values()];
    const a = random.pick(regions);
    const readers = regions.filter(
      (r) =>
        r.id !== a.id &&
        (r.members.some((m) => node(graph, m).inputs.some((i) => a.members.includes(i))) || random.chance(0.05)),
    );
    if (readers.length === 0) continue;
    const merged = merge(graph, fusion, a, random.pick(readers), position, uses);
    if (merged) fusion = merged;
  }
  return fusion;
}

function merge(
  graph: Graph,
  fusion: Fusion,
  a: Region,
  b: Region,
  position: ReadonlyMap<NodeId, number>,
  uses: ReturnType<typeof usesOf>,
): Fusion | null {
  const members = [...new Set([...a.members, ...b.members])].toSorted((x, y) => position.get(x)! - position.get(y)!);
  const inside = new Set(members);
  const outputs = members.filter(
    (id) =>
      graph.outputs.includes(id) ||
      uses.get(id)!.length === 0 ||
      uses.get(id)!.some(({ consumer }) => !inside.has(consumer)),
  );
  const id = `${a.id}+${b.id}` as RegionId;
  const region = storedForm(graph, { id, members, outputs });
  // Reading its own result through a view outside would be a circle.
  if (storedInputs(graph, members).some((value) => inside.has(value))) return null;
  if (region.outputs.length === 0 || !classify(graph, members, region.outputs).ok) return null;
  const regions = new Map(fusion.regions);
  regions.delete(a.id);
  regions.delete(b.id);
  regions.set(id, region);
  const next = { graph, regions };
  try {
    kernelOrders(next);
  } catch {
    return null;
  }
  return next;
}
