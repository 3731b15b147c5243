/** @file Rules that no case list covers, against loops written out. */
import { describe, expect, test } from "vitest";
import { rules } from "./index";
import { close, run, upTo, wave, type Given, type Told } from "./testing";
import type { OnnxAttribute } from "../model";

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, v, i) => sum + v * b[i]!, 0);
const rows = (data: readonly number[], width: number): number[][] =>
  upTo(data.length / width).map((i) => data.slice(i * width, (i + 1) * width));

describe("recurrent layers, step by step", () => {
  const [steps, batch, size, hidden] = [3, 2, 4, 3];
  const x = wave(steps * batch * size, 0.7);
  const inputs = (gates: number): Given[] => [
    [[steps, batch, size], x],
    [[1, gates * hidden, size], wave(gates * hidden * size, 1.1)],
    [[1, gates * hidden, hidden], wave(gates * hidden * hidden, 0.4)],
    [[1, 2 * gates * hidden], wave(2 * gates * hidden, 0.9)],
  ];
  /** Each gate's share of input and of state, biases in. */
  function shares(
    gates: number,
    given: readonly Given[],
  ): (t: number, b: number, h: readonly number[]) => { input: number[]; state: number[] } {
    const [w, r] = [rows(given[1]![1] as number[], size), rows(given[2]![1] as number[], hidden)];
    const bias = given[3]![1];
    return (t, b, h) => ({
      input: w.map((row, g) => dot(row, x.slice((t * batch + b) * size, (t * batch + b + 1) * size)) + bias[g]!),
      state: r.map((row, g) => dot(row, h) + bias[gates * hidden + g]!),
    });
  }
  const walk = (
    order: readonly number[],
    step: (t: number, b: number, h: number[], c: number[]) => [number[], number[]],
  ): { y: number[]; h: number[]; c: number[] } => {
    const y: number[] = [];
    const last = upTo(batch).map((b) => {
      let [h, c] = [upTo(hidden).map(() => 0), upTo(hidden).map(() => 0)];
      for (const t of order) {
        [h, c] = step(t, b, h, c);
        h.forEach((value, k) => (y[(t * batch + b) * hidden + k] = value));
      }
      return [h, c] as const;
    });
    return { y, h: last.flatMap(([h]) => h), c: last.flatMap(([, c]) => c) };
  };

  test("RNN, from the end", () => {
    const given = inputs(1);
    const of = shares(1, given);
    const want = walk([2, 1, 0], (t, b, h) => {
      const { input, state } = of(t, b, h);
      return [input.map((v, k) => Math.tanh(v + state[k]!)), []];
    });
    const [y, h] = run(
      "RNN",
      given,
      [
        { name: "hidden_size", i: hidden },
        { name: "direction", s: "reverse" },
      ],
      { outputs: 2 },
    );
    expect(y!.shape).toEqual([steps, 1, batch, hidden]);
    close(y!.data, want.y);
    close(h!.data, want.h);
  });

  test.each([0, 1])("GRU, the reset before (0) or after (1) the product: %d", (after) => {
    const given = inputs(3);
    const of = shares(3, given);
    const r = rows(given[2]![1] as number[], hidden);
    const bias = given[3]![1];
    const want = walk([0, 1, 2], (t, b, h) => {
      const { input, state } = of(t, b, h);
      const [z, reset] = [0, 1].map((g) =>
        upTo(hidden).map((k) => sigmoid(input[g * hidden + k]! + state[g * hidden + k]!)),
      ) as [number[], number[]];
      const next = upTo(hidden).map((k) => {
        const seen =
          after === 1
            ? reset[k]! * state[2 * hidden + k]!
            : dot(
                r[2 * hidden + k]!,
                h.map((v, i) => v * reset[i]!),
              ) + bias[5 * hidden + k]!;
        return (1 - z[k]!) * Math.tanh(input[2 * hidden + k]! + seen) + z[k]! * h[k]!;
      });
      return [next, []];
    });
    const [y, h] = run(
      "GRU",
      given,
      [
        { name: "hidden_size", i: hidden },
        { name: "linear_before_reset", i: after },
      ],
      { outputs: 2 },
    );
    close(y!.data, want.y);
    close(h!.data, want.h);
  });

  test("LSTM", () => {
    const given = inputs(4);
    const of = shares(4, given);
    const want = walk([0, 1, 2], (t, b, h, c) => {
      const { input, state } = of(t, b, h);
      const gate = (g: number, k: number): number => input[g * hidden + k]! + state[g * hidden + k]!;
      const cell = upTo(hidden).map((k) => sigmoid(gate(2, k)) * c[k]! + sigmoid(gate(0, k)) * Math.tanh(gate(3, k)));
      return [cell.map((v, k) => sigmoid(gate(1, k)) * Math.tanh(v)), cell];
    });
    const [y, h, c] = run("LSTM", given, [{ name: "hidden_size", i: hidden }], { outputs: 3 });
    close(y!.data, want.y);
    close(h!.data, want.h);
    close(c!.data, want.c);
  });
});

