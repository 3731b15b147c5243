import { expect, test } from "./fixtures";

const inside = (box: { x: number; y: number; width: number; height: number } | null, width: number, height: number) =>
  box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 1 && box.y + box.height <= height + 1;

test("the first visit shows a worked example, already fused, without scrolling", async ({ page, play }) => {
  await play.open();
  const shown = [
    page.getByRole("region", { name: "Program", exact: true }),
    page.getByRole("region", { name: "Measured", exact: true }),
    page.getByRole("region", { name: "Score", exact: true }),
    page.getByRole("region", { name: "Graph", exact: true }),
    page.getByRole("region", { name: "Steps", exact: true }),
    page.getByRole("region", { name: "Kernels", exact: true }),
    page.getByRole("button", { name: "Run both" }),
  ];
  for (const part of shown) {
    await expect(part).toBeVisible();
    expect(inside(await part.boundingBox(), 1440, 900)).toBe(true);
  }
  await expect(page.getByRole("region", { name: "Score", exact: true })).toContainText("7");
  await expect(page.getByRole("region", { name: "Score", exact: true })).toContainText("3");
  await expect(page.getByRole("radio", { name: "M", exact: true })).toBeChecked();
  await expect(page.getByText(/peak \d/)).toBeVisible();
});

for (const [width, height] of [
  [1440, 900],
  [1024, 768],
  [390, 844],
] as const) {
  test(`nothing is wider than the page at ${width} × ${height}`, async ({ page, play }, info) => {
    await page.setViewportSize({ width, height });
    await play.open();
    await expect(page.getByText(/^Step \d+ of \d+/).first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await info.attach(`screen-${width}`, { body: await page.screenshot(), contentType: "image/png" });
  });
}

test("the narrow arrangement has four panes, one at a time", async ({ page, play }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await play.open();
  const panes = page.getByRole("navigation", { name: "Panes" });
  for (const [name, region] of [
    ["Text", "Program"],
    ["Kernels", "Kernels"],
    ["Run", "Measured"],
    ["Graph", "Graph"],
  ] as const) {
    await panes.getByRole("button", { name }).click();
    await expect(page.getByRole("region", { name: region, exact: true })).toBeVisible();
  }
});

test("the theme follows the choice and survives a reload", async ({ page, play }) => {
  await play.open();
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await page.getByRole("button", { name: /Switch to the .* theme/ }).click();
  const after = await theme();
  expect(after).not.toBe(before);
  await page.reload();
  await expect.poll(theme).toBe(after);
});

test("the size choice rewrites the program and is one undo step", async ({ page, play }) => {
  await play.open();
  await page.getByRole("radio", { name: "S", exact: true }).check({ force: true });
  await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("N = 512");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("N = 2048");
});
