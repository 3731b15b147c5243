import type { Page, TestInfo } from "@playwright/test";
import { expect, test, type Playground } from "./fixtures";

const inside = (box: { x: number; y: number; width: number; height: number } | null, width: number, height: number) =>
  box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 1 && box.y + box.height <= height + 1;

/** The step that is shown, and how many there are. */
async function restOf(play: Playground): Promise<{ step: number; steps: number }> {
  const [, step, steps] = /^Step (\d+) of (\d+)/.exec((await play.steps.textContent()) ?? "") ?? [];
  return { step: Number(step), steps: Number(steps) };
}

/** Nothing is wider than the page; a picture of it goes to the report. */
async function expectNarrowEnough(page: Page, width: number, info: TestInfo): Promise<void> {
  await expect(page.getByText(/^Step \d+ of \d+/).first()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  await info.attach(`screen-${width}`, { body: await page.screenshot(), contentType: "image/png" });
}

/** Tab goes through the parts in the order they are read. */
async function expectReadingOrder(page: Page, order: readonly string[]): Promise<void> {
  const found = await page.evaluate(() => {
    const places = [...document.querySelectorAll<HTMLElement>("[data-pane]")].filter(
      ({ offsetParent }) => offsetParent,
    );
    return places.map(({ dataset }) => dataset.pane);
  });
  expect(found).toEqual(order);
  // Nothing jumps the queue: the keys follow the page's own order.
  await expect(page.locator('[tabindex]:not([tabindex="0"]):not([tabindex="-1"])')).toHaveCount(0);
}

const READ = ["top", "program", "score", "graph", "steps", "kernels"];

test.describe("the first visit", () => {
  test.use({ newcomer: true });

  test("says what the page is, plays once from naive to fused and rests on a step with its card", async ({
    page,
    play,
  }) => {
    await play.open("./");
    const welcome = page.getByRole("complementary", { name: "Welcome" });
    await expect(welcome).toContainText("See why a compiler merges GPU kernels, and what it saves.");
    await expect(page.getByRole("button", { name: "Example: LayerNorm + GELU + residual" })).toBeVisible();
    await expect(welcome.getByRole("button", { name: "Skip" })).toBeVisible();
    await expect(play.card).toHaveCount(0);
    // The fused plan is there for a moment, however late one looks.
    await page.waitForFunction(() => /Step (\d+) of \1\b/.test(document.body.textContent), null, { polling: 50 });
    await expect(play.card).toContainText("Why fused?");
    const rest = await restOf(play);
    expect(rest.step).toBeLessThan(rest.steps);
    await expect(welcome).toContainText("This is the step that saves the most time");
    // What the card is about lies beside it.
    const card = (await play.card.boundingBox())!;
    for (const box of Object.values(await play.boxes())) expect(box[0]! + box[2]!).toBeLessThanOrEqual(card.x);
    await play.leaveFields();
    await page.keyboard.press("ArrowRight");
    await expect(play.steps).toContainText(`Step ${rest.step + 1} of`);
    await welcome.getByRole("button", { name: "Close this line" }).click();
    await expect(welcome).toBeHidden();
    await page.reload();
    await expect(play.steps).toContainText(`Step ${rest.step} of`);
    await expect(welcome).toBeHidden();
  });

  test("is skipped by a press, has its inspector folded, shows the end of what is pasted, offers five examples", async ({
    page,
    play,
  }) => {
    await play.open("./");
    await page.getByRole("complementary", { name: "Welcome" }).getByRole("button", { name: "Skip" }).click();
    await expect(play.card).toContainText("Why fused?");
    expect((await restOf(play)).step).toBeGreaterThan(1);
    await test.step("has its inspector folded to a rail, which opens where it is asked", async () => {
      await expect(play.region("Kernels")).toBeHidden();
      await page.getByRole("button", { name: "Traffic", exact: true }).click();
      await expect(page.getByRole("tab", { name: "Traffic", selected: true })).toBeVisible();
      await page.getByRole("button", { name: "Fold the kernel inspector" }).click();
      await expect(play.region("Kernels")).toBeHidden();
    });
    await test.step("shows the end of a program that is pasted into it", async () => {
      await play.paste("p: f32[512, 1024]\nq = torch.softmax(torch.exp(p) + 1, -1)\nreturn q\n");
      await expect(page.getByRole("button", { name: "Program: Untitled" })).toBeVisible();
      await expect(async () => {
        const { step, steps } = await restOf(play);
        expect(step).toBe(steps);
      }).toPass();
    });
    await test.step("stands still for who wants less motion", async () => {
      // As the next page begins: the one that is left may still store its draft.
      await page.addInitScript(() => localStorage.clear());
      await page.emulateMedia({ reducedMotion: "reduce" });
      await page.reload();
      await expect(play.card).toContainText("Why fused?");
      await expect(page.getByRole("button", { name: "Take the tour" })).toBeVisible();
    });
    await test.step("offers five examples to begin with, with the transfers of both plans", async () => {
      const start = page.getByRole("region", { name: "Start here" });
      await expect(start.getByRole("listitem")).toHaveCount(5);
      const first = start.getByRole("listitem").first();
      await expect(first.getByRole("img", { name: "7 full-size transfers become 3" })).toBeVisible();
      await first.getByRole("button", { name: "log(relu(x + b))" }).click();
      await expect(page.getByRole("button", { name: "Example: log(relu(x + b))" })).toBeVisible();
      await expect(play.region("Score").getByRole("img", { name: /^Full-size transfers: naive 7/ })).toBeVisible();
    });
  });
});

test("lines end in sight at 1440 and at 1024 px, and the numbers of the score stay where they are", async ({
  page,
  play,
}) => {
  await play.open("./?example=gpt-block");
  await expect(play.steps).toBeVisible();
  const program = play.region("Program");
  const editor = program.locator(".monaco-editor").first();
  await expect(editor).toContainText("def heads");
  const cut = (): Promise<number> =>
    editor.locator(".view-line > span").evaluateAll((lines) => {
      const right = lines[0]?.closest(".editor-scrollable")?.getBoundingClientRect().right ?? -Infinity;
      return lines.length === 0 ? -1 : lines.filter((line) => line.getBoundingClientRect().right > right).length;
    });
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
  ] as const)
    await test.step(`long lines end in sight, and so does the line of a step, at ${width} px`, async () => {
      await page.setViewportSize({ width, height });
      await expect.poll(cut).toBe(0);
      await play.leaveFields();
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("End");
      // The last decision is about the last line.
      await expect(editor.locator(".view-line").filter({ hasText: "= x1 + linear" })).toBeInViewport();
    });
  await page.setViewportSize({ width: 1440, height: 900 });
  await test.step("the numbers of the score stay where they are from step to step", async () => {
    await play.example("Attention, one head");
    await play.leaveFields();
    await page.keyboard.press("Home");
    const places = async (): Promise<readonly number[]> =>
      play
        .region("Score")
        .getByRole("img")
        .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().x)));
    const before = await places();
    expect(before.length).toBeGreaterThanOrEqual(3);
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press("ArrowRight");
      expect(await places()).toEqual(before);
    }
  });
  await test.step("a module that is called by a press wraps its long lines as it did before", async () => {
    await play.paste(
      [
        "class Block(nn.Module):",
        "    def __init__(self, dim=512, hidden=2048):",
        "        super().__init__()",
        "        self.norm = nn.LayerNorm(dim)",
        "        self.up = nn.Linear(dim, hidden)",
        "        self.down = nn.Linear(hidden, dim)",
        "        self.drop = nn.Dropout(0.1)",
        "",
        "    def forward(self, x):",
        "        h = self.norm(x)",
        "        h = F.gelu(self.up(h))",
        "        return x + self.drop(self.down(h))",
        "",
      ].join("\n"),
    );
    await play
      .region("Program")
      .getByRole("button", { name: /^Call Block/ })
      .click();
    await expect(play.region("Kernels").getByRole("heading")).toContainText("linear");
    const lines = play.editor.locator(".view-line > span");
    await expect
      .poll(() =>
        lines.evaluateAll((all) => {
          const right = all[0]?.closest(".editor-scrollable")?.getBoundingClientRect().right ?? -Infinity;
          return all.length === 0 ? -1 : all.filter((line) => line.getBoundingClientRect().right > right).length;
        }),
      )
      .toBe(0);
  });
});

