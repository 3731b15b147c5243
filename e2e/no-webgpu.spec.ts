import { expect, test, type Playground } from "./fixtures";

const port = (baseURL: string): string => new URL(baseURL).port;

/** What works without a GPU: the graph, the counts, the code, stepping, and the reference's results. */
async function restWorks(play: Playground): Promise<void> {
  const { page } = play;
  await expect(play.node(/^tanh y/)).toBeVisible();
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 2, now 1, end 1/ })).toBeVisible();
  await expect(play.region("Kernels")).toContainText("@compute");
  const measured = play.region("Measured");
  const outputs = measured.getByRole("table", { name: "Outputs of the reference" });
  await expect(outputs.getByRole("row", { name: /^y 32×32/ })).toBeVisible();
  await expect(measured.getByText("Same result.")).toBeVisible();
  await play.leaveFields();
  await page.keyboard.press("Home");
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 2, now 2/ })).toBeVisible();
}

async function tryToRun(play: Playground): Promise<void> {
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[32, 32]\ny = tanh(exp(x))\n");
  await expect(play.node(/^tanh y/)).toBeVisible();
  await play.run.click();
}

test("over plain http the page says so, and everything but Run works", async ({ page, play, watch, baseURL }) => {
  watch.expected.push(/Cross-Origin-Opener-Policy header has been ignored/);
  await play.open(`http://playground.test:${port(baseURL!)}/`);
  await tryToRun(play);
  await expect(page.getByText(/plain http/).first()).toBeVisible();
  await restWorks(play);
});

test("without navigator.gpu the page says which browser to use, and the reference still gives results", async ({
  page,
  play,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined });
  });
  await play.open();
  await tryToRun(play);
  await expect(page.getByText(/no WebGPU|has no WebGPU/i).first()).toBeVisible();
  await restWorks(play);
});

test("without an adapter the page says what to do", async ({ page, play }) => {
  await page.addInitScript(() => {
    Object.defineProperty(GPU.prototype, "requestAdapter", { value: () => Promise.resolve(null), configurable: true });
  });
  await play.open();
  await tryToRun(play);
  await expect(page.getByText(/found no GPU it may use/).first()).toBeVisible();
  await restWorks(play);
});

test("the first adapter may come late: one retry, in silence", async ({ page, play }) => {
  await page.addInitScript(() => {
    const { value: ask } = Object.getOwnPropertyDescriptor(GPU.prototype, "requestAdapter")!;
    let asked = 0;
    GPU.prototype.requestAdapter = function (this: GPU, ...how) {
      return asked++ === 0 ? Promise.resolve(null) : (ask as GPU["requestAdapter"]).apply(this, how);
    };
  });
  await play.open();
  await tryToRun(play);
  await expect(play.region("Measured").getByText("Same result.")).toBeVisible({ timeout: 120_000 });
  await expect(page.getByText(/found no GPU/)).toBeHidden();
});
