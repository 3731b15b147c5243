/** @file Images read at places that are data: grids, and the affine maps that make them. */
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Short names for arithmetic on f32 values of this node. */
function arithmetic(c: NodeContext) {
  const number = (x: Value | number): Value => (typeof x === "number" ? c.emit.scalar(x) : x);
  const op = (name: string) => (...operands: (Value | number)[]): Value => c.op(name, operands.map(number)); // prettier-ignore
  return { add: op("add"), sub: op("sub"), mul: op("mul"), div: op("div"), floor: op("floor"), low: op("minimum"), high: op("maximum"), abs: op("abs"), mod: op("mod"), le: op("le"), ge: op("ge"), and: op("and"), where: op("where"), round: op("round") }; // prettier-ignore
}

/** −1 … 1 as places 0 … extent − 1; the ends are middles of elements, or their outer edges. */
function unnormalised(c: NodeContext, x: Value, extent: number, aligned: boolean): Value {
  const { add, mul } = arithmetic(c);
  return aligned ? mul(add(x, 1), (extent - 1) / 2) : add(mul(x, extent / 2), (extent - 1) / 2);
}

/** Keys' cubic: weights of the four neighbours at a distance from the second. */
function cubic(c: NodeContext, rest: Value): Value[] {
  const { add, sub, mul } = arithmetic(c);
  const a = -0.75;
  const near = (x: Value): Value => add(mul(mul(sub(mul(x, a + 2), a + 3), x), x), 1);
  const far = (x: Value): Value => sub(mul(add(mul(sub(mul(x, a), 5 * a), x), 8 * a), x), 4 * a);
  return [far(add(rest, 1)), near(rest), near(sub(1, rest)), far(sub(2, rest))];
}

/** Places outside mirrored back in, as often as it takes. */
function reflected(c: NodeContext, x: Value, extent: number, aligned: boolean): Value {
  const { add, sub, mul, mod, abs, low } = arithmetic(c);
  const [first, last] = aligned ? [0, extent - 1] : [-0.5, extent - 0.5];
  const span = last - first;
  if (span === 0) return mul(x, 0);
  const inside = mod(abs(sub(x, first)), 2 * span);
  return add(low(inside, sub(2 * span, inside)), first);
}

interface Tap {
  /** Whole numbers in f32. */
  readonly place: Value;
  readonly weight: Value | null;
}

/** Neighbours of a place along one axis with their weights. */
function taps(c: NodeContext, x: Value, mode: string): Tap[] {
  const { sub, floor, add, round } = arithmetic(c);
  if (mode === "nearest") return [{ place: round(x), weight: null }];
  const first = floor(x);
  const rest = sub(x, first);
  if (mode !== "cubic") return [{ place: first, weight: sub(1, rest) }, { place: add(first, 1), weight: rest }]; // prettier-ignore
  return cubic(c, rest).map((weight, i) => ({ place: add(first, i - 1), weight }));
}

/** x [N, C, D…] read at grid [N, P…, axes], the last axis of the image first; linear, nearest or cubic. */
function gridSample(c: NodeContext): Value {
  const [x, grid] = [c.in(0), c.in(1)];
  const { add, mul, ge, le, and, low, high, where } = arithmetic(c);
  const [batch, channels, ...extents] = x.type.shape as [number, number, ...number[]];
  const rank = extents.length;
  const places = grid.type.shape.slice(1, -1);
  const count = places.reduce((product, n) => product * n, 1);
  const mode = { bilinear: "linear", bicubic: "cubic" }[c.text("mode", "linear")] ?? c.text("mode", "linear");
  const border = c.text("padding_mode", "zeros");
  const aligned = c.int("align_corners", 0) === 1;
  const flat = c.reshape(c.cast(grid, "f32"), [batch, 1, count, rank]);
  const axes = extents.map((extent, axis) => {
    const raw = c.op("slice", [flat], { start: [rank - 1 - axis], stop: [rank - axis], axes: [3] });
    const at = unnormalised(c, c.reshape(raw, [batch, 1, count]), extent, aligned);
    // The nearest place is found first and mirrored then.
    if (border === "reflection" && mode !== "nearest") return taps(c, reflected(c, at, extent, aligned), mode);
    if (border !== "border") return taps(c, at, mode);
    // Only what lies past the outer edge is pulled in: a cubic tells the difference.
    const [first, last] = aligned ? [0, extent - 1] : [-0.5, extent - 0.5];
    const within = and(ge(at, first), le(at, last));
    return taps(c, where(within, at, low(high(at, 0), extent - 1)), mode);
  });
  const image = c.reshape(x, [batch, channels, extents.reduce((product, n) => product * n, 1)]);
  /** One combination of neighbours: what stands there, times its share. */
  const term = (chosen: readonly Tap[]): Value => {
    let [index, weight, inside]: [Value | null, Value | null, Value | null] = [null, null, null];
    chosen.forEach((tap, axis) => {
      const extent = extents[axis]!;
      const own = and(ge(tap.place, 0), le(tap.place, extent - 1));
      const kept = border === "reflection" ? reflected(c, tap.place, extent, aligned) : low(high(tap.place, 0), extent - 1); // prettier-ignore
      index = index ? add(mul(index, extent), kept) : kept;
      inside = inside ? and(inside, own) : own;
      if (tap.weight) weight = weight ? mul(weight, tap.weight) : tap.weight;
    });
    const at = c.op("expand", [c.cast(index!, "i32")], { shape: [batch, channels, count] });
    const found = c.op("gather_elements", [image, at], { axis: 2 });
    const seen = border === "zeros" ? where(inside!, found, c.emit.scalar(0, x.type.dtype)) : found;
    return weight ? mul(seen, weight) : seen;
  };
  const combinations = axes.reduce<readonly (readonly Tap[])[]>(
    (rows, own) => rows.flatMap((row) => own.map((tap) => [...row, tap])),
    [[]],
  );
  const sum = combinations.map(term).reduce((left, right) => add(left, right));
  return c.reshape(c.cast(sum, x.type.dtype), [batch, channels, ...places]);
}

/** theta [N, axes, axes + 1] and the size [N, C, D…] → the grid [N, D…, axes] that it maps to. */
function affineGrid(c: NodeContext): Value {
  const theta = c.in(0);
  const [batch, , ...extents] = c.known(1, "size") as [number, number, ...number[]];
  const rank = extents.length;
  const aligned = c.int("align_corners", 0) === 1;
  const count = extents.reduce((product, n) => product * n, 1);
  const data = new Float64Array(count * (rank + 1));
  for (const place of range(count)) {
    let rest = place;
    for (const axis of range(rank).toReversed()) {
      const extent = extents[axis]!;
      const at = rest % extent;
      rest = Math.floor(rest / extent);
      const normal = aligned ? (extent === 1 ? -1 : (2 * at) / (extent - 1) - 1) : (2 * at + 1) / extent - 1;
      data[place * (rank + 1) + (rank - 1 - axis)] = normal;
    }
    data[place * (rank + 1) + rank] = 1;
  }
  const base = c.emit.host({ dtype: theta.type.dtype, dims: [count, rank + 1], data, wide: false });
  const made = c.op("matmul", [base, c.op("transpose", [theta], { perm: [0, 2, 1] })]);
  return c.reshape(made, [batch, ...extents, rank]);
}

export const samplingRules: Rules = { GridSample: gridSample, AffineGrid: affineGrid };
