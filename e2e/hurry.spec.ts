/** @file Pressed too early, twice, for too long, or in the middle of something else. */
import { expect, test } from "./fixtures";

// A software adapter takes its time, more so beside other work.
const LONG = { timeout: 120_000 };

const small = "x: f32[256, 256]\nb: f32[256, 256]\n\ny = log(relu(x + b) + 1)\n";

test("keys too early and for too long: behind Ctrl K, held, and with another program while one plays", async ({
  page,
  play,
}) => {
  await play.open();
  await test.step("what is typed right behind Ctrl K is in the field", async () => {
    // Its chunk may still be on the way, and then comes late.
    await page.route(/FindDialog/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue();
    });
    await play.leaveFields();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("soft");
    await page.keyboard.type("max");
    await expect(page.getByRole("combobox", { name: "Find or do" })).toHaveValue("softmax");
  });
  await test.step("a key that is held acts once, and arrows walk on", async () => {
    await page.keyboard.press("Escape");
    await play.leaveFields();
    const hold = async (key: string): Promise<void> => {
      for (let i = 0; i < 4; i++) await page.keyboard.down(key);
      await page.keyboard.up(key);
    };
    await hold("x");
    await expect(play.region("Score").getByRole("img", { name: "Kernels: naive 3, now 2, end 2" })).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(play.region("Score").getByRole("img", { name: "Kernels: naive 3, now 1, end 1" })).toBeVisible();
    await hold("ArrowLeft");
    await expect(page.getByRole("slider", { name: "Step" })).toHaveAttribute("aria-valuenow", "0");
    await hold("v");
    await expect(page.getByRole("main", { name: "Presenter view" })).toBeVisible();
  });
  await test.step("play stops where another program is opened", async () => {
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await play.command("LayerNorm + GELU");
    const slider = page.getByRole("slider", { name: "Step" });
    await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 12/ })).toBeVisible();
    const steps = (await slider.getAttribute("aria-valuemax"))!;
    await expect(slider).toHaveAttribute("aria-valuenow", steps);
    await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  });
  await test.step("of two files dropped one after the other the later one is open", async () => {
    await page.evaluate(() => {
      for (const [name, op] of [
        ["first.py", "exp"],
        ["second.py", "tanh"],
      ] as const) {
        const transfer = new DataTransfer();
        const rest = name === "first.py" ? "# a longer file takes longer to read\n".repeat(900) : "";
        transfer.items.add(new File([`x: f32[8, 8]\nlast = ${op}(x)\n${rest}`], name));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
      }
    });
    await expect(play.node(/^tanh last/)).toBeVisible();
    await expect(play.editor).not.toContainText("exp(x)");
  });
});

test("what Find or do offers follows the plan that comes while it is open", async ({ page }) => {
  // No plan is there before the compiler's worker is.
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/assets\/compile\.worker-/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("./");
  await page.getByRole("button", { name: /Find/ }).first().click();
  const field = page.getByRole("combobox", { name: "Find or do" });
  await field.fill("Show the final plan");
  await expect(page.getByRole("dialog").getByText("No match.")).toBeVisible();
  release();
  await expect(page.getByRole("dialog").getByRole("option", { name: /Show the final plan/ })).toBeVisible();
});

test("a run is pressed in the first moment, and typing, undo and stepping go on during another", async ({
  page,
  play,
}) => {
  await test.step("Run pressed in the first moment runs the first program; a double click is one press", async () => {
    await page.goto("./");
    await play.run.dblclick();
    await expect(play.run).toHaveText(/Cancel/);
    await play.run.click();
    await expect(play.run).toHaveText(/Run both/);
    await expect(play.region("Score")).toContainText("Stopped.");
  });
  await test.step("typing, undo and stepping go on during a run, whose results say what they are of", async () => {
    await play.type(small);
    await expect(play.node(/^log y/)).toBeVisible();
    await play.run.click();
    await expect(play.run).toHaveText(/Cancel/);
    await play.type(small.replace("+ 1", "+ 2"));
    await play.leaveFields();
    await page.keyboard.press("Home");
    const measured = play.region("Measured");
    await expect(measured.getByText("Same result.")).toBeVisible(LONG);
    await expect(measured).toContainText("Of an earlier program.");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(measured).not.toContainText("Of an earlier program.");
  });
});
