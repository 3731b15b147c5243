import { expect, test } from "./fixtures";

test.use({ serviceWorkers: "allow" });

test("after one visit the page works without a network, with all that comes late", async ({ page, play, context }) => {
  await play.open();
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await expect
    .poll(() => page.evaluate(async () => (await caches.keys()).length), { timeout: 30_000 })
    .toBeGreaterThan(0);
  await page.reload();
  await context.setOffline(true);
  await page.reload();
  await expect(play.steps).toBeVisible();
  // A workshop without a network: what comes late comes from the copy too.
  await play.command("Softmax");
  await expect(page.getByRole("button", { name: "Example: Softmax" })).toBeVisible();
  for (const dialog of ["Planning options", "Share", "All keys", "Notes"]) {
    await play.command(dialog === "Notes" ? "Notes and glossary" : dialog);
    await expect(page.getByRole("dialog", { name: dialog })).toBeVisible();
    await page.keyboard.press("Escape");
  }
  await play.command("Add tanh");
  await expect.poll(() => play.text()).toContain("tanh(...)");
  for (const tab of ["Loops", "Decisions", "Traffic", "Memory"]) {
    await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
    await expect(page.getByRole("tabpanel")).not.toBeEmpty();
  }
  await page.getByRole("button", { name: "Undo" }).click();
  await play.command("Presenter view");
  await expect(page.getByRole("main", { name: "Presenter view" })).toBeVisible();
  await page.keyboard.press("Escape");
  // A lesson and a puzzle that nobody opened before.
  await page.goto("./#lesson=normalise/2");
  await page.reload();
  const card = page.getByRole("region", { name: "Predict first" });
  await card.getByRole("textbox").fill("1");
  await card.getByRole("button", { name: "Lock in 1 kernel" }).click();
  await expect(page.getByRole("region", { name: "Predict first" })).toContainText("Right: 1 kernel");
  await page.goto("./#lesson=all-pairs");
  await expect(page.getByRole("region", { name: "Your turn" })).toContainText(/Not yet: [\d.,]+ µs predicted\./);
  await context.setOffline(false);
});
