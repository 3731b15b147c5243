/** @file Attention over caches, and which keys a query sees, against sums written out. */
import { describe, expect, test } from "vitest";
import { close, run, upTo, wave, type Given, type Told } from "./testing";

const SIZE = 2;
type Sees = (batch: number, query: number, key: number) => boolean;

/** softmax over the seen keys of q·k/√d, times v: [batch, heads, rows, SIZE] each; one more share may go to nothing. */
function attended(
  q: readonly number[],
  k: readonly number[],
  v: readonly number[],
  [batch, queries, keys]: readonly [number, number, number],
  sees: Sees,
  sink: number | null = null,
): number[] {
  return upTo(batch).flatMap((b) =>
    upTo(queries).flatMap((i) => {
      const dot = (j: number): number =>
        upTo(SIZE).reduce((sum, d) => sum + q[(b * queries + i) * SIZE + d]! * k[(b * keys + j) * SIZE + d]!, 0);
      const powers = upTo(keys).map((j) => (sees(b, i, j) ? Math.exp(dot(j) / Math.sqrt(SIZE)) : 0));
      const total = powers.reduce((sum, p) => sum + p, sink === null ? 0 : Math.exp(sink));
      return upTo(SIZE).map((d) =>
        powers.reduce((sum, p, j) => sum + (total > 0 ? p / total : 0) * v[(b * keys + j) * SIZE + d]!, 0),
      );
    }),
  );
}

describe("windows to either side", () => {
  const [queries, keys] = [3, 5];
  const [q, k, v] = [wave(queries * SIZE, 0.7), wave(keys * SIZE, 0.4), wave(keys * SIZE, 1.1)];
  const given: Given[] = [
    [[1, 1, queries, SIZE], q],
    [[1, 1, keys, SIZE], k],
    [[1, 1, keys, SIZE], v],
  ];
  const side = (left: number, right: number): Told => [
    { name: "left_window_size", i: left },
    { name: "right_window_size", i: right },
  ];
  test.each([
    [1, 2],
    [0, -1],
    [-1, 0],
    [2, 0],
  ])("%d before and %d behind, −1 being open", (left, right) => {
    const near: Sees = (_, i, j) => (left < 0 || j >= i - left) && (right < 0 || j <= i + right);
    close(
      run("Attention", given, side(left, right), { opset: 25 })[0]!.data,
      attended(q, k, v, [1, queries, keys], near),
    );
  });
  test("what is causal sees nothing behind; a cache comes before", () => {
    const told = [...side(1, 3), { name: "is_causal", i: 1 }];
    const past: Given[] = [
      [[1, 1, 2, SIZE], k.slice(0, 4)],
      [[1, 1, 2, SIZE], v.slice(0, 4)],
    ];
    const fresh: Given[] = [given[0]!, [[1, 1, 3, SIZE], k.slice(4)], [[1, 1, 3, SIZE], v.slice(4)], null, ...past];
    const got = run("Attention", fresh, told, { opset: 25, outputs: 3 });
    close(
      got[0]!.data,
      attended(q, k, v, [1, queries, keys], (_, i, j) => j <= i + 2 && j >= i + 1),
    );
  });
  test("positions are counted from the end of what is no padding", () => {
    const got = run("Attention", [...given, null, null, null, [[1], [4]]], side(1, 0), { opset: 25 });
    close(
      got[0]!.data,
      attended(q, k, v, [1, queries, keys], (_, i, j) => j <= i + 1 && j >= i),
    );
  });
});

