/** @file The colours, computed: contrast of text and lines, and how far apart the kernels are for four kinds of eyes. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("../src/tokens.css", import.meta.url), "utf8");

/** Custom properties of the theme's block that are plain colours. */
function tokens(theme: "light" | "dark"): Map<string, string> {
  const start = css.indexOf(`[data-theme="${theme}"] {`);
  const block = css.slice(start, css.indexOf("}", start));
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((found) => [found[1]!, found[2]!]));
}

type Rgb = readonly [number, number, number];
const linear = (hex: string): Rgb => {
  const channel = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
};
const times = (m: readonly Rgb[], [r, g, b]: Rgb): Rgb => {
  const row = (i: number): number => m[i]![0] * r + m[i]![1] * g + m[i]![2] * b;
  return [row(0), row(1), row(2)];
};

/** WCAG 2 contrast ratio. */
function contrast(a: string, b: string): number {
  const luminance = (hex: string): number => {
    const [r, g, bl] = linear(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  };
  const [low, high] = [luminance(a), luminance(b)].toSorted((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** OKLab of linear sRGB (Ottosson). */
function oklab(rgb: Rgb): Rgb {
  const lms = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [Math.cbrt(lms[0]), Math.cbrt(lms[1]), Math.cbrt(lms[2])],
  );
}

/** Full dichromacy, on linear sRGB (Machado, Oliveira and Fernandes 2009, severity 1). */
const eyes: Readonly<Record<string, readonly Rgb[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const kernels = [1, 2, 3, 4, 5, 6].map((i) => `k${i}`);
const grounds = ["bg", "canvas", "surface", "sunken"];
const text: [string, string][] = [
  ...["ink", "ink-2", "ink-3", "accent"].flatMap((ink) => grounds.map((ground): [string, string] => [ink, ground])),
  ...["yes", "no", "warn"].flatMap((tone): [string, string][] => [
    [tone, `${tone}-tint`],
    [tone, "surface"],
    [tone, "canvas"],
    ["ink", `${tone}-tint`],
  ]),
  ["accent", "accent-tint"],
  ["ink", "accent-tint"],
  ["on-accent", "accent"],
  ["on-action", "action"],
  ...["key", "num", "fn", "com", "type"].flatMap((kind): [string, string][] => [
    [`syn-${kind}`, "surface"],
    [`syn-${kind}`, "sunken"],
    ...kernels.map((kernel): [string, string] => [`syn-${kind}`, `${kernel}-code`]),
  ]),
  ...kernels.flatMap((kernel): [string, string][] => [
    [kernel, `${kernel}-hull`],
    [kernel, "surface"],
    [kernel, "canvas"],
    ["ink", `${kernel}-hull`],
    ["ink-2", `${kernel}-hull`],
    ["ink", `${kernel}-code`],
  ]),
];
const lines: [string, string][] = [
  ...["line-strong", "accent", "no"].flatMap((line) => grounds.map((ground): [string, string] => [line, ground])),
  ["pipe", "canvas"],
  ...kernels.flatMap((kernel): [string, string][] => [
    [kernel, `${kernel}-hull`],
    [kernel, "canvas"],
  ]),
];

for (const theme of ["light", "dark"] as const) {
  const colours = tokens(theme);
  const colour = (name: string): string => {
    const found = colours.get(name);
    if (!found) throw new Error(`no --${name} in the ${theme} theme`);
    return found;
  };
  const worst = (pairs: readonly [string, string][]): { ratio: number; pair: string } =>
    pairs
      .map(([front, ground]) => ({ ratio: contrast(colour(front), colour(ground)), pair: `${front} on ${ground}` }))
      .reduce((a, b) => (a.ratio <= b.ratio ? a : b));

  test(`${theme}: text is at least 4.5 : 1 and lines that mean something at least 3 : 1`, () => {
    const least = { text: worst(text), line: worst(lines) };
    expect(least.text.ratio, `${least.text.pair} is ${least.text.ratio}`).toBeGreaterThanOrEqual(4.5);
    expect(least.line.ratio, `${least.line.pair} is ${least.line.ratio}`).toBeGreaterThanOrEqual(3);
  });

  test(`${theme}: two kernels never look alike, whatever the eyes`, () => {
    for (const [eye, matrix] of Object.entries(eyes)) {
      for (const [i, a] of kernels.entries()) {
        for (const b of kernels.slice(i + 1)) {
          const [p, q] = [a, b].map((name) => oklab(times(matrix, linear(colour(name))))) as [Rgb, Rgb];
          const distance = 100 * Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
          expect(distance, `${a} and ${b}, ${eye}`).toBeGreaterThanOrEqual(5);
        }
      }
    }
  });
}

test("both themes name the same colours", () => {
  expect([...tokens("dark").keys()]).toEqual([...tokens("light").keys()]);
});
