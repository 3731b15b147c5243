import { expect, test } from "./fixtures";

// What is asserted here is that the work gets done; how long it took is printed, since a busy machine takes longer.

/** Notes, in ms since the address was asked for, when the plan and its picture stood and when the editor did. */
const noteTimes = (): void => {
  const times: Record<string, number> = {};
  Object.assign(window, { times });
  const note = (name: string, stands: boolean): void => {
    if (stands) times[name] ??= Math.round(performance.now());
  };
  new MutationObserver(() => {
    const planned = /Step \d+ of \d+/.test(document.body?.textContent ?? "");
    note("drawn", planned && document.querySelector(".react-flow__node") !== null);
    note("editor", document.querySelector('[aria-label="Program"] .monaco-editor .view-line') !== null);
  }).observe(document, { childList: true, subtree: true, characterData: true });
};

test("the page can be used soon after it is opened", async ({ page, play }) => {
  await page.addInitScript(noteTimes);
  await play.open();
  await expect(play.steps).toBeVisible();
  await expect(play.node(/^log y/)).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Find or do" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(play.editor).toBeVisible();
  const { paint, drawn, editor } = await page.evaluate(() => ({
    paint: Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN),
    ...(window as unknown as { times: { drawn: number; editor: number } }).times,
  }));
  console.log(`first paint ${paint} ms, example planned and drawn by ${drawn} ms, editor by ${editor} ms`);
});

test("what is typed before the editor has loaded is in it, and typing goes on", async ({ page, play }) => {
  await play.open();
  await page.getByRole("textbox", { name: "Program text" }).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\nz = exp(y) * sigmoid(y) + 0.25", { delay: 40 });
  await expect(play.editor).toBeVisible();
  await page.keyboard.type(" + relu(y)");
  await expect.poll(() => play.text()).toContain("z = exp(y) * sigmoid(y) + 0.25 + relu(y)");
  await expect(play.node(/^sigmoid z/)).toBeAttached();
});

test("typing into a program of 300 ops keeps up, and the plan follows", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  const unary = ["relu", "exp", "tanh", "sigmoid", "neg"];
  const lines = Array.from({ length: 300 }, (_, i) => `v${i} = ${unary[i % 5]}(${i === 0 ? "x" : `v${i - 1}`})`);
  await play.paste(["x: f32[64, 64]", ...lines].join("\n"));
  const kernels = play.region("Score").getByRole("img", { name: /^Kernels: naive 300,/ });
  await expect(kernels).toBeVisible();
  await page.evaluate(() => {
    const longest = { millis: 0 };
    Object.assign(window, { longest });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest.millis = Math.max(longest.millis, duration);
    }).observe({ type: "longtask" });
  });
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\ny = abs(v299)", { delay: 60 });
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 301,/ })).toBeVisible();
  const longest = await page.evaluate(() => (window as unknown as { longest: { millis: number } }).longest.millis);
  console.log(`longest task of the page while typing: ${Math.round(longest)} ms`);
});