describe("what a gate does with its sum", () => {
  const one = (op: string, gates: number, told: Told, more: readonly Given[] = []): number[] => {
    const weights: Given = [[1, gates, 1], upTo(gates).map((gate) => gate + 1)];
    const zeros: Given = [[1, gates, 1], upTo(gates).map(() => 0)];
    const got = run(op, [[[1, 1, 1], [1]], weights, zeros, ...more], [{ name: "hidden_size", i: 1 }, ...told], {
      outputs: 2,
    });
    return got[1]!.data;
  };
  const named = (...strings: string[]) => ({ name: "activations", strings });
  test("it is clipped before the activation; the cell is not", () => {
    close(one("RNN", 1, [{ name: "clip", f: 0.5 }]), [Math.tanh(0.5)]);
    const gate = sigmoid(0.5);
    close(one("LSTM", 4, [{ name: "clip", f: 0.5 }], [null, null, null, [[1, 1, 1], [3]]]), [
      gate * Math.tanh(gate * 3 + gate * Math.tanh(0.5)),
    ]);
  });
  test.each([
    ["ThresholdedRelu", 2, 0, 0],
    ["ScaledTanh", 2, 0.5, 2 * Math.tanh(0.5)],
    ["Affine", 2, 3, 5],
    ["HardSigmoid", 0.1, 0.2, 0.3],
  ])("%s of 1 with α = %d, β = %d", (name, alpha, beta, want) => {
    const constants = [
      { name: "activation_alpha", floats: [alpha] },
      { name: "activation_beta", floats: [beta] },
    ];
    close(one("RNN", 1, [named(name), ...constants]), [want]);
  });
  test("constants go to those activations that have any", () => {
    // z = σ(1), candidate = 3 · 0.25: the one α is the second activation's.
    close(one("GRU", 3, [named("Sigmoid", "Affine"), { name: "activation_alpha", floats: [0.25] }]), [
      (1 - sigmoid(1)) * 0.75,
    ]);
  });
  test("coupled gates: what enters is what is forgotten", () => {
    const enter = sigmoid(1);
    const cell = (1 - enter) * 3 + enter * Math.tanh(4);
    close(one("LSTM", 4, [{ name: "input_forget", i: 1 }], [null, null, null, [[1, 1, 1], [3]]]), [
      sigmoid(2) * Math.tanh(cell),
    ]);
  });
});

describe("sequences of different lengths", () => {
  const [steps, size, hidden] = [4, 3, 2];
  const lengths = [2, 4, 1];
  const rest: Given[] = [
    [[1, 4 * hidden, size], wave(4 * hidden * size, 1.1)],
    [[1, 4 * hidden, hidden], wave(4 * hidden * hidden, 0.4)],
    [[1, 8 * hidden], wave(8 * hidden, 0.9)],
  ];
  const x = wave(steps * 3 * size, 0.7);
  const told = (direction: string) => [
    { name: "hidden_size", i: hidden },
    { name: "direction", s: direction },
  ];
  test.each(["forward", "reverse"])("each is as if it were alone: %s", (direction) => {
    const [y, h, cell] = run("LSTM", [[[steps, 3, size], x], ...rest, [[3], lengths]], told(direction), { outputs: 3 });
    lengths.forEach((length, b) => {
      const own = upTo(length).flatMap((t) => x.slice((t * 3 + b) * size, (t * 3 + b + 1) * size));
      const [alone, last, cellState] = run("LSTM", [[[length, 1, size], own], ...rest], told(direction), {
        outputs: 3,
      });
      const of = (t: number): number[] => y!.data.slice((t * 3 + b) * hidden, (t * 3 + b + 1) * hidden);
      close(upTo(length).flatMap(of), alone!.data);
      close(
        upTo(steps).slice(length).flatMap(of),
        upTo((steps - length) * hidden).map(() => 0),
      );
      close(h!.data.slice(b * hidden, (b + 1) * hidden), last!.data);
      close(cell!.data.slice(b * hidden, (b + 1) * hidden), cellState!.data);
    });
  });
});

test("groups of channels that stand last, after something is added; SiLU at the end", () => {
  const [batch, points, channels, groups] = [2, 4, 6, 2];
  const x = wave(batch * points * channels, 0.7);
  const [scale, shift, skip, bias] = [0.3, 0.9, 1.3, 1.7].map((by, i) =>
    wave(i === 2 ? batch * channels : channels, by),
  ) as [number[], number[], number[], number[]];
  const given: Given[] = [
    [[batch, 2, 2, channels], x],
    [[channels], scale],
    [[channels], shift],
    [[batch, channels], skip],
    [[channels], bias],
  ];
  const told = [
    { name: "groups", i: groups },
    { name: "activation", i: 1 },
  ];
  const [y, sum] = run("SkipGroupNorm", given, told, { outputs: 2, domain: "com.microsoft" });
  const sums = x.map(
    (v, i) => v + skip[Math.floor(i / (points * channels)) * channels + (i % channels)]! + bias[i % channels]!,
  );
  const normed = (values: readonly number[]): number[] =>
    values.map((v, i) => {
      const mates = values.filter(
        (_, j) =>
          Math.floor(i / (points * channels)) === Math.floor(j / (points * channels)) &&
          Math.floor((i % channels) / 3) === Math.floor((j % channels) / 3),
      );
      const mean = mates.reduce((a, b) => a + b, 0) / mates.length;
      const variance = mates.reduce((a, b) => a + (b - mean) ** 2, 0) / mates.length;
      const z = ((v - mean) / Math.sqrt(variance + 1e-5)) * scale[i % channels]! + shift[i % channels]!;
      return z * sigmoid(z);
    });
  close(sum!.data, sums);
  close(y!.data, normed(sums));
  const [plain] = run("GroupNorm", given.slice(0, 3), told, { domain: "com.microsoft" });
  close(plain!.data, normed(x));
});

