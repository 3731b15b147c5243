/** @file Which elements of its operand a box of a movement op's result shows, from the op's one index rule. */
import type { Node, Shape } from "../../ir";
import { opDef } from "../../ops";
import {
  affinePieces,
  axesOf,
  domainOf,
  expressions,
  type Affine,
  type Domain,
  type Expr,
  type Tests,
} from "./affine-pieces";
import { boxSize, unionOfBoxes, type Box, type BoxAxis } from "./boxes";

/** What a variable shared by two axes, or one that leaves gaps, is followed value by value up to. */
const FEW = 64;

/** Values of an affine form on a domain, as ranges with a step; null where they are too many. */
function valuesOf({ constant, terms }: Affine, counts: Domain["counts"]): BoxAxis[] | null {
  let start = constant;
  const parts = [...terms]
    .map(([v, k]) => {
      const count = counts.get(v)!;
      if (k < 0) start += k * (count - 1);
      return { step: Math.abs(k), count };
    })
    .toSorted((a, b) => a.step - b.step);
  let ranges: BoxAxis[] = [{ start, count: 1, step: 1 }];
  for (const { step, count } of parts) {
    const next: BoxAxis[] = [];
    for (const range of ranges) {
      if (range.count === 1) next.push({ start: range.start, count, step });
      else if (step % range.step === 0 && step <= range.step * range.count)
        next.push({ ...range, count: ((count - 1) * step) / range.step + range.count });
      else if (count <= range.count && count <= FEW)
        for (let i = 0; i < count; i++) next.push({ ...range, start: range.start + i * step });
      else if (range.count <= FEW)
        for (let i = 0; i < range.count; i++) next.push({ start: range.start + i * range.step, count, step });
      else return null;
      if (next.length > FEW * FEW) return null;
    }
    ranges = next;
  }
  return ranges;
}

/** The product of what each axis shows; null where two axes move together or there are too many ranges. */
function imageOf(index: readonly Affine[], counts: Domain["counts"]): Box[] | null {
  const used = new Set<number>();
  let boxes: Box[] = [[]];
  for (const affine of index) {
    for (const v of affine.terms.keys()) {
      if (used.has(v)) return null;
      used.add(v);
    }
    const ranges = valuesOf(affine, counts);
    if (!ranges || ranges.length * boxes.length > FEW * FEW) return null;
    boxes = boxes.flatMap((box) => ranges.map((range) => [...box, range]));
  }
  return boxes;
}

interface Case {
  readonly when: Tests | null;
  readonly operand: number;
  readonly index: readonly Expr[];
}

/** Input axes and tests that read the same output axes belong together; the others are independent of them. */
function groupsOf({ when, index }: Case): { readonly axes: readonly number[]; readonly tests: Tests }[] {
  const groups: { axes: number[]; tests: Tests[number][]; reads: Set<number> }[] = [];
  const join = (reads: Set<number>): (typeof groups)[number] => {
    const meeting = groups.filter((group) => [...reads].some((axis) => group.reads.has(axis)));
    const group = { axes: [] as number[], tests: [] as Tests[number][], reads };
    for (const other of meeting) {
      groups.splice(groups.indexOf(other), 1);
      group.axes.push(...other.axes);
      group.tests.push(...other.tests);
      for (const axis of other.reads) group.reads.add(axis);
    }
    groups.push(group);
    return group;
  };
  for (const [axis, expr] of index.entries()) join(axesOf(expr)).axes.push(axis);
  for (const test of when ?? []) join(axesOf(test.a)).tests.push(test);
  return groups;
}

/** What one group of axes shows, in the order of its axes. */
function groupImage(only: Case, group: { readonly axes: readonly number[]; readonly tests: Tests }, domain: Domain) {
  const index = group.axes.map((axis) => only.index[axis]!);
  const pieces = affinePieces([{ when: group.tests, index }], domain);
  let image: Box[] | null = [];
  for (const piece of pieces ?? []) {
    const boxes: Box[] | null = imageOf(piece.index, piece.counts);
    image = image && boxes && unionOfBoxes(image, boxes);
  }
  return pieces && image;
}

/** Of a rule with one case: what independent axes show is their product. */
function productImage(only: Case, domain: Domain): Box[] | null {
  let boxes: BoxAxis[][] = [only.index.map(() => ({ start: 0, count: 1, step: 1 }))];
  for (const group of groupsOf(only)) {
    const image = groupImage(only, group, domain);
    if (!image || image.length * boxes.length > FEW * FEW) return null;
    boxes = image.flatMap((part) => boxes.map((box) => box.map((axis, d) => part[group.axes.indexOf(d)] ?? axis)));
  }
  return boxes;
}

/**
 * Elements of operand `operand` that the elements `box` of movement op `n` show, as disjoint boxes; null where they can't
 * be named in a few thousand pieces. The work depends on the rule and not on how many elements there are.
 */
export function imageOfBox(n: Node, inputs: readonly Shape[], operand: number, box: Box): Box[] | null {
  if (boxSize(box) === 0) return [];
  const axes = box.map((_, axis): Expr => ({ kind: "axis", axis }));
  const context = { inputs, output: n.type.shape, attrs: n.attrs };
  const cases = opDef(n.op).movement!.source<Expr, Tests>(axes, context, expressions);
  const domain = domainOf(box);
  if (cases.length === 1) return cases[0]!.operand === operand ? productImage(cases[0]!, domain) : [];
  let image: Box[] | null = [];
  const pieces = affinePieces(cases, domain);
  if (!pieces) return null;
  for (const { which, index, counts } of pieces) {
    if (cases[which]!.operand !== operand) continue;
    const boxes: Box[] | null = imageOf(index, counts);
    image = image && boxes && unionOfBoxes(image, boxes);
  }
  return image;
}
