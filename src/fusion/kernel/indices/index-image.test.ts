import fc from "fast-check";
import { expect, test } from "vitest";
import { sizeOf, type Node, type Shape } from "../../ir";
import { opDef } from "../../ops";
import { sourceOf } from "./affine";
import { visits } from "./affine-pieces";
import type { Box } from "./boxes";
import { imageOfBox } from "./index-image";

/** `op` of inputs of these shapes. */
function nodeOf(op: string, inputs: readonly Shape[], attrs: Node["attrs"]): Node | null {
  const def = opDef(op);
  const type = def.infer(
    inputs.map((shape) => ({ dtype: "f32" as const, shape })),
    attrs,
    [],
  );
  return type.ok ? ({ id: "y", op, inputs: [], attrs, type: type.value } as unknown as Node) : null;
}

const elements = function* (box: Box): Generator<number[]> {
  const [axis, ...rest] = box;
  if (!axis) return yield [];
  for (let i = 0; i < axis.count; i++) for (const tail of elements(rest)) yield [axis.start + i * axis.step, ...tail];
};
const key = (index: readonly number[]): string => index.join();

const side = fc.integer({ min: 1, max: 9 });
const shape = fc.array(side, { minLength: 1, maxLength: 3 });
/** Calls of movement ops whose rules divide, wrap, mirror, condition and join. */
const call = fc.oneof(
  fc.tuple(shape, fc.integer({ min: -9, max: 9 })).map(([x, by]) => ({ op: "roll", x: [x], attrs: { shifts: by } })),
  fc
    .tuple(shape, fc.integer({ min: -9, max: 9 }))
    .map(([x, by]) => ({ op: "roll", x: [x], attrs: { shifts: by, axes: 0 } })),
  fc
    .tuple(shape, fc.integer({ min: 1, max: 4 }))
    .map(([x, n]) => ({ op: "repeat_interleave", x: [x], attrs: { repeats: n, axis: 0 } })),
  fc
    .tuple(shape, fc.integer({ min: 1, max: 4 }))
    .map(([x, n]) => ({ op: "tile", x: [x], attrs: { dims: x.map(() => n) } })),
  fc.tuple(side, side).map(([a, b]) => ({ op: "reshape", x: [[a, b]], attrs: { shape: [b, a] } })),
  fc.tuple(side, side, side).map(([a, b, c]) => ({ op: "reshape", x: [[a, b, c]], attrs: { shape: [c * a, b] } })),
  fc
    .tuple(
      fc.integer({ min: 3, max: 12 }),
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 4, maxLength: 4 }),
      fc.nat(4),
    )
    .map(([n, [kernel, stride, dilation, interior], padding]) => ({
      op: "window",
      x: [[2, n]],
      attrs: { kernel_size: kernel!, stride: stride!, dilation: dilation!, interior: interior!, padding },
    })),
  fc
    .tuple(shape, fc.nat(2), fc.nat(2), fc.constantFrom("constant", "edge", "reflect"))
    .map(([x, a, b, mode]) => ({ op: "pad", x: [x], attrs: { pad: [a, b], mode } })),
  fc.tuple(side, side, side).map(([a, b, c]) => ({
    op: "concat",
    x: [
      [a, c],
      [b, c],
    ],
    attrs: { axis: 0 },
  })),
);
const calls = call.chain(({ op, x, attrs }) => {
  const n = nodeOf(op, x, attrs);
  const box = n
    ? fc.tuple(
        ...n.type.shape.map((extent) =>
          fc
            .tuple(fc.nat(Math.max(0, extent - 1)), fc.integer({ min: 1, max: 3 }), fc.nat(9))
            .map(([start, step, count]) => ({
              start,
              step,
              count: Math.min(count + 1, Math.floor((extent - 1 - start) / step) + 1),
            })),
        ),
      )
    : fc.constant([]);
  return fc.tuple(fc.constant({ n, x }), box);
});

test("the image of a box is what its elements show, each once", () => {
  let met = 0;
  fc.assert(
    fc.property(calls, ([{ n, x }, box]) => {
      if (!n || sizeOf(n.type.shape) === 0) return;
      met++;
      for (let operand = 0; operand < x.length; operand++) {
        const shown = new Set<string>();
        for (const index of elements(box)) {
          const from = sourceOf(n, x, index);
          if (from?.operand === operand) shown.add(key(from.index));
        }
        const image = imageOfBox(n, x, operand, box);
        expect(image).not.toBeNull();
        const named = image!.flatMap((part) => [...elements(part)].map(key));
        expect(named.length).toBe(new Set(named).size);
        expect(named.toSorted()).toEqual([...shown].toSorted());
      }
    }),
    { numRuns: 1500 },
  );
  expect(met).toBeGreaterThan(700);
});

const atSize: readonly [string, (n: number) => { op: string; x: Shape[]; attrs: Node["attrs"] }][] = [
  ["roll", (n) => ({ op: "roll", x: [[n]], attrs: { shifts: 3 } })],
  ["roll of rows", (n) => ({ op: "roll", x: [[n / 32, 32]], attrs: { shifts: 3 } })],
  ["tile", (n) => ({ op: "tile", x: [[n]], attrs: { dims: [4] } })],
  ["repeat_interleave", (n) => ({ op: "repeat_interleave", x: [[n]], attrs: { repeats: 4, axis: 0 } })],
  ["pad", (n) => ({ op: "pad", x: [[n]], attrs: { pad: [n, n], mode: "constant" } })],
  ["mirror", (n) => ({ op: "pad", x: [[n]], attrs: { pad: [n / 2, n / 2], mode: "reflect" } })],
  ["window", (n) => ({ op: "window", x: [[2, n]], attrs: { kernel_size: 3, stride: 2, dilation: 2, padding: n } })],
  ["window backwards", (n) => ({ op: "window", x: [[2, n]], attrs: { kernel_size: 3, interior: 2, padding: 2 } })],
];
test.each(atSize)("%s: as many pieces are looked at for 2^28 elements as for 2^10", (_, make) => {
  const looked = [10, 28].map((bits) => {
    const { op, x, attrs } = make(2 ** bits);
    const n = nodeOf(op, x, attrs)!;
    const before = visits.domains;
    const image = imageOfBox(
      n,
      x,
      0,
      n.type.shape.map((count) => ({ start: 0, count, step: 1 })),
    );
    expect(image).not.toBeNull();
    return visits.domains - before;
  });
  expect(looked[1]).toBe(looked[0]);
  expect(looked[0]).toBeLessThan(200);
});
