import { expect, test } from "vitest";
import { boxesOf } from "./place";
import { pictureOf } from "./picture";
import { svgOf } from "./svg";
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