describe("a cache that belongs to the caller", () => {
  const told = (more: Told = []): Told => [{ name: "num_heads", i: 1 }, { name: "kv_num_heads", i: 1 }, ...more];
  const options = { domain: "com.microsoft", outputs: 3, known: [6] };
  /** One new row each; batches are filled to `filled` positions of `room`. */
  const step = (filled: readonly number[], room: number, more: Told = [], rest: readonly Given[] = []) => {
    const batch = filled.length;
    const rows = (by: number): number[] => wave(batch * SIZE, by);
    const [oldK, oldV] = [wave(batch * room * SIZE, 0.4), wave(batch * room * SIZE, 1.1)];
    const total = Math.max(...filled) + 1;
    const [q, k, v] = [rows(0.7), rows(0.9), rows(1.7)];
    const flat = (data: number[]): Given => [[batch, 1, SIZE], data];
    const old = (data: number[]): Given => [[batch, 1, room, SIZE], data];
    const got = run(
      "GroupQueryAttention",
      [flat(q), flat(k), flat(v), old(oldK), old(oldV), [[batch], filled], [[], [total]], ...rest],
      told(more),
      options,
    );
    const keyCount = Math.max(room, total);
    const cache = (was: number[], row: number[]): number[] =>
      filled.flatMap((past, b) =>
        upTo(keyCount).flatMap((j) =>
          upTo(SIZE).map((d) => (j < past ? was[(b * room + j) * SIZE + d]! : j === past ? row[b * SIZE + d]! : 0)),
        ),
      );
    return { got, keyCount, q, k: cache(oldK, k), v: cache(oldV, v) };
  };
  test.each([
    ["full", [3], 3],
    ["with room left", [2], 5],
    ["filled to different lengths", [1, 3], 3],
  ] as const)("%s", (_, filled, room) => {
    const { got, keyCount, q, k, v } = step(filled, room);
    expect(got[1]!.shape).toEqual([filled.length, 1, keyCount, SIZE]);
    // What the last batch has behind its new row is nobody's: the longest batch ends where the cache does.
    const upToTotal = (data: readonly number[]): number[] =>
      data.filter((_value, at) => Math.floor(at / SIZE) % keyCount <= filled[Math.floor(at / SIZE / keyCount)]!);
    close(upToTotal(got[1]!.data), upToTotal(k));
    close(upToTotal(got[2]!.data), upToTotal(v));
    close(
      got[0]!.data,
      attended(q, k, v, [filled.length, 1, keyCount], (b, _i, j) => j <= filled[b]!),
    );
  });
  test("a share for nothing, and one that is stated", () => {
    const smooth = step([2], 2, [{ name: "smooth_softmax", i: 1 }]);
    close(
      smooth.got[0]!.data,
      attended(smooth.q, smooth.k, smooth.v, [1, 1, 3], () => true, 0),
    );
    const sink = step([2], 2, [], [null, null, null, null, [[1], [0.8]]]);
    close(
      sink.got[0]!.data,
      attended(sink.q, sink.k, sink.v, [1, 1, 3], () => true, 0.8),
    );
  });
});

test.each([
  ["Elu", [2, -1], [2, 0.5 * Math.expm1(-1)], { alpha: 0.5 }],
  ["Softplus", [2, -1], [Math.log1p(Math.exp(2)), Math.log1p(Math.exp(-1))], {}],
  ["ThresholdedRelu", [2, 0.2], [2, 0], { alpha: 0.3 }],
  ["ParametricSoftplus", [2, 0], [0.3 * Math.log1p(Math.exp(0.8)), 0.3 * Math.LN2], { alpha: 0.3, beta: 0.4 }],
  ["Selu", [2, -1], [2.2, 1.1 * 1.5 * Math.expm1(-1)], { alpha: 1.5, gamma: 1.1 }],
] as const)("a product with %s behind it", (name, x, want, constants) => {
  const told = [
    { name: "activation", s: name },
    ...Object.entries(constants).map(([key, f]) => ({ name: `activation_${key}`, f })),
  ];
  close(
    run(
      "FusedGemm",
      [
        [[2, 1], [...x]],
        [[1, 1], [1]],
      ],
      told,
      { domain: "com.microsoft" },
    )[0]!.data,
    want,
  );
});
