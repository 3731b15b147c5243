import { expect, test } from "./fixtures";

test("what stands beside the traffic without a run: rooflines, narrower storage, weights folded into others", async ({
  page,
  play,
}) => {
  await play.open("./?example=log-relu");
  await expect(play.steps).toBeVisible();
  await test.step("rooflines of datasheets stand beside the traffic without a run, with ridge points and the program's place", async () => {
    await page.getByRole("tab", { name: "Traffic" }).click();
    const panel = play.region("Kernels").getByRole("tabpanel");
    await panel.getByText("Rooflines", { exact: true }).click();
    const machine = (name: string) => panel.getByRole("row", { name: new RegExp(`^${name} `) });
    await expect(machine("a100")).toContainText("9.75");
    await expect(machine("h100")).toContainText("20");
    await machine("a100").getByRole("button", { name: "a100" }).click();
    await expect(panel).toContainText("19.5 TFLOP/s in f32 over 2 TB/s is 9.75 FLOP per byte");
    await expect(panel).toContainText("Its matrix units reach 312 TFLOP/s in f16, with a ridge at 156; WGSL has none.");
    await expect(panel).toContainText(/memory is the limit, at [\d.]+ % of what a100 can compute/);
  });
  await test.step("the same plan is counted in narrower storage, and the device says what it offers", async () => {
    await expect(play.steps).toBeVisible();
    await page.getByRole("tab", { name: "Traffic" }).click();
    const panel = play.region("Kernels").getByRole("tabpanel");
    await panel.getByText("Stored in fewer bits", { exact: true }).click();
    await expect(panel.getByRole("row", { name: /^bf16/ })).toContainText("the range of f32");
    await panel.getByText("This device", { exact: true }).click();
    await expect(panel.getByRole("row", { name: /^Workgroup memory/ })).toContainText("KiB");
    await expect(panel.getByRole("row", { name: /^Subgroups/ })).toContainText(/yes|no/);
  });
  await test.step("a folded convolution shows its weights before and after, also beside the note", async () => {
    await play.example("Conv + BatchNorm + ReLU");
    await expect(play.steps).toBeVisible();
    await page.getByRole("tab", { name: "Traffic" }).click();
    const panel = play.region("Kernels").getByRole("tabpanel");
    await panel.getByText("Weights before and after folding", { exact: true }).click();
    const rows = panel.getByRole("table").filter({ hasText: "w_folded" });
    await expect(rows.getByRole("row", { name: /^before/ })).toBeVisible();
    await expect(rows.getByRole("row", { name: /^largest difference/ })).toContainText("by rounding to f32");
    await play.command("σ of a BatchNorm");
    await expect(
      page
        .getByRole("dialog")
        .getByRole("row", { name: /^after/ })
        .first(),
    ).toBeVisible();
  });
});

test("a decision is changed on its card: what would make it fuse is tried, a boundary gets a reason", async ({
  page,
  play,
}) => {
  await play.open("./?example=strict");
  await expect(play.steps).toBeVisible();
  await test.step("what would make it fuse can be tried at once, and undone", async () => {
    await play.leaveFields();
    await page.keyboard.press("Home");
    await page.keyboard.press("j");
    await expect(play.card).toContainText("Why not rewritten?");
    await play.card.getByRole("button", { name: "Try it" }).click();
    await expect(play.card).toContainText("Why rewritten?");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(play.card).not.toContainText("Why rewritten?");
    await page.keyboard.press("Home");
    await page.keyboard.press("j");
    await expect(play.card).toContainText("Why not rewritten?");
  });
  await test.step("a boundary takes a reason, which the decision says and a link carries", async () => {
    await play.example("log(relu(x + b))");
    await expect(play.steps).toBeVisible();
    await play.leaveFields();
    await page.keyboard.press("Home");
    await page.keyboard.press("j");
    await play.card.getByRole("button", { name: /^Forbid/ }).click();
    await play.card
      .getByRole("combobox", { name: "Why keep it in memory?" })
      .selectOption("The backward pass needs it");
    await expect(play.card).toContainText("goes through memory: the backward pass needs it.");
    const link = await play.share();
    await page.goto("about:blank");
    await page.goto(link);
    await expect(play.card.or(play.steps).first()).toBeVisible();
    await play.leaveFields();
    await page.keyboard.press("Home");
    await page.keyboard.press("j");
    await expect(play.card).toContainText("the backward pass needs it.");
  });
});
