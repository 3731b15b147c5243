import { expect, test } from "./fixtures";

test.use({ serviceWorkers: "allow" });

test("after one visit the page opens without a network", async ({ page, play, context }) => {
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
  await context.setOffline(false);
});
