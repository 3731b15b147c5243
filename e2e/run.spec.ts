import { readFile } from "node:fs/promises";
import { expect, test, type Playground } from "./fixtures";

// A software adapter takes its time, more so beside other work.
const LONG = { timeout: 120_000 };

const small = "x: f32[256, 256]\nb: f32[256, 256]\n\ny = log(relu(x + b) + 1)\n";

async function openSmall(play: Playground): Promise<void> {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type(small);
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 4, now 1, end 1/ })).toBeVisible();
}

test("both plans run and agree; a software adapter is called one, and no speed-up is printed", async ({
  page,
  play,
}) => {
  await openSmall(play);
  await play.run.click();
  await expect(play.region("Score").getByRole("progressbar", { name: "Progress" })).toBeVisible();
  const measured = play.region("Measured");
  await expect(measured.getByText("Same result.")).toBeVisible(LONG);
  await expect(measured).toContainText(/worst .*(limit|allowed)|equal in every element.*limit/i);

  // Whose time it is, by which clock, with which tick.
  await expect(measured).toContainText("software adapter");
  await expect(measured).toContainText("CPU timings, not a GPU speed-up");
  await expect(measured).toContainText(/timer resolution \d/);
  await expect(play.region("Score")).toContainText("Measured, on the CPU");

  // Each chart says in words what it draws.
  const times = measured.getByRole("img", { name: /^Median time: naive [\d.,]+ (ns|µs|ms|s)/ });
  await expect(times).toHaveAccessibleName(/fused [\d.,]+ (ns|µs|ms|s)/);
  const roof = measured.getByRole("img", { name: /^Roofs [\d.]+ .?B\/s and [\d.]+ .?FLOP\/s\./ });
  await expect(roof).toHaveAccessibleName(/FLOP per byte at/);

  await measured.getByRole("button", { name: "All numbers" }).click();
  const table = measured.getByRole("table", { name: /Median times/ });
  await expect(table.getByRole("row", { name: /^naive [\d.,]+ .* ±/ }).first()).toBeVisible();
  await expect(table.getByRole("row", { name: /K1/ }).first()).toBeVisible();
  await expect(measured).toContainText("naive and fused take turns after a warm-up");
  await expect(measured.getByRole("img", { name: /^Kernels one after the other: naive 4 kernels/ })).toBeVisible();
  // Only a run that fits one submit of 50 ms can be timed by a clock that does not wait.
  const numbers = (await measured.textContent())!;
  const inMillis = { µs: 1e-3, ms: 1, s: 1e3 };
  const first = [...numbers.matchAll(/first run ([\d.,]+) (µs|ms|s)/g)].map(
    ([, time, unit]) => Number(time!.replace(",", "")) * inMillis[unit as keyof typeof inMillis],
  );
  expect(first).toHaveLength(2);
  expect(
    /A clock that stops at submit, without waiting for the GPU, shows naive [\d.,]+ .s, finished/.test(numbers),
  ).toBe(Math.max(...first) <= 50);
  const sheet = page.waitForEvent("download");
  await measured.getByRole("button", { name: "Save as CSV" }).click();
  const csv = await readFile(await (await sheet).path(), "utf8");
  expect(csv).toMatch(/^time of,median µs,.*\nnaive,[\d.]+,[\d.]+,\d+,.*swiftshader/i);

  // The summary to take along ticks what was done.
  await play.region("Kernels").getByRole("button", { name: "Export…" }).click();
  const coming = page.waitForEvent("download");
  await play.region("Kernels").getByRole("button", { name: "Summary for a pull request, .md" }).click();
  const summary = await readFile(await (await coming).path(), "utf8");
  expect(summary).toContain("- [x] Check the numbers: Fast mode. Same result.");
  expect(summary).toMatch(/- \[x\] Wait before you stop the clock: Timed by .+ after a warm-up\./);
  expect(await page.locator("body").textContent()).not.toMatch(/\d(\.\d+)?\s*× faster|speed-up of/);

  // Other kernels of the same program make the numbers old, until they are those again.
  await page.getByRole("button", { name: "Options", exact: true }).click();
  const options = page.getByRole("dialog", { name: "Planning options" });
  await options.getByRole("radio", { name: /naive plan, as written/ }).check();
  await page.keyboard.press("Escape");
  await expect(measured).toContainText("Of an earlier plan.");
  await expect(play.region("Score").getByText(/^Measured/)).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(measured).not.toContainText("Of an earlier plan.");

  // Another program makes them old as well, and says so.
  await play.type(small.replace("+ 1", "+ 2"));
  await expect(measured).toContainText("Of an earlier program.");
  await expect(measured.locator(".measured-results.old .measured-verdict")).toContainText("Same result.");
});