describe("resizing", () => {
  const ramp: Given = [
    [1, 1, 1, 4],
    [0, 1, 2, 3],
  ];
  const scales: Given = [[4], [1, 1, 1, 2]];
  const resized = (attributes: readonly Partial<OnnxAttribute>[]): number[] =>
    run("Resize", [ramp, null, scales], attributes, { known: [2] })[0]!.data;
  test("nearest, linear, aligned corners", () => {
    expect(resized([])).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    close(resized([{ name: "mode", s: "linear" }]), [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]);
    const corners = { name: "coordinate_transformation_mode", s: "align_corners" };
    close(
      resized([{ name: "mode", s: "linear" }, corners]),
      upTo(8).map((i) => (3 * i) / 7),
    );
  });
  test("Keys' cubic of a ramp is the ramp away from its ends", () => {
    const cubic = resized([
      { name: "mode", s: "cubic" },
      { name: "cubic_coeff_a", f: -0.5 },
    ]);
    close(cubic.slice(3, 5), [1.25, 1.75]);
  });
});

test("reversed and compressed", () => {
  const [got] = run(
    "ReverseSequence",
    [
      [
        [3, 2],
        [0, 1, 2, 3, 4, 5],
      ],
      [[2], [3, 2]],
    ],
    [
      { name: "time_axis", i: 0 },
      { name: "batch_axis", i: 1 },
    ],
  );
  expect(got!.data).toEqual([4, 3, 2, 1, 0, 5]);
  const [chosen] = run(
    "Compress",
    [
      [
        [2, 3],
        [0, 1, 2, 3, 4, 5],
      ],
      [[3], [1, 0, 1]],
    ],
    [{ name: "axis", i: 1 }],
    { known: [1] },
  );
  expect([chosen!.shape, chosen!.data]).toEqual([
    [2, 2],
    [0, 2, 3, 5],
  ]);
});

test("maxima back at their indices, columns back into an image", () => {
  const x: Given = [[1, 1, 4, 4], wave(16, 0.7)];
  const kernel = [
    { name: "kernel_shape", ints: [2, 2] },
    { name: "strides", ints: [2, 2] },
  ];
  const [best, at] = run("MaxPool", [x], kernel, { outputs: 2 });
  const [back] = run(
    "MaxUnpool",
    [
      [best!.shape, best!.data],
      [at!.shape, at!.data],
    ],
    kernel,
  );
  close(
    back!.data,
    upTo(16).map((i) => (at!.data.includes(i) ? x[1]![i]! : 0)),
  );
  const columns = run(
    "Col2Im",
    [
      [[1, 4, 4], wave(16, 0.4)],
      [[2], [3, 3]],
      [[2], [2, 2]],
    ],
    [],
    { known: [1, 2] },
  )[0]!;
  const want = upTo(9).map(() => 0);
  wave(16, 0.4).forEach((value, i) => {
    const [tap, position] = [Math.floor(i / 4), i % 4];
    want[(Math.floor(position / 2) + Math.floor(tap / 2)) * 3 + (position % 2) + (tap % 2)]! += value;
  });
  expect(columns.shape).toEqual([1, 1, 3, 3]);
  close(columns.data, want);
});

test("channels last: the same convolution with its axes transposed", () => {
  const x = wave(2 * 5 * 5, 0.7);
  const w: Given = [[3, 2, 3, 3], wave(54, 1.1)];
  const [first] = run("Conv", [[[1, 2, 5, 5], x], w]);
  const transposed = upTo(50).map((i) => x[(i % 2) * 25 + Math.floor(i / 2)]!);
  const [last] = run("Conv", [[[1, 5, 5, 2], transposed], w], [], { domain: "com.ms.internal.nhwc" });
  expect(last!.shape).toEqual([1, 3, 3, 3]);
  close(
    last!.data,
    upTo(27).map((i) => first!.data[(i % 3) * 9 + Math.floor(i / 3)]!),
  );
});

test("a rule has a domain, and no op two rules", () => {
  for (const key of rules.keys())
    expect(key).toMatch(
      /^(|com\.microsoft|ai\.onnx\.ml|ai\.onnx\.preview(\.training)?|com\.ms\.internal\.nhwc):[A-Z]\w*$/,
    );
});
