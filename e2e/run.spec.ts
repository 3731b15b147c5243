import { expect, test, type Playground } from "./fixtures";

// A software adapter takes its time, more so beside other work.
test.setTimeout(180_000);
const LONG = { timeout: 120_000 };

const small = "x: f32[256, 256]\nb: f32[256, 256]\n\ny = log(relu(x + b) + 1)\n";

async function openSmall(play: Playground): Promise<void> {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type(small);
  await expect(play.page.getByRole("region", { name: "Measured", exact: true })).not.toContainText("chapter");
}

test("both plans run and agree; a software adapter is called one, and no speed-up is printed", async ({
  page,
  play,
}) => {
  await openSmall(play);
  await play.run.click();
  const measured = page.getByRole("region", { name: "Measured", exact: true });
  await expect(measured.getByText("Same result.")).toBeVisible(LONG);
  await expect(measured).toContainText("software adapter");
  await expect(measured).toContainText("CPU timings, not a GPU speed-up");
  await expect(measured).toContainText(/tick/);
  expect(await measured.textContent()).not.toMatch(/\d(\.\d+)?\s*× faster|speed-up of/);
});

test("Cancel stops a run soon and keeps the page usable", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
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
});

test("a crash of the GPU process mid-run costs no text, and the next run works", async ({ page, play, browser }) => {
  await openSmall(play);
  await play.run.click();
  await expect(play.run).toHaveText(/Cancel/);
  await page.waitForTimeout(700);
  const session = await browser.newBrowserCDPSession();
  // The answer never comes: the process that would give it is gone.
  void session.send("Browser.crashGpuProcess" as "Browser.close").catch(() => undefined);
  await expect(page.getByText(/GPU went away/).first()).toBeVisible(LONG);
  await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("relu(x + b) + 1");
  await expect(play.run).toHaveText(/Run both/, LONG);
  await play.run.click();
  await expect(page.getByText("Same result.")).toBeVisible(LONG);
});
