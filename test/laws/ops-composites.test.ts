/** @file Attention, einsum, losses and image normalisations against their formulas written out. */
import { describe, expect, test } from "vitest";
import { sizeOf, stridesOf, type Attrs, type Shape } from "../../src/fusion/ir";
import { coordinatesOf } from "../../src/fusion/reference";
import { f32, refusal, upTo, valueOf } from "../one-op";

const wave = (n: number, by: number): number[] => upTo(n).map((i) => Math.sin(by * i + 1));
const at = (data: readonly number[], shape: Shape, ...index: number[]): number =>
  data[index.reduce((sum, p, axis) => sum + p * stridesOf(shape)[axis]!, 0)]!;
const close = (got: readonly number[], want: readonly number[]): void => {
  expect(got.length).toBe(want.length);
  got.forEach((value, i) => expect(value).toBeCloseTo(want[i]!, 9));
};
const total = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0);

describe("attention", () => {
  const [q, k, v]: [Shape, Shape, Shape] = [
    [2, 4, 3, 5],
    [2, 2, 6, 5],
    [2, 2, 6, 3],
  ];
  const [Q, K, V] = [wave(sizeOf(q), 0.7), wave(sizeOf(k), 1.1), wave(sizeOf(v), 0.3)];
  const cases: [string, Attrs, ((i: number, j: number) => number) | null, "bool" | "f32" | null][] = [
    ["plain", {}, null, null],
    ["scaled and capped", { scale: 0.9, softcap: 1.5 }, null, null],
    ["causal", { is_causal: true }, null, null],
    ["causal behind two keys, three in sight", { is_causal: true, causal_offset: 2, window: 3 }, null, null],
    ["a bool mask that hides a whole row", {}, (i, j) => Number(i !== 1 && (i + j) % 3 !== 0), "bool"],
    ["a bias with −∞", {}, (i, j) => (i === 2 ? -Infinity : (i - j) / 4), "f32"],
  ];
  test.each(cases)("%s", (_name, attrs, mask, dtype) => {
    const scale = Number(attrs["scale"] ?? 1 / Math.sqrt(5));
    const cap = Number(attrs["softcap"] ?? 0);
    const offset = Number(attrs["causal_offset"] ?? 0);
    const want = upTo(2 * 4 * 3 * 3).map((flat) => {
      const [b, h, i, d] = coordinatesOf(flat, [2, 4, 3, 3]) as [number, number, number, number];
      const shared = Math.floor(h / 2);
      const scores = upTo(6).map((j) => {
        let s = scale * total(upTo(5).map((e) => at(Q, q, b, h, i, e) * at(K, k, b, shared, j, e)));
        if (cap > 0) s = cap * Math.tanh(s / cap);
        if (attrs["is_causal"] === true && j > i + offset) return -Infinity;
        if (attrs["window"] !== undefined && j <= i + offset - Number(attrs["window"])) return -Infinity;
        if (mask && dtype === "bool") return mask(i, j) ? s : -Infinity;
        return mask ? s + mask(i, j) : s;
      });
      const peak = Math.max(...scores);
      if (peak === -Infinity) return 0;
      const powers = scores.map((s) => Math.exp(s - peak));
      return total(powers.map((p, j) => p * at(V, v, b, shared, j, d))) / total(powers);
    });
    const rows = mask ? upTo(18).map((flat) => mask(Math.floor(flat / 6), flat % 6)) : [];
    const operands = [[q, Q], [k, K], [v, V], ...(mask ? [[[3, 6], rows, dtype]] : [])] as Parameters<
      typeof valueOf
    >[1];
    const got = valueOf("scaled_dot_product_attention", operands, attrs);
    expect(got.shape).toEqual([2, 4, 3, 3]);
    close(got.data, want);
  });

  test("refuses in words", () => {
    expect(
      refusal("scaled_dot_product_attention", [f32(3, 4, 8), f32(2, 4, 8), f32(2, 4, 8), null] as never, {}, [
        "q",
        "k",
        "v",
        "m",
      ]),
    ).toBe("q is 3×4×8, k is 2×4×8, v is 2×4×8: each key must serve a whole number of query heads.");
  });

  test("rotary pairs: half a row apart, or neighbours; the rest passes", () => {
    const x = [1, 2, 3, 4, 9];
    const turn = (a: number, b: number, c: number, s: number): number[] => [a * c - b * s, b * c + a * s];
    const [first, second] = [turn(1, 3, 0.5, 2), turn(2, 4, 0.25, 3)];
    const far = valueOf("rope", [
      [[1, 5], x],
      [[2], [0.5, 0.25]],
      [[2], [2, 3]],
    ]);
    close(far.data, [first[0]!, second[0]!, first[1]!, second[1]!, 9]);
    const near = valueOf(
      "rope",
      [
        [[1, 5], x],
        [[2], [0.5, 0.25]],
        [[2], [2, 3]],
      ],
      { interleaved: true },
    );
    close(near.data, [...turn(1, 2, 0.5, 2), ...turn(3, 4, 0.25, 3), 9]);
  });
});

