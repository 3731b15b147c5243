import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hexOf, themeFrom } from "./theme";

/** Tokens of one theme: what `:root` says, then what the theme's own block says; the media queries come after them. */
function tokensOf(theme: "light" | "dark"): ReadonlyMap<string, string> {
  const css = readFileSync("src/tokens.css", "utf8").split("@media")[0]!;
  const found = new Map<string, string>();
  for (const [, selector = "", body = ""] of css.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    if (!(/:root/.test(selector) || selector.includes(`"${theme}"`))) continue;
    for (const [, name = "", value = ""] of body.matchAll(/--([\w-]+):\s*([^;]+);/g)) found.set(name, value);
  }
  return found;
}

const channel = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => channel(Number.parseInt(hex.slice(at, at + 2), 16) / 255));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}
function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (high! + 0.05) / (low! + 0.05);
}

for (const name of ["light", "dark"] as const) {
  const tokens = tokensOf(name);
  const theme = themeFrom((token) => tokens.get(token) ?? "", name === "dark");

  test(`${name}: every colour comes from a token that exists`, () => {
    for (const [key, value] of Object.entries(theme.colors))
      expect([key, value]).toEqual([key, expect.stringMatching(/^#[0-9a-f]{6}$/)]);
    for (const { token, foreground } of theme.rules)
      expect([token, foreground]).toEqual([token, expect.stringMatching(/^[0-9a-f]{6}$/)]);
  });

  test(`${name}: code reads at 4.5 to 1 on the page, on the current line and in the diff`, () => {
    const grounds = [
      "editor.background",
      "editor.lineHighlightBackground",
      "diffEditor.insertedTextBackground",
      "diffEditor.removedTextBackground",
    ];
    for (const { token, foreground } of theme.rules) {
      for (const ground of grounds) {
        expect([token, ground, contrast(`#${foreground}`, theme.colors[ground]!) >= 4.5]).toEqual([
          token,
          ground,
          true,
        ]);
      }
    }
  });

  test(`${name}: hints and line numbers are readable too`, () => {
    const pairs = [
      ["editorInlayHint.foreground", "editorInlayHint.background"],
      ["editorLineNumber.foreground", "editor.background"],
      ["editorSuggestWidget.foreground", "editorSuggestWidget.selectedBackground"],
      ["editorSuggestWidget.highlightForeground", "editorSuggestWidget.background"],
    ] as const;
    for (const [text, ground] of pairs)
      expect([text, contrast(theme.colors[text]!, theme.colors[ground]!) >= 4.5]).toEqual([text, true]);
  });
}

test("short hex colours are written in full, since Monaco takes no others", () => {
  expect(hexOf(" #FFF ")).toBe("#ffffff");
  expect(hexOf("#5A35E0")).toBe("#5a35e0");
});
