import { expect, test } from "./fixtures";

test("what if: a pass or a level less, a more expensive launch, another line for matmuls", async ({ play, page }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("a pass less and a level less are asked by choosing them", async () => {
    await play.command("Ask what if");
    const panel = play.region("Kernels").getByRole("tabpanel");
    await panel.getByRole("combobox", { name: "What if I change" }).selectOption("a pass");
    await panel
      .getByRole("combobox", { name: "New value" })
      .selectOption({ label: "Merge producers into consumers: switch off" });
    await expect(panel).toContainText("What if “Merge producers into consumers” is switched off?");
    await expect(panel).toContainText("no longer come up");
    await panel.getByRole("combobox", { name: "What if I change" }).selectOption("the level");
    await panel.getByRole("combobox", { name: "New value" }).selectOption({ index: 1 });
    await expect(panel.getByRole("row", { name: /^Kernels/ })).toHaveText(/1\s*3$/);
    await panel.getByRole("button", { name: "As taken" }).click();
    await expect(panel.getByRole("searchbox", { name: "Search decisions" })).toBeVisible();
  });
  await test.step("a more expensive launch: both totals, the decision that flips, a click to it, and kept as one undo step", async () => {
    await play.command("Column-wise access");
    const kernels = play.region("Score").getByRole("img", { name: /^Kernels:/ });
    await expect(kernels).toHaveAccessibleName(/end 2$/);
    await play.command("Ask what if");
    const panel = play.region("Kernels").getByRole("tabpanel");
    await panel.getByRole("combobox", { name: "Constant" }).selectOption("Launch");
    const value = panel.getByRole("textbox", { name: "Launch, µs" });
    await value.fill("-1");
    await expect(panel).toContainText("Needs a number from 0 to 100,000 µs.");
    await expect(panel.getByRole("button", { name: "Ask" })).toBeDisabled();
    await value.fill("100");
    await value.press("Enter");
    await expect(panel).toContainText("What if launch is 100 µs?");
    await expect(panel.getByRole("row", { name: /^Kernels/ })).toHaveText(/2\s*1$/);
    await expect(kernels).toHaveAccessibleName(/end 2$/);
    const flipped = panel.getByRole("listitem").filter({ hasText: "Refused" }).filter({ hasText: "Accepted" }).first();
    await expect(panel).toContainText(/\d+ decisions? flips?/);
    await flipped.getByRole("button", { name: "→" }).click();
    await expect(play.card).toContainText("Not worth it");
    await panel.getByRole("button", { name: "Keep this" }).click();
    await expect(kernels).toHaveAccessibleName(/end 1$/);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(kernels).toHaveAccessibleName(/end 2$/);
  });
  await test.step("the line above which products stay alone: asked by a slider, kept, and drawn in the options", async () => {
    await play.type("x: f32[1024, 1024]\nw: f32[1024, 1024]\ny = relu(x @ w)\n");
    const kernels = play.region("Score").getByRole("img", { name: /^Kernels:/ });
    await expect(kernels).toHaveAccessibleName(/end 1$/);
    await play.command("Ask what if");
    const panel = play.region("Kernels").getByRole("tabpanel");
    await panel.getByRole("combobox", { name: "What if I change" }).selectOption("the limit for separate matmuls");
    await expect(panel).toContainText(/The ridge of .+ is 50\./);
    await panel.getByRole("slider", { name: "Line for matmuls, FLOP per byte" }).press("Home");
    await expect(panel).toContainText("What if matmuls stay separate above 0.25 FLOP per byte?");
    await expect(panel.getByRole("row", { name: /^Kernels/ })).toHaveText(/1\s*2$/);
    await expect(panel).toContainText("C_LIBRARY");
    await panel.getByRole("button", { name: "Keep this" }).click();
    await expect(kernels).toHaveAccessibleName(/end 2$/);
    await page.getByRole("banner").getByRole("button", { name: "Options" }).click();
    const options = page.getByRole("dialog", { name: /options/i });
    await expect(options).toContainText("The line: 0.25 FLOP per byte");
    await options.getByRole("slider", { name: "Line for matmuls, FLOP per byte" }).press("End");
    await expect(kernels).toHaveAccessibleName(/end 1$/);
    await options.getByRole("button", { name: "At the ridge, 50" }).click();
    await expect(kernels).toHaveAccessibleName(/end 2$/);
  });
});