/** Every letter looped over, one after the other. */
function summed(equation: string, shapes: readonly Shape[], data: readonly (readonly number[])[]): number[] {
  const [left, result] = equation.split("->") as [string, string];
  const terms = left.split(",");
  const sizes = new Map(
    terms.flatMap((term, i) => Array.from(term).map((letter, axis) => [letter, shapes[i]![axis]!] as const)),
  );
  const letters = [...sizes.keys()];
  const out = Array.from(result).map((letter) => sizes.get(letter)!);
  const values = upTo(sizeOf(out)).map(() => 0);
  for (let flat = 0; flat < sizeOf([...sizes.values()]); flat++) {
    const index = new Map(coordinatesOf(flat, [...sizes.values()]).map((p, i) => [letters[i]!, p]));
    const product = terms.reduce(
      (p, term, i) => p * at(data[i]!, shapes[i]!, ...Array.from(term).map((letter) => index.get(letter)!)),
      1,
    );
    values[Array.from(result).reduce((sum, letter, axis) => sum + index.get(letter)! * stridesOf(out)[axis]!, 0)]! +=
      product;
  }
  return values;
}

describe("einsum", () => {
  test.each<[string, Shape[]]>([
    [
      "ij,jk->ik",
      [
        [2, 3],
        [3, 4],
      ],
    ],
    [
      "ij,jk->ki",
      [
        [2, 3],
        [3, 4],
      ],
    ],
    [
      "bij,bjk->bik",
      [
        [2, 3, 4],
        [2, 4, 2],
      ],
    ],
    ["ij->ji", [[2, 3]]],
    ["ij->", [[2, 3]]],
    ["ii->i", [[3, 3]]],
    ["iji->j", [[3, 2, 3]]],
    ["i,j->ij", [[2], [3]]],
    [
      "bnd,bmd,bn->bmd",
      [
        [2, 3, 4],
        [2, 5, 4],
        [2, 3],
      ],
    ],
    [
      "abc,cd,de->abe",
      [
        [2, 3, 4],
        [4, 2],
        [2, 3],
      ],
    ],
    [
      "ik,jk->ij",
      [
        [2, 3],
        [4, 3],
      ],
    ],
  ])("%s of %j", (equation, shapes) => {
    const data = shapes.map((shape, i) => wave(sizeOf(shape), 0.7 + i));
    const got = valueOf(
      "einsum",
      shapes.map((shape, i) => [shape, data[i]!] as const),
      { equation },
    );
    close(got.data, summed(equation, shapes, data));
  });

  test("dots stand for what is left, and broadcast", () => {
    const data = [wave(12, 0.7), wave(4, 1.3)];
    const got = valueOf(
      "einsum",
      [
        [[3, 1, 2, 2], data[0]!],
        [[1, 2, 2], data[1]!],
      ],
      { equation: "...ij,...jk->...ik" },
    );
    const matmul = valueOf("matmul", [
      [[3, 1, 2, 2], data[0]!],
      [[1, 2, 2], data[1]!],
    ]);
    expect(got.shape).toEqual(matmul.shape);
    close(got.data, matmul.data);
    expect(
      valueOf(
        "einsum",
        [
          [
            [2, 2],
            [1, 2, 3, 4],
          ],
        ],
        { equation: "ba" },
      ).data,
    ).toEqual([1, 3, 2, 4]);
  });

  test("refuses in words", () => {
    expect(refusal("einsum", [f32(2, 3)], { equation: "ij,jk->ik" })).toBe(
      '"ij,jk->ik" names 2 operands; 1 were given.',
    );
    expect(refusal("einsum", [f32(2, 3), f32(4, 5)], { equation: "ij,jk->ik" })).toBe(
      "The axis j has 3 elements in one operand and 4 in another.",
    );
    expect(refusal("einsum", [f32(2)], { equation: "i->j" })).toBe('"j" must name axes of the operands, each once.');
  });
});