test("a page opened again shows a worked example at any width; sizes and themes are chosen", async ({
  page,
  play,
}, info) => {
  await play.open();
  await test.step("a page opened again shows a worked example, already fused, without scrolling, its parts in reading order", async () => {
    const shown = [
      page.getByRole("region", { name: "Program", exact: true }),
      page.getByRole("region", { name: "Measured", exact: true }),
      page.getByRole("region", { name: "Score", exact: true }),
      page.getByRole("region", { name: "Graph", exact: true }),
      page.getByRole("region", { name: "Steps", exact: true }),
      page.getByRole("region", { name: "Kernels", exact: true }),
      play.run,
    ];
    for (const part of shown) {
      await expect(part).toBeVisible();
      expect(inside(await part.boundingBox(), 1440, 900)).toBe(true);
    }
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(900);
    await expect(play.region("Score").getByRole("img", { name: "Kernels: naive 3, now 1, end 1" })).toBeVisible();
    await expect(
      play.region("Graph").getByRole("button", { name: /^Kernel K1 add relu log, 3 ops, 48 MiB/ }),
    ).toBeVisible();
    await expect(play.region("Kernels")).toContainText("@compute");
    await expect(page.getByRole("radio", { name: "M", exact: true })).toBeChecked();
    await expectNarrowEnough(page, 1440, info);
    await expect(play.editor).toBeVisible();
    await expectReadingOrder(page, [...READ, "measured"]);
  });
  await test.step("the size choice rewrites the program and is one undo step", async () => {
    await page.getByRole("radio", { name: "S", exact: true }).check({ force: true });
    await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("N = 512");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("N = 2048");
  });
  await test.step("each size says what it needs at its peak, and the counts follow", async () => {
    const bytes = play.region("Score").getByRole("img", { name: /^Memory traffic/ });
    for (const [size, peak, traffic] of [
      ["S", "naive peak 4 MiB", "naive 7, now 3, end 3 MiB"],
      ["M", "naive peak 64 MiB", "naive 112, now 48, end 48 MiB"],
      ["L", "naive peak 144 MiB", "naive 252, now 108, end 108 MiB"],
    ] as const) {
      await page.getByRole("radio", { name: size, exact: true }).click();
      await expect(page.getByRole("radio", { name: size, exact: true })).toBeChecked();
      await expect(page.getByRole("group", { name: "Size" })).toContainText(peak);
      await expect(bytes).toHaveAccessibleName(`Memory traffic: ${traffic}`);
    }
  });
  await test.step("at 1024 px the run is a tab beside the code, and the parts keep their order", async () => {
    await page.setViewportSize({ width: 1024, height: 768 });
    await play.open();
    for (const name of ["Program", "Graph", "Steps", "Kernels"] as const)
      expect(inside(await play.region(name).boundingBox(), 1024, 768)).toBe(true);
    await expect(play.region("Measured")).toBeHidden();
    await expectNarrowEnough(page, 1024, info);
    await expect(play.editor).toBeVisible();
    await expectReadingOrder(page, READ);
    await page.getByRole("tab", { name: "Run" }).click();
    await expect(play.region("Kernels")).toContainText("Not run yet.");
  });
  await test.step("the narrow layout has four panes, one at a time", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await play.open();
    await expectNarrowEnough(page, 390, info);
    const panes = page.getByRole("navigation", { name: "Panes" });
    for (const [name, region] of [
      ["Text", "Program"],
      ["Kernels", "Kernels"],
      ["Run", "Measured"],
      ["Graph", "Graph"],
    ] as const) {
      await panes.getByRole("button", { name }).click();
      await expect(page.getByRole("region", { name: region, exact: true })).toBeVisible();
    }
  });
  await test.step("the theme follows the choice and survives a reload", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await theme();
    const colour = await paper();
    await page.getByRole("button", { name: /Switch to the .* theme/ }).click();
    const after = await theme();
    expect(after).not.toBe(before);
    await expect.poll(paper).not.toBe(colour);
    await page.reload();
    await expect.poll(theme).toBe(after);
  });
});

