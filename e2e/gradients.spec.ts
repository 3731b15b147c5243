import { expect, Playground, test } from "./fixtures";

const DENSE = `N = 64
x: f32[N, 128]
w: f32[128, 64] = param()
b: f32[64] = param()

h = exp(x @ w + b)
y = h * h
`;

test("a dense layer, its gradient, a value recomputed, a budget, a run, a link opened elsewhere", async ({
  page,
  play,
  browser,
  baseURL,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type(DENSE);
  const kernels = (at: Playground) => at.region("Score").getByRole("img", { name: /^Kernels:/ });
  await expect(kernels(play)).toHaveAccessibleName(/naive 4/);

  // The gradient, from the toolbar of the graph: the text says it, and undo takes it back.
  const graph = play.region("Graph");
  const transform = async (name: string): Promise<void> => {
    await graph.getByRole("button", { name: "Transform the program" }).click();
    await page
      .getByRole("dialog", { name: "Transform the program" })
      .getByRole("option", { name: new RegExp(`^${name} `) })
      .click();
  };
  await transform("grad");
  await expect.poll(() => play.text()).toContain("dw, db = grad(program, argnums=(1, 2))(x, w, b)");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => play.text()).toBe(DENSE.trim());
  await transform("value_and_grad");
  await expect.poll(() => play.text()).toContain("value, (dw, db) = value_and_grad(program");

  // Both passes stand side by side, with what is saved between them.
  await expect(graph.getByText("forward", { exact: true })).toBeVisible();
  await expect(graph.getByText("backward", { exact: true })).toBeVisible();

  // Saved in memory: every value that the backward pass reads.
  await play.leaveFields();
  await page.keyboard.press("4");
  const panel = play.region("Kernels").getByRole("tabpanel");
  await panel.getByText("What the backward pass saves").click();
  const stored = panel.getByRole("button", { name: /^all values it reads: peak .* predicted$/ });
  await stored.click();
  await expect(stored).toHaveAttribute("aria-pressed", "true");
  await expect(panel.getByRole("radio", { name: "all values it reads" })).toBeChecked();

  // One value is pinned to be computed again, on the graph itself.
  await page.keyboard.press("End");
  // The step's own card is about ops at the right, and stands over those at the left.
  await play.card.getByRole("button", { name: "Close" }).click();
  await play.node(/^exp .*saved for the backward pass$/).click();
  const choice = play.card.getByRole("combobox", { name: /^For the backward pass/ });
  await choice.selectOption("recompute");
  await expect(play.node(/^exp .*recomputed in the backward pass$/)).toBeVisible();

  // The budget plans while it moves: with nothing saved the matmul is computed again, too.
  const slider = panel.getByRole("slider", { name: "Bytes that may be saved" });
  await slider.focus();
  await slider.press("Home");
  await expect(panel).toContainText("Budget: 0 B");
  await expect(graph.getByText("0 B saved")).toBeVisible();

  await play.run.click();
  await expect(play.region("Measured").getByText("Same result.")).toBeVisible({ timeout: 120_000 });
  // What ran is a point at what it took; the others wait for a run of theirs.
  await panel.getByRole("button", { name: "Show measured times" }).click();
  const timed = panel.getByRole("button", { name: /^≤ 0 B: peak .* measured$/ });
  await expect(timed).toHaveAttribute("aria-pressed", "true");
  const link = await play.share();
  const profile = await browser.newContext({ baseURL: baseURL!, viewport: { width: 1440, height: 900 } });
  const guest = new Playground(await profile.newPage());
  await guest.open(link);
  await expect.poll(() => guest.text()).toContain("value_and_grad(program");
  await expect(guest.region("Graph").getByText("0 B saved")).toBeVisible();
  await profile.close();
});

test("what is saved is told, though the next plan ended the question", async ({ page, play }) => {
  // The worker hears of everything late, as on a busy machine.
  await page.addInitScript(() => {
    globalThis.Worker = class extends Worker {
      override postMessage(message: { readonly body?: { readonly kind?: string } }): void {
        const wait = message.body?.kind === "saved" ? 2_000 : 800;
        setTimeout(() => super.postMessage(message), message.body ? wait : 0);
      }
    };
  });
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type(`${DENSE}loss = sum(y)\nloss.backward()\nreturn loss, w.grad\n`);
  await play.leaveFields();
  await page.keyboard.press("4");
  const panel = play.region("Kernels").getByRole("tabpanel");
  await panel.getByText("What the backward pass saves").click();
  const slider = panel.getByRole("slider", { name: "Bytes that may be saved" });
  await expect(slider).toBeVisible();
  // No op is selected, whose card would ask, too.
  await play
    .region("Graph")
    .locator(".react-flow__pane")
    .click({ position: { x: 40, y: 4 } });
  // Another choice is another question; the budget's plan comes before its answer.
  const choice = panel.getByRole("combobox", { name: /^Choice for / }).first();
  await choice.selectOption("recompute");
  await expect(panel.locator("[aria-busy=true]")).toBeVisible();
  await slider.focus();
  await slider.press("Home");
  await expect(choice).toHaveValue("recompute");
  await expect(panel).toContainText("Budget: 0 B");
});

test("a budget that can't be met says why; orders of transformations are compared", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("orders of transformations, in kernels, bytes and time", async () => {
    await play.leaveFields();
    await page.keyboard.press("4");
    const panel = play.region("Kernels").getByRole("tabpanel");
    await panel.getByText("Orders of transformations").click();
    await expect(panel.getByRole("row", { name: /^a batch of 8, then fuse 1 / })).toBeVisible();
    await expect(panel.getByRole("row", { name: /^fuse, then 8 times 8 / })).toBeVisible();
  });
  await test.step("a budget that can't be met says why, and what would do", async () => {
    await play.type(
      "n: f32[1024]\nx: f32[1024]\nh = custom_call(n)\nloss = sum(h * x)\nloss.backward()\nreturn loss, x.grad\n",
    );
    await play.leaveFields();
    await page.keyboard.press("4");
    const panel = play.region("Kernels").getByRole("tabpanel");
    await panel.getByText("What the backward pass saves").click();
    const slider = panel.getByRole("slider", { name: "Bytes that may be saved" });
    await slider.focus();
    await slider.press("Home");
    await expect(panel.getByRole("status").filter({ hasText: "opaque" })).toContainText(
      "4 KiB more than the 0 B allowed",
    );
    await slider.press("End");
    await expect(panel.getByText("opaque")).toHaveCount(0);
  });
});