test("medians are on screen while a run goes on; every element is compared; the step one looks at runs as well", async ({
  play,
  page,
}) => {
  await test.step("medians are on screen while the run goes on; every element is compared, and every kernel with f64", async () => {
    await openSmall(play);
    await play.run.click();
    const measured = play.region("Measured");
    await expect(measured.getByRole("img", { name: /^Median time: naive / })).toBeVisible(LONG);
    await expect(play.run).toHaveText(/Cancel/);
    await expect(measured.getByText("Same result.")).toBeVisible(LONG);
    await expect(measured).toContainText("All 65,536 elements of naive and fused");
    await expect(measured).toContainText(/5 kernels agree with f64 at [\d,]+ points/);
  });
  await test.step("the step one looks at runs beside the two ends", async () => {
    await play.leaveFields();
    await page.keyboard.press("Home");
    await page.keyboard.press("j");
    await play.run.click();
    const measured = play.region("Measured");
    await expect(measured.getByText("Same result.")).toBeVisible(LONG);
    await expect(measured.getByRole("img", { name: /^Median time: naive .*; this step .*; fused / })).toBeVisible();
    // Its time is no other step's.
    await page.keyboard.press("End");
    await expect(measured.getByRole("img", { name: /^Median time: naive [^;]*; fused / })).toBeVisible();
  });
});

test("a run that is too long or needs too much asks first; Cancel stops one soon", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("Cancel stops a run soon and keeps the page usable", async () => {
    await play.run.click();
    await expect(play.run).toHaveText(/Cancel/);
    await page.waitForTimeout(1500);
    const asked = Date.now();
    await play.run.click();
    await expect(play.run).toHaveText(/Run both/);
    console.log(`cancel took ${Date.now() - asked} ms, as seen`);
    await play.run.click();
    await expect(play.run).toHaveText(/Cancel/);
    await play.run.click();
    await expect(play.run).toHaveText(/Run both/);
  });
  await test.step("a long run is asked about first", async () => {
    // A page that knows nothing yet of this device: once it has measured it, it asks about less.
    await play.open();
    await expect(play.steps).toBeVisible();
    await play.type("x: f32[1024, 1024]\nw: f32[1024, 1024]\ny = relu(x @ w)\n");
    await expect(play.node(/^matmul/)).toBeVisible();
    await play.run.click();
    const score = play.region("Score");
    await expect(score).toContainText("This may take a while:");
    await expect(play.run).toHaveText(/Run both/);
    await score.getByRole("button", { name: "Run anyway" }).click();
    await expect(play.run).toHaveText(/Cancel/);
    await play.run.click();
    await expect(play.run).toHaveText(/Run both/);
    // On a quick machine the first run had its verdict before it was cancelled: that one stays, as an earlier program's.
    await expect(play.region("Measured")).toContainText("nothing yet");
  });
  await test.step("a run that needs more memory than it may use asks, with both numbers and both ways on", async () => {
    await play.type(
      "x: f32[4096, 8192]\na = exp(x)\nb = tanh(a)\nc = a * b\nd = b + c\ne = c - d\nf = a + d + e + b + c\n",
    );
    await expect(play.node(/^tanh/)).toBeVisible();
    await play.run.click();
    const score = play.region("Score");
    await expect(score).toContainText(/This run needs [\d.]+ (MiB|GiB) of GPU memory: the page may use 512 MiB/);
    await expect(score.getByRole("button", { name: /^Allow [\d.]+ (MiB|GiB)$/ })).toBeVisible();
    await expect(score.getByRole("button", { name: "Run fused only" })).toBeVisible();
  });
});

test.describe("a browser of its own", () => {
  test.use({ apart: true });

  test("a crash of the GPU process mid-run costs no text, and the next run works", async ({ page, play, context }) => {
    await openSmall(play);
    await play.run.click();
    await expect(play.run).toHaveText(/Cancel/);
    await page.waitForTimeout(700);
    const session = await context.browser()!.newBrowserCDPSession();
    // The answer never comes: the process that would give it is gone.
    void session.send("Browser.crashGpuProcess" as "Browser.close").catch(() => undefined);
    await expect(page.getByText(/GPU went away/).first()).toBeVisible(LONG);
    await expect(play.region("Program")).toContainText("relu(x + b) + 1");
    const draft = await page.evaluate(() => localStorage.getItem("fusion-playground.draft"));
    expect(draft).toContain("relu(x + b) + 1");
    await expect(play.run).toHaveText(/Run both/, LONG);
    await play.run.click();
    await expect(play.region("Measured").getByText("Same result.")).toBeVisible(LONG);
  });
});

test("a gradient is part of the graph: it is planned, run and checked like the rest", async ({ play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type(
    "x: f32[64, 32]\nw: f32[32, 16]\n\nloss = sum(tanh(x @ w) ** 2)\nloss.backward()\ndw = w.grad\nreturn loss, dw\n",
  );
  await expect(play.node(/d_w/)).toBeAttached();
  await play.run.click();
  await expect(play.region("Measured").getByText("Same result.")).toBeVisible(LONG);
});