test("a tour is offered once: five stops with the program's own numbers, forward, back and out", async ({
  page,
  play,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.region("Steps").getByRole("button", { name: "Tour", exact: true }).click();
  const tour = page.getByRole("dialog", { name: "Tour" });
  await expect(tour).toContainText(
    "3 kernels. A thick line is a transfer through memory; there are 7 full-size transfers.",
  );
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 3, now 3/ })).toBeVisible();
  const next = tour.getByRole("button", { name: "Next" });
  await next.click();
  await expect(tour).toContainText("2 of 5");
  await expect(play.steps).toContainText("Step 1 of 2");
  await next.click();
  await expect(tour).toContainText("After the last step: 1 kernel. 7 full-size transfers became 3");
  await tour.getByRole("button", { name: "Back" }).click();
  await expect(tour).toContainText("2 of 5");
  await next.click();
  await next.click();
  await expect(play.region("Kernels").locator(".wgsl-line.linked").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(tour).toBeHidden();
  await page.reload();
  await expect(play.steps).toBeVisible();
  await expect(page.getByRole("button", { name: "Tour", exact: true })).toHaveCount(0);
  await play.command("Take the tour");
  await expect(tour).toContainText("1 of 5");
  // Of another program, and begun anew, it speaks of the state that is shown.
  await play.type("x: f32[512, 512]\ny = log(relu(exp(x)) + 1)\n");
  await expect(tour).toContainText("This is the program before any fusion: 4 kernels.");
  const naive = play.region("Score").getByRole("img", { name: /^Kernels: naive 4, now 4/ });
  await expect(naive).toBeVisible();
  await play.leaveFields();
  await page.keyboard.press("End");
  await expect(naive).toBeHidden();
  await play.command("Take the tour");
  await expect(naive).toBeVisible();
});

test("who comes back finds the step that was looked at last, with its card", async ({ page, play }) => {
  await play.open("./");
  await play.example("Softmax");
  await expect(play.steps).toHaveText(/of 4/);
  await play.leaveFields();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(play.steps).toContainText("Step 2 of 4");
  await page.goto("./");
  await expect(play.steps).toContainText("Step 2 of 4");
  await expect(play.card).toContainText("Why fused?");
});
