import { expect, test } from "vitest";
import { boxesOf } from "./place";
import { pictureOf } from "./picture";
import { compile, defaultOptions, fusionAt, savedBuffers, showBytes } from "../fusion";
import { placedBy, stillOf, svgOf } from "./still";
import { layoutOf } from "./test-layout";
import { LOG_RELU, SOFTMAX, compiled, sceneAt } from "./test-scenes";

/** Elements that begin and do not end, or end without having begun. */
function balance(svg: string): string[] {
  const open: string[] = [];
  for (const [, close, name, self] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (close && open.at(-1) === name) open.pop();
    else if (close || !self) open.push(name!);
  }
  return open;
}

const drawn = (text: string, cursor?: number, title = "a graph"): string => {
  const scene = sceneAt(text, cursor);
  const boxes = boxesOf(scene, { layout: layoutOf(compiled(text)), moved: {} });
  return svgOf(pictureOf(scene, boxes, new Map()), title, (token) => `[${token}]`);
};

const words = (svg: string): string[] => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, word]) => word!);

test("the fused graph: one hull with its tag, values that stay in registers, bytes where they reach memory", () => {
  const svg = drawn(LOG_RELU);
  expect(balance(svg)).toEqual([]);
  expect(words(svg)).toEqual(expect.arrayContaining(["x", "b", "y", "add", "relu", "log", "K1 add relu log"]));
  expect(words(svg).filter((word) => word === "register")).toHaveLength(2);
  expect(svg.match(/fill="\[k1-hull\]"/g)).toHaveLength(1);
  expect(words(svg)).toContain("256 KiB");
});

test("a long shape stands alone: beside it there is no room for where its value is", () => {
  const text = "x: f32[4, 3, 512, 512]\ny = avg_pool2d(x, 9, 1, 4)\n";
  const shown = words(drawn(text));
  const [long] = shown.filter((word) => word.startsWith("4×3×9×1×512"));
  expect(long).toBe("4×3×9×1×512×512");
  expect(shown).not.toContain("register");
});

test("as written every op is a kernel of its own, and nothing is lost", () => {
  const svg = drawn(LOG_RELU, 0);
  expect(balance(svg)).toEqual([]);
  expect(words(svg)).toEqual(expect.arrayContaining(["K1", "K2", "K3"]));
  expect(words(svg)).not.toContain("register");
  expect(words(drawn(SOFTMAX, 0)).length).toBeGreaterThan(12);
});

test("what a name holds that XML reads is written out", () => {
  expect(drawn(LOG_RELU, 0, 'a < b & "c"')).toContain("<title>a &lt; b &amp; &quot;c&quot;</title>");
});

const payloads = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "<svg onload=alert(1)>",
  "javascript:alert(1)",
  "</text><foreignObject><iframe srcdoc=x></iframe></foreignObject>",
  "</title><a href='javascript:alert(1)'>x</a>",
  "]]><script>alert(1)</script>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "' onmouseover='alert(1)",
  "<!--><style>@import '//evil'</style>-->",
];

test.each(payloads)("a title and every word in a drawing stay text: %s", (payload) => {
  const scene = sceneAt(LOG_RELU);
  const boxes = boxesOf(scene, { layout: layoutOf(compiled(LOG_RELU)), moved: {} });
  const plain = pictureOf(scene, boxes, new Map());
  /** The same picture with every text that is drawn replaced; what says how to draw stays. */
  const hostile = (value: unknown, key = ""): unknown => {
    if (typeof value === "string")
      return /^(text|label|name|title|words|detail|bytes|shape)$/.test(key) ? payload : value;
    if (Array.isArray(value)) return value.map((each) => hostile(each, key));
    if (value === null || typeof value !== "object" || value instanceof Map || value instanceof Set) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hostile(each, name)]));
  };
  const tags = (svg: string) => new Set([...svg.matchAll(/<\/?([a-zA-Z!]+)/g)].map(([, name]) => name));
  const usual = svgOf(plain, "a graph", (token) => `[${token}]`);
  const svg = svgOf(hostile(plain) as typeof plain, payload, (token) => `[${token}]`);
  expect(svg).not.toBe(usual);
  expect(balance(svg)).toEqual([]);
  for (const tag of tags(svg)) expect(tags(usual)).toContain(tag);
  // No attribute ends early: outside of texts there is no payload.
  const markup = [...svg.matchAll(/<[^>]*>/g)].join("");
  expect(markup).not.toMatch(/\son\w+=|javascript:|srcdoc|@import/);
});

test("each result is called by the name that the text gives it", () => {
  const text =
    "x: f32[8, 4]\nw: f32[4, 4] = param()\nvalue, (gx, gw) = value_and_grad(lambda x, w: sum(exp(x @ w)), argnums=(0, 1))(x, w)\ny, ty = jvp(exp, (x,), (x,))\nreturn value, gx, gw, y, ty\n";
  const compilation = compile(text, defaultOptions);
  for (const cursor of [0, compilation.steps.length]) {
    const { scene } = stillOf({
      compilation,
      cursor,
      plan: null,
      layout: placedBy(compilation),
      moved: {},
      folds: false,
    });
    expect(scene.nodes.filter(({ kind }) => kind === "output").map(({ title }) => title)).toEqual([
      "value",
      "gx",
      "gw",
      "y",
      "ty",
    ]);
  }
});

test("over the graph stands what the plan saves, also where kernels are folded or compute of both passes", () => {
  const layers =
    "x: f32[512, 64]\ndef f(t):\n    for i in range(8):\n        t = sin(t) * t\n    return t.sum()\nloss, g = value_and_grad(f)(x)\nreturn loss, g\n";
  const head =
    "h: f32[64, 32]\nw: f32[512, 32]\nt: i32[64] = uniform(0, 512)\nloss, g = value_and_grad(lambda h: F.cross_entropy(h @ w.T, t))(h)\nreturn loss, g\n";
  const segments = { savedValues: { apart: true, policy: "segments", choices: {} } } as const;
  let told = 0;
  for (const compilation of [compile(layers, { ...defaultOptions, ...segments }), compile(head, defaultOptions)])
    for (const folds of [false, true])
      for (const cursor of [0, compilation.steps.length]) {
        const layout = placedBy(compilation);
        const { headings } = stillOf({ compilation, cursor, plan: null, layout, moved: {}, folds });
        const saved = savedBuffers(fusionAt(compilation, cursor)).reduce((sum, { bytes }) => sum + bytes, 0);
        const words = headings.flatMap(({ text }) => (text.endsWith(" saved") ? [text] : []));
        told += words.length;
        for (const each of words) expect(each).toBe(`${showBytes(saved)} saved`);
      }
  expect(told).toBeGreaterThan(4);
});
