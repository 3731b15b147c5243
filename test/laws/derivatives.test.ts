/** Every derivative against differences of the f64 interpreter, both modes against each other, and what stands in the way said in words. */
import { describe, expect, test } from "vitest";
import { parseProgram, type NodeId } from "../../src/fusion";
import { allOps, withDefaults } from "../../src/fusion/ops";
import { runReference } from "../../src/fusion/reference";

const STEP = 1e-5;
type Range = readonly [low: number, high: number];

/** Numbers without ties, different at each index. */
function data(count: number, seed: number, [low, high]: Range): Float64Array {
  let state = (seed * 2654435761) >>> 0;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return low + ((high - low) * state) / 2 ** 32;
  });
}

const sizeIn = (type: string): number => [...type.matchAll(/\d+(?=[,\]])/g)].reduce((size, [n]) => size * Number(n), 1);

/** Values of the program's results with these inputs. */
function valuesOf(text: string, inputs: ReadonlyMap<NodeId, Float64Array>): Float64Array[] {
  const { graph, outputs, diagnostics } = parseProgram(text);
  const errors = diagnostics.filter(({ severity }) => severity === "error").map((each) => `${each.line}: ${each.text}`);
  if (errors.length > 0) throw new Error(`${errors.join("\n")}\n${text}`);
  const found = runReference(graph, inputs);
  return outputs.map((id) => found.get(id)!.data);
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** jvp of `body` against central differences, and vjp against jvp: ⟨g, J·t⟩ = ⟨Jᵀ·g, t⟩. */
function check(body: string, params: readonly string[], range: Range): void {
  const names = params.map((_, i) => `x${i}`);
  const declared = (prefix: string): string => params.map((type, i) => `${prefix}${i}: ${type}\n`).join("");
  const def = `def f(${names.join(", ")}):\n    return ${body}\n`;
  const plain = `${declared("x")}${def}y = f(${names.join(", ")})\nreturn y\n`;
  const { graph, outputs } = parseProgram(plain);
  const { shape } = graph.nodes.get(outputs[0]!)!.type;
  const tuple = (prefix: string): string => `(${params.map((_, i) => `${prefix}${i}`).join(", ")},)`;
  const text = `${declared("x")}${declared("t")}g: f32[${shape.join(", ")}]
${def}y, dy = jvp(f, ${tuple("x")}, ${tuple("t")})
z, pull = vjp(f, ${names.join(", ")})
d = pull(g)
return y, dy, ${params.map((_, i) => `d[${i}]`).join(", ")}
`;
  const at = new Map<NodeId, Float64Array>();
  params.forEach((type, i) => {
    at.set(`x${i}` as NodeId, data(sizeIn(type), 3 + i, range));
    at.set(`t${i}` as NodeId, data(sizeIn(type), 17 + i, [-1, 1]));
  });
  at.set(
    "g" as NodeId,
    data(
      shape.reduce((size, extent) => size * extent, 1),
      29,
      [-1, 1],
    ),
  );
  const [, along, ...back] = valuesOf(text, at);
  const moved = (by: number): Float64Array => {
    const inputs = new Map(
      params.map((_, i) => [
        `x${i}` as NodeId,
        at.get(`x${i}` as NodeId)!.map((value, k) => value + by * at.get(`t${i}` as NodeId)![k]!),
      ]),
    );
    return valuesOf(plain, inputs)[0]!;
  };
  const [plus, minus] = [moved(STEP), moved(-STEP)];
  along!.forEach((value, k) => {
    const difference = (plus[k]! - minus[k]!) / (2 * STEP);
    expect(Math.abs(value - difference), `${body}: ${value} and ${difference} at ${k}`).toBeLessThan(
      2e-5 * (1 + Math.abs(difference)),
    );
  });
  const [forth, sum] = [
    dot(at.get("g" as NodeId)!, along!),
    params.reduce((total, _, i) => total + dot(back[i]!, at.get(`t${i}` as NodeId)!), 0),
  ];
  expect(Math.abs(forth - sum), `${body}: ⟨g, J t⟩ = ${forth}, ⟨Jᵀ g, t⟩ = ${sum}`).toBeLessThan(
    1e-9 * (1 + Math.abs(forth)),
  );
}

describe("elementwise", () => {
  const smooth = allOps.filter(({ kind, derivative }) => kind === "elementwise" && derivative?.partials);
  const DOMAIN: ReadonlyMap<string, readonly Range[]> = new Map([
    [
      "default",
      [
        [0.3, 0.8],
        [-0.8, -0.3],
      ],
    ],
  ]);
  test.each(smooth.map((op) => [op.name, op] as const))("%s", (name, op) => {
    const count = op.params.filter(({ kind }) => kind === "tensor").length;
    const shapes = ["f32[3, 4]", "f32[4]"].slice(0, count);
    for (const range of DOMAIN.get("default")!) {
      // Logarithms and roots know no numbers below 0, and an entropy is −∞ there.
      const attrs = withDefaults(op, {});
      const [low, high] = range.map((x) => op.scalar!.js(Array<number>(count).fill(x), attrs));
      if (!Number.isFinite(low) || !Number.isFinite(high)) continue;
      check(`${name}(${shapes.map((_, i) => `x${i}`).join(", ")})`, shapes, range);
    }
  });

  test.each([
    "relu(x0)",
    "clamp(x0, -0.5, 0.5)",
    "x0 ** 3",
    "x0 ** 2",
    "x0 ** 0.5 if False else x0 ** -1",
    "gelu(x0, approximate='tanh')",
    "where(x0 > 0.1, x0 * 2, sin(x0))",
    "x0.half().float() * 0 + x0",
  ])("%s", (body) => check(body, ["f32[3, 4]"], [0.21, 0.83]));
});

describe("reductions, scans, products", () => {
  test.each([
    ["sum(x0, dim=1)", ["f32[3, 4]"]],
    ["mean(x0, dim=(0, 2), keepdim=True)", ["f32[3, 4, 2]"]],
    ["amax(x0, dim=1)", ["f32[3, 4]"]],
    ["amin(x0)", ["f32[3, 4]"]],
    ["prod(x0, dim=1)", ["f32[3, 4]"]],
    ["norm(x0, dim=-1)", ["f32[3, 4]"]],
    ["sum_square(x0, dim=0)", ["f32[3, 4]"]],
    ["l1_norm(x0, dim=0)", ["f32[3, 4]"]],
    ["var(x0, dim=-1)", ["f32[3, 4]"]],
    ["cumsum(x0, dim=1)", ["f32[3, 4]"]],
    ["cumsum(x0, dim=0, exclusive=True, reverse=True)", ["f32[3, 4]"]],
    ["logcumsumexp(x0, dim=1)", ["f32[3, 4]"]],
    ["logcumsumexp(x0, dim=0, reverse=True)", ["f32[3, 4]"]],
    ["cumprod(x0, dim=1)", ["f32[3, 4]"]],
    ["cumprod(x0, dim=1, exclusive=True)", ["f32[3, 4]"]],
    ["cummax(x0, dim=1)", ["f32[3, 4]"]],
    ["cummax(x0, dim=0, reverse=True)", ["f32[3, 4]"]],
    ["cummin(x0, dim=1)", ["f32[3, 4]"]],
    ["cummin(x0, dim=1, reverse=True)", ["f32[3, 4]"]],
    ["sort(x0, dim=1)", ["f32[3, 4]"]],
    ["topk(x0, 2, dim=0)", ["f32[3, 4]"]],
    ["all_reduce(x0 * x0)", ["f32[3, 4]"]],
    ["logsumexp(x0, dim=-1)", ["f32[3, 4]"]],
    ["softmax(x0, dim=-1)", ["f32[3, 4]"]],
    ["log_softmax(x0, dim=0)", ["f32[3, 4]"]],
    ["x0 @ x1", ["f32[3, 4]", "f32[4, 5]"]],
    ["x0 @ x1", ["f32[2, 3, 4]", "f32[4, 5]"]],
    ["x0 @ x1", ["f32[2, 1, 3, 4]", "f32[3, 4, 2]"]],
    ["x0 @ x1", ["f32[4]", "f32[4, 5]"]],
    ["x0 @ x1", ["f32[3, 4]", "f32[4]"]],
    ["x0 @ x1", ["f32[4]", "f32[4]"]],
    ["einsum('bij,bkj->bik', x0, x1)", ["f32[2, 3, 4]", "f32[2, 5, 4]"]],
    ["layer_norm(x0, (4,), x1, x2)", ["f32[3, 4]", "f32[4]", "f32[4]"]],
    ["rms_norm(x0, (4,), x1)", ["f32[3, 4]", "f32[4]"]],
    ["F.normalize(x0, dim=-1)", ["f32[3, 4]"]],
    ["scaled_dot_product_attention(x0, x1, x2, is_causal=True)", ["f32[2, 3, 4]", "f32[2, 3, 4]", "f32[2, 3, 4]"]],
    ["conv2d(x0, x1, x2, stride=2, padding=1)", ["f32[2, 2, 5, 4]", "f32[3, 2, 3, 3]", "f32[3]"]],
    ["conv1d(x0, x1, dilation=2)", ["f32[1, 2, 8]", "f32[2, 2, 3]"]],
    ["conv_transpose2d(x0, x1, stride=2)", ["f32[1, 2, 3, 3]", "f32[2, 2, 2, 2]"]],
    ["avg_pool2d(x0, 2)", ["f32[1, 2, 4, 4]"]],
    ["max_pool2d(x0, 2)", ["f32[1, 2, 4, 4]"]],
    ["mse_loss(x0, x1)", ["f32[3, 4]", "f32[3, 4]"]],
    ["cross_entropy(x0, argmax(x0 * 0, dim=-1))", ["f32[3, 4]"]],
    ["silu(x0) * x1", ["f32[3, 4]", "f32[3, 4]"]],
    ["dropout(x0, p=0.5, seed=3)", ["f32[3, 4]"]],
  ] as const)("%s of %s", (body, params) => check(body, params, [0.2, 0.9]));
});

describe("elements elsewhere", () => {
  test.each([
    ["x0.reshape(4, 3)", ["f32[3, 4]"]],
    ["x0.transpose(0, 1)", ["f32[3, 4]"]],
    ["x0.permute(2, 0, 1)", ["f32[2, 3, 4]"]],
    ["x0[1:, ::2]", ["f32[3, 5]"]],
    ["x0[:, ::-1]", ["f32[3, 5]"]],
    ["x0[:, 4:0:-2]", ["f32[3, 5]"]],
    ["x0[None, :, 1]", ["f32[3, 5]"]],
    ["cat([x0, x1], dim=1)", ["f32[3, 2]", "f32[3, 4]"]],
    ["stack([x0, x1, x0 * 2], dim=1)", ["f32[3, 2]", "f32[3, 2]"]],
    ["pad(x0, (1, 2, 0, 1))", ["f32[3, 4]"]],
    ["pad(x0, (1, 2, 0, 1), value=3)", ["f32[3, 4]"]],
    ["pad(x0, (1, 2, 3, 1), mode='replicate')", ["f32[3, 4]"]],
    ["pad(x0, (3, 2, 0, 1), mode='reflect')", ["f32[3, 4]"]],
    ["pad(x0, (3, 2, 0, 1), mode='circular')", ["f32[3, 4]"]],
    ["amax(window(x0, kernel_size=(2,), padding=(1, 1), value=-inf), dim=1)", ["f32[3, 4]"]],
    ["x0.unfold(1, 300, 120)", ["f32[2, 700]"]],
    ["window(x0, kernel_size=(17, 18), stride=(3, 1), dilation=(1, 2), padding=(2, 0))", ["f32[22, 40]"]],
    ["window(x0, kernel_size=(300,), interior=(3,), padding=(7,))", ["f32[120]"]],
    ["window(x0, kernel_size=(3, 2), stride=(2, 3), padding=(1, 0), interior=(1, 2)).sum((0, 1)) * 3", ["f32[6, 7]"]],
    ["fold(x0, (9, 8), (4, 3), dilation=(1, 2), padding=1, stride=2)", ["f32[1, 24, 12]"]],
    ["where(True, x0, x1)", ["f32[3, 4]", "f32[3, 4]"]],
    ["where(False, x0, x1)", ["f32[3, 4]", "f32[3, 4]"]],
    ["x0.expand(3, 4)", ["f32[1, 4]"]],
    ["x0.repeat(2, 3)", ["f32[3, 4]"]],
    ["torch.tile(x0, (2, 1))", ["f32[4]"]],
    ["repeat_interleave(x0, 2, dim=1)", ["f32[3, 4]"]],
    ["torch.flip(x0, (0,))", ["f32[3, 4]"]],
    ["torch.roll(x0, 1, 1)", ["f32[3, 4]"]],
    ["torch.roll(x0, 5)", ["f32[3, 4]"]],
    ["broadcast_in_dim(x0, (4, 2, 3), (2, 0))", ["f32[3, 4]"]],
    ["x0[argmax(x1 * 0, dim=1)]", ["f32[4, 2]", "f32[3, 4]"]],
    ["rearrange(x0, 'a (b c) -> b a c', b=2)", ["f32[3, 4]"]],
    ["tril(x0)", ["f32[3, 3]"]],
  ] as const)("%s of %s", (body, params) => check(body, params, [0.2, 0.9]));
});

test("the gradient of windows does not grow with their taps: sums of them, and many of them", () => {
  const nodes = (call: string): number =>
    parseProgram(`x: f32[1, 1, 4000]\nl = (${call}).square().sum()\nd = torch.autograd.grad(l, x)[0]\nreturn d\n`).graph
      .nodes.size;
  const pools = [3, 30, 300].map((kernel) => nodes(`F.avg_pool1d(x, ${kernel}, 2)`));
  const frames = [260, 600, 1200].map((size) => nodes(`x.unfold(-1, ${size}, 130)`));
  expect(new Set(pools).size).toBe(1);
  expect(Math.max(...frames) - Math.min(...frames)).toBeLessThanOrEqual(2);
});

describe("forms", () => {
  const X = "x: f32[3, 4]\nw: f32[4, 2]\ndef loss(x, w):\n    return sum(tanh(x @ w) ** 2)\n";
  const values = (text: string): Float64Array[] =>
    valuesOf(
      X + text,
      new Map([
        ["x", data(12, 3, [-1, 1])],
        ["w", data(8, 5, [-1, 1])],
      ] as [NodeId, Float64Array][]),
    );
  const [dx, dw] = values("dx, dw = grad(loss, argnums=(0, 1))(x, w)\nreturn dx, dw\n") as [Float64Array, Float64Array];

  test.each([
    ["v, (dx, dw) = value_and_grad(loss, argnums=(0, 1))(x, w)\nreturn dx, dw\n"],
    ["l = loss(x, w)\ndx, dw = torch.autograd.grad(l, (x, w))\nreturn dx, dw\n"],
    ["l = loss(x, w)\nl.backward()\ndx = x.grad\ndw = w.grad\nreturn dx, dw\n"],
    ["g = jax.grad(loss, 1)\ndw = g(x, w)\ndx = jax.grad(loss)(x, w)\nreturn dx, dw\n"],
    ["l, pull = jax.vjp(loss, x, w)\ndx, dw = pull(1.0)\nreturn dx, dw\n"],
  ])("%s", (text) => {
    const [a, b] = values(text);
    a!.forEach((value, i) => expect(value).toBeCloseTo(dx[i]!, 12));
    b!.forEach((value, i) => expect(value).toBeCloseTo(dw[i]!, 12));
  });

  test("gradients of gradients", () => {
    const text = "def h(x, w):\n    return sum(grad(loss)(x, w) ** 2)\nd = grad(h)(x, w)\nreturn d\n";
    expect(values(text)[0]!.every((value) => Number.isFinite(value))).toBe(true);
  });

  test.each([
    ["d = grad(tanh)(x)", /A gradient is taken of one number; this is f32\[3, 4\]/],
    ["d = grad(3)(x)", /grad takes a def; this is the number 3/],
    ["y, pull = vjp(tanh, x)\nd = pull(w)", /takes a cotangent in the shape of each result: f32\[3, 4\]/],
    ["y, d = jvp(tanh, (x,), (w,))", /Tangent 1 is f32\[4, 2\]; its argument is f32\[3, 4\]/],
    ["d = grad(loss, argnums=2)(x, w)", /asked for argument 2; there are 2/],
    ["d = x.grad", /known after `.backward\(\)`/],
    ["d = grad(lambda x: sum(custom_call(x)))(x)", /`custom_call` \(custom_call\) has no derivative here/],
  ])("%s is refused", (text, why) => {
    expect(
      parseProgram(X + text)
        .diagnostics.map((each) => each.text)
        .join("\n"),
    ).toMatch(why);
  });
});

test("gradients asked for one by one, in any order and between two losses, are those of one call for all", () => {
  const types = { x: "f32[3, 4]", w: "f32[4, 4]", v: "f32[4, 4]" };
  const declared = Object.entries(types)
    .map(([name, type]) => `${name}: ${type}\n`)
    .join("");
  const inputs = new Map(
    Object.entries(types).map(([name, type], i) => [name as NodeId, data(sizeIn(type), i + 1, [-1, 1])]),
  );
  const body = "h = tanh(x @ w)\nk = h * sigmoid(h @ v) + h @ w\n";
  const indented = body.replaceAll(/^/gm, "    ").trimEnd();
  const [first, second] = ["sum(k * k)", "sum(k * h)"];
  const whole = (loss: string): string =>
    `${declared}def f(x, w, v):\n${indented}\n    return ${loss}\nd = grad(f, argnums=(0, 1, 2))(x, w, v)\nreturn d\n`;
  const [one, both] = [first, `${first} + ${second}`].map((loss) => valuesOf(whole(loss), inputs));
  const close = (values: readonly Float64Array[], wanted: readonly Float64Array[]): void =>
    values.forEach((value, i) => value.forEach((x, at) => expect(x).toBeCloseTo(wanted[i]![at]!, 10)));
  const asked = (rest: string): Float64Array[] =>
    valuesOf(`${declared}${body}l = ${first}\nl.backward()\n${rest}`, inputs);
  const [dx, dw, dv] = one!;
  close(asked("return x.grad, w.grad, v.grad"), one!);
  close(asked("return v.grad, x.grad, w.grad, x.grad"), [dv!, dx!, dw!, dx!]);
  close(asked("a = h.grad\nreturn w.grad, v.grad"), [dw!, dv!]);
  close(asked(`a = w.grad\nm = ${second}\nm.backward()\nreturn x.grad, w.grad, v.grad`), both!);
});

describe("what is scattered", () => {
  const index = "torch.tensor([2, 0, 2, 5, 2, -7, 3, 0])";
  const rows = "torch.tensor([[2, 0, 1], [2, 0, 2], [0, 0, 1], [1, 2, 1]])";
  test.each(["add", "multiply", "max", "min"])("%s", (reduction) => {
    check(`x0.at[${index}].${reduction}(x1)`, ["f32[6]", "f32[8]"], [0.4, 1.7]);
    check(`x0.at[${index}].${reduction}(x1)`, ["f32[6, 3]", "f32[8, 3]"], [0.4, 1.7]);
    const named = { add: "add", multiply: "mul" }[reduction] ?? reduction;
    check(`scatter_elements(x0, ${rows}, x1, axis=0, reduction="${named}")`, ["f32[4, 3]", "f32[4, 3]"], [-1.2, 1.7]);
    check(`scatter_elements(x0, ${rows}, x1, axis=1, reduction="${named}")`, ["f32[4, 3]", "f32[4, 3]"], [-1.2, 1.7]);
  });

  const pulled = (reduction: string, x: number[], i: number[], v: number[], g: number[]): number[][] => {
    const text = `x: f32[${x.length}]\nv: f32[${v.length}]\ng: f32[${g.length}]
y, pull = vjp(lambda x, v: x.at[torch.tensor([${i.join(", ")}])].${reduction}(v), x, v)
dx, dv = pull(g)
return dx, dv
`;
    const at = Object.entries({ x, v, g }).map(
      ([name, values]) => [name as NodeId, Float64Array.from(values)] as const,
    );
    return valuesOf(text, new Map(at)).map((each) => [...each]);
  };

  test("equal extremes share, and what no update reaches keeps its own", () => {
    const [g, i] = [
      [3, 5, 7, 11],
      [1, 1, 1, 3, 9, 0, 0],
    ];
    const of = (sign: number): number[] => [2, 2, 1, 5, 7, -Infinity, 3].map((value) => value * sign);
    for (const [reduction, sign] of [
      ["max", 1],
      ["min", -1],
    ] as const)
      expect(
        pulled(
          reduction,
          [-9, -9, -9, -9].map((each) => each * sign),
          i,
          of(sign),
          g,
        ),
      ).toEqual([
        [0, 0, 7, 0],
        [2.5, 2.5, 0, 11, 0, 0, 3],
      ]);
  });

  test("what was there before is one of those that are equal, in both modes", () => {
    const i = "[1, 1, 1, 3, 0, 0]";
    for (const [reduction, sign] of [
      ["max", 1],
      ["min", -1],
    ] as const) {
      const text = `x: f32[5]\nv: f32[6]\ng: f32[5]\ns: f32[5]\nt: f32[6]
f = lambda x, v: x.at[torch.tensor(${i})].${reduction}(v)
y, pull = vjp(f, x, v)
dx, dv = pull(g)
z, dz = jvp(f, (x, v), (s, t))
return dx, dv, dz
`;
      const given = {
        x: [1, 2, 6, 5, 4].map((each) => each * sign),
        v: [2, 2, 1, 5, 3, 3].map((each) => each * sign),
        g: [3, 6, 7, 8, 9],
        s: [1, 2, 3, 4, 5],
        t: [6, 7, 8, 9, 10, 20],
      };
      const at = Object.entries(given).map(([name, all]) => [name as NodeId, Float64Array.from(all)] as const);
      // As `torch.scatter_reduce(…, "amax")` answers.
      const wanted = [
        [0, 2, 7, 4, 9],
        [2, 2, 0, 4, 1.5, 1.5],
        [15, 5, 3, 6.5, 5],
      ];
      const found = valuesOf(text, new Map(at));
      for (const [k, all] of wanted.entries())
        for (const [n, value] of all.entries()) expect(found[k]![n]).toBeCloseTo(value, 12);
    }
  });

  test("a product changes with a zero by all others, and with another factor not at all where one is 0", () => {
    expect(pulled("multiply", [2, 3, 1, 4], [0, 0, 0, 1, 1, 1, 2, 9], [0, 3, 2, 0, 0, 4, 5, 8], [1, 10, 7, 1])).toEqual(
      [
        [0, 0, 35, 1],
        [12, 0, 0, 0, 0, 0, 7, 0],
      ],
    );
  });
});

test("every op with a smooth result has a derivative, or is known to have none", () => {
  const without = allOps.filter(({ kind, derivative }) => kind !== "source" && !derivative).map(({ name }) => name);
  // A loop's derivative is a loop that carries changes too, or goes back: test/laws/loops.test.ts, row-loops.test.ts.
  // Folds of ranges are made of scatters, and folds of logarithms of scans in chunks, once every derivative is taken.
  expect(without.sort()).toEqual(["custom_call", "fold_ranges", "logaddexp_reduce", "map_loop", "row_loop"]);
});
