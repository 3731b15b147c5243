import { expect, test } from "./fixtures";

test("what the backward pass saves: by policy, value by value, and as disks at the ports", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("what the backward pass keeps: by policy, value by value, as one graph, each one undo step", async () => {
    await play.command("Both passes, fused or apart");
    const kernels = play.region("Score").getByRole("img", { name: /^Kernels:/ });
    await expect(kernels).toHaveAccessibleName(/end 1$/);
    await play.leaveFields();
    await page.keyboard.press("4");
    const panel = play.region("Kernels").getByRole("tabpanel");
    await panel.getByText("What the backward pass saves").click();
    await expect(panel).toContainText("Differentiation turns 3 ops into 6; fusion turns 6 kernels into 1.");
    await expect(panel.getByRole("radio", { name: "one graph" })).toBeChecked();
    await expect(panel.getByRole("row", { name: /all values it reads/ })).toContainText("32 MiB");

    // Stored: two kernels, and a step that says why.
    await panel.getByRole("radio", { name: "all values it reads" }).check();
    await expect(kernels).toHaveAccessibleName(/end 2$/);
    await play.leaveFields();
    await page.keyboard.press("3");
    await expect(panel).toContainText("its 16 MiB are saved until then");

    // One value is recomputed.
    await page.keyboard.press("4");
    const a = panel.getByRole("combobox", { name: "Choice for a" });
    await a.selectOption("recompute");
    await expect(a).toHaveValue("recompute");
    await page.keyboard.press("3");
    await play.leaveFields();
    await page.keyboard.press("3");
    await expect(panel).toContainText(/is recomputed in the backward pass|The backward pass recomputes (a|exp)/);

    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(kernels).toHaveAccessibleName(/end 1$/);
  });
  await test.step("a disk at the port says what becomes of a value until the backward pass, and the legend says it in words", async () => {
    await play.command("ReLU keeps one bit");
    const legend = play.region("Graph").getByRole("definition");
    await expect(play.node(/^sum .*, saved as one bit per element$/)).toBeVisible();
    await expect(legend.filter({ hasText: "saved as one bit per element" })).toBeVisible();

    await play.region("Measured").getByRole("button", { name: "the tensor" }).click();
    await expect(play.node(/^relu h.*, saved for the backward pass$/)).toBeVisible();
    await expect(legend.filter({ hasText: "one bit" })).toHaveCount(0);

    await play.region("Measured").getByRole("button", { name: "recomputed" }).click();
    await expect(play.node(/^relu h.*, recomputed in the backward pass$/)).toBeVisible();
    // Before the pass has come by, everything that is read later is saved.
    await play.leaveFields();
    await page.keyboard.press("Home");
    await expect(play.node(/^relu h.*, saved for the backward pass$/)).toBeVisible();
  });
});
