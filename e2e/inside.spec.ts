import type { Page } from "@playwright/test";
import { axe, STANDARD } from "./axe";
import { expect, Playground, test } from "./fixtures";

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await axe(page, STANDARD).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
}

const inside = (page: Page) => page.getByRole("main", { name: "Inside a kernel" });
const fact = (page: Page, name: string) =>
  inside(page)
    .locator("dl > div")
    .filter({ hasText: new RegExp(`^${name}`) })
    .locator("dd");

test("a kernel is watched at work: played, stepped, to its counted bytes; a link keeps the moment", async ({
  page,
  play,
  browser,
  baseURL,
}) => {
  await play.open("./?example=softmax");
  await expect(play.steps).toHaveText(/of \d/);
  // From the inspector, one press.
  await play.region("Kernels").getByRole("button", { name: "Look inside" }).click();
  const view = inside(page);
  await expect(view.getByText(/Moment \d+ of \d+/)).toBeVisible();
  const first = await view.getByText(/Moment \d+ of \d+/).textContent();
  await expect.poll(() => view.getByText(/Moment \d+ of \d+/).textContent()).not.toBe(first);
  await view.getByRole("button", { name: "Pause" }).click();

  // By keys: to the start, to the first barrier, one moment back and forth, to the end.
  await play.leaveFields();
  await page.keyboard.press("Home");
  await expect(view.getByText("Moment 1 of")).toBeVisible();
  await expect(fact(page, "Read")).toHaveText(/^0 B of [\d,]+$/);
  await page.keyboard.press("Shift+ArrowRight");
  await expect(view.getByText(/A barrier: all \d+ threads wait/).first()).toBeVisible();
  await expect(fact(page, "Barriers")).toHaveText(/^1 of \d+$/);
  await expect(view.locator("[aria-current=step]")).toContainText("workgroupBarrier();");
  await view.getByRole("button", { name: "One moment back" }).click();
  await expect(view.getByText(/write \w+\[0 … \d+\] in workgroup memory/).first()).toBeVisible();
  const stood = (await view.getByText(/Moment \d+ of \d+/).textContent())!;
  await expect(view.getByRole("table")).toContainText("Thread");

  for (const theme of ["light", "dark"]) {
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    await expectAccessible(page);
    await page.getByRole("button", { name: /^Switch to the/ }).click();
  }

  // The link stands at the same moment, on a phone with motion reduced: nothing plays by itself.
  const profile = await browser.newContext({ baseURL, viewport: { width: 390, height: 844 }, reducedMotion: "reduce" });
  const guest = new Playground(await profile.newPage());
  await guest.page.goto(await play.share());
  await expect(inside(guest.page).getByText(stood)).toBeVisible();
  await expect(inside(guest.page).getByRole("button", { name: "Pause" })).toBeHidden();
  await inside(guest.page).getByRole("button", { name: "Play" }).click();
  await expect(inside(guest.page).getByText(stood)).toBeHidden();
  await profile.close();

  // At the end what was read and written is exactly what the plan counts.
  await play.leaveFields();
  await page.keyboard.press("End");
  await expect(view.getByText(/workgroups? ha(s|ve) finished/).first()).toBeVisible();
  for (const name of ["Read", "Written"]) {
    const text = (await fact(page, name).textContent())!;
    expect(text).toMatch(/^([\d,]+) B of \1$/);
  }
  await page.keyboard.press("Escape");
  await expect(play.region("Graph")).toBeVisible();
});

test("the numbers of an op are shown, their statistics, and what differs from the naive plan; NaN is seen", async ({
  page,
  play,
  browser,
  baseURL,
}) => {
  await play.open("./?example=log-relu");
  await play.type("x: f32[8, 16]\ny = log(x)\nz = y + 1\n");
  await expect(play.steps).toHaveText(/of \d/);
  await play.node(/^log/).click();
  await play.card.getByRole("button", { name: "Values" }).click();
  const values = play.region("Kernels").getByRole("group", { name: /^Values of/ });
  await expect(values.getByRole("img", { name: /^Heat map of y/ })).toBeVisible();
  // The logarithm of what is negative is no number.
  await expect(values.locator("dl > div").filter({ hasText: "NaN" }).locator("dd")).not.toHaveText("0");
  await expect(values.getByRole("button", { name: "This step" })).toBeDisabled();
  await expect(values).toContainText("stays in registers");
  await values.getByRole("button", { name: "Reference, f64" }).click();
  await values.getByRole("img").hover({ position: { x: 8, y: 6 } });
  await expect(values).toContainText("[0, 0] =");

  // What is stored is compared, and the link shows the same.
  await play.node(/^add/).click();
  await expect(values).toContainText(/bit for bit|differs? from the naive plan's/);
  await expectAccessible(page);
  const profile = await browser.newContext({ baseURL });
  const guest = new Playground(await profile.newPage());
  await guest.page.goto(await play.share());
  await expect(guest.region("Kernels").getByRole("img", { name: /^Heat map of z/ })).toBeVisible();
  await profile.close();
});

test("of a kernel that leaves partial results the values are those that the next one makes of them", async ({
  page,
  play,
}) => {
  await play.open("./?example=linear-cross-entropy");
  await expect(play.steps).toHaveText(/of \d/);
  await page.getByRole("tab", { name: /^Values/ }).click();
  const values = play.region("Kernels").getByRole("group", { name: /^Values of loss/ });
  await expect(values.getByRole("img", { name: /^Heat map of loss/ })).toBeVisible();
  await expect(values).toContainText("partial results");
  await page.getByRole("tab", { name: /^Memory/ }).click();
  await expect(play.region("Kernels").getByRole("tabpanel")).toContainText("loss partials");
  // Read as loops, the kernel would hold a row of logits: it never does.
  await page.getByRole("tab", { name: /^Loops/ }).click();
  await expect(play.region("Kernels").getByRole("tabpanel")).toContainText("run as one, tile by tile");
});
