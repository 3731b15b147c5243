import { expect, test } from "./fixtures";

test("a loop is one kernel whose registers carry its values; both plans run and agree", async ({ page, play }) => {
  await play.open("./?example=mandelbrot");
  await page.getByRole("radio", { name: "S", exact: true }).click();
  await play.openMeasured();
  const transfers = play.region("Measured").getByRole("img", { name: /^fused: / });
  await expect(transfers).toHaveAccessibleName("fused: 2 read, 1 written");
  await play.node(/^count count/).click();
  await page.getByRole("tab", { name: /^Loops/ }).click();
  await expect(play.region("Kernels")).toContainText("for iteration in 20:");
  await expect(play.region("Kernels")).toContainText("in registers");
  await page.getByRole("tab", { name: /^WGSL/ }).click();
  await expect(play.region("Kernels")).toContainText("iteration < 20u");
  await play.run.click();
  await expect(play.region("Measured")).toContainText(/kernels agree with f64 at [\d,]+ points/, { timeout: 100_000 });
});
