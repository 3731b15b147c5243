import { expect, test } from "./fixtures";

const port = (baseURL: string): string => new URL(baseURL).port;

test("over plain http the page says so, and everything but Run works", async ({ page, play, watch, baseURL }) => {
  watch.expected.push(/Cross-Origin-Opener-Policy header has been ignored/);
  await play.open(`http://playground.test:${port(baseURL!)}/`);
  await expect(play.steps).toBeVisible();
  await play.run.click();
  await expect(page.getByText(/plain http/).first()).toBeVisible();
  await expect(page.getByText(/reference/i).first()).toBeVisible();
});

test("without navigator.gpu the page says which browser to use, and the reference still gives results", async ({
  page,
  play,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined });
  });
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.run.click();
  await expect(page.getByText(/no WebGPU|has no WebGPU/i).first()).toBeVisible();
});

test("without an adapter the page says what to do", async ({ page, play }) => {
  await page.addInitScript(() => {
    Object.defineProperty(GPU.prototype, "requestAdapter", { value: () => Promise.resolve(null), configurable: true });
  });
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.run.click();
  await expect(page.getByText(/found no GPU it may use/).first()).toBeVisible();
});