describe("losses", () => {
  const shape: Shape = [2, 4, 3];
  const x = wave(24, 0.7);
  const target = [0, 3, 1, 2, 2, 1];
  const weight = [0.5, 2, 1, 0.25];
  const losses = target.map((c, i) => {
    const [n, d] = [Math.floor(i / 3), i % 3];
    const row = upTo(4).map((k) => at(x, shape, n, k, d));
    return Math.log(total(row.map(Math.exp))) - row[c]!;
  });
  const operands = [
    [shape, x],
    [[2, 3], target, "i32"],
  ] as Parameters<typeof valueOf>[1];
  const weighted = [...operands, [[4], weight]] as Parameters<typeof valueOf>[1];
  test("cross entropy: none, sum, mean, weights, a class that costs nothing", () => {
    close(valueOf("cross_entropy", operands, { reduction: "none" }).data, losses);
    close(valueOf("cross_entropy", operands, { reduction: "sum" }).data, [total(losses)]);
    close(valueOf("cross_entropy", operands).data, [total(losses) / 6]);
    const shares = target.map((c) => weight[c]!);
    close(valueOf("cross_entropy", weighted).data, [total(losses.map((l, i) => l * shares[i]!)) / total(shares)]);
    const counted = target.map((c) => Number(c !== 2));
    const want =
      total(losses.map((l, i) => l * shares[i]! * counted[i]!)) / total(shares.map((w, i) => w * counted[i]!));
    close(valueOf("cross_entropy", weighted, { ignore_index: 2 }).data, [want]);
  });
  test("nll_loss picks what log_softmax made", () => {
    const logs = valueOf("log_softmax", [[shape, x]], { axis: 1 }).data;
    const picked = [[shape, logs], operands[1]!] as Parameters<typeof valueOf>[1];
    close(valueOf("nll_loss", picked, { reduction: "none" }).data, losses);
  });
});

describe("image normalisations", () => {
  const shape: Shape = [2, 4, 3];
  const x = wave(24, 0.7);
  const normal = (group: (n: number, c: number) => number): number[] => {
    const keys = upTo(24).map((flat) => {
      const [n, c] = coordinatesOf(flat, shape);
      return group(n!, c!);
    });
    return x.map((value, i) => {
      const own = x.filter((_, j) => keys[j] === keys[i]);
      const mean = total(own) / own.length;
      return (value - mean) / Math.sqrt(total(own.map((v) => (v - mean) ** 2)) / own.length + 1e-5);
    });
  };
  test("each over its own elements", () => {
    close(
      valueOf("instance_norm", [[shape, x]]).data,
      normal((n, c) => 4 * n + c),
    );
    close(
      valueOf("group_norm", [[shape, x]], { num_groups: 2 }).data,
      normal((n, c) => 2 * n + Math.floor(c / 2)),
    );
    close(
      valueOf("batch_norm", [[shape, x]], { training: true }).data,
      normal((_, c) => c),
    );
  });
  test("batch_norm at inference takes what it is given", () => {
    const [mean, variance, scale, shift] = [
      [1, 2, 3, 4],
      [4, 1, 9, 16],
      [1, 2, 3, 4],
      [0, 1, 0, 1],
    ];
    const each = [mean, variance, scale, shift].map((values) => [[4], values] as const);
    const got = valueOf("batch_norm", [[shape, x], ...each], { eps: 0 });
    close(
      got.data,
      x.map((value, i) => {
        const c = Math.floor(i / 3) % 4;
        return ((value - mean[c]!) / Math.sqrt(variance[c]!)) * scale[c]! + shift[c]!;
      }),
    );
  });
  test("neighbouring channels", () => {
    const want = x.map((value, i) => {
      const [n, c, p] = coordinatesOf(i, shape) as [number, number, number];
      const near = upTo(4).filter((other) => other >= c - 1 && other <= c + 1);
      return value / (2 + (0.3 / 3) * total(near.map((other) => at(x, shape, n, other, p) ** 2))) ** 0.75;
    });
    close(valueOf("local_response_norm", [[shape, x]], { size: 3, alpha: 0.3, k: 2 }).data, want);
  });
  test("inverse hyperbolic functions", () => {
    for (const v of [-20, -0.3, 0, 1e-4, 0.4, 3])
      expect(valueOf("asinh", [[[1], [v]]]).data[0]).toBeCloseTo(Math.asinh(v), 12);
    for (const v of [1, 1.5, 40]) expect(valueOf("acosh", [[[1], [v]]]).data[0]).toBeCloseTo(Math.acosh(v), 12);
    for (const v of [-0.9, 1e-5, 0.5]) expect(valueOf("atanh", [[[1], [v]]]).data[0]).toBeCloseTo(Math.atanh(v), 12);
  });
});
