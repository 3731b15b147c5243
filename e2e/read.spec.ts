import { expect, test } from "./fixtures";

test("ops, lines of WGSL and lines of the program light one another; a map moves the view", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("pointing at an op lights its lines of WGSL, pointing at a line lights its op", async () => {
    const code = play.region("Kernels").locator(".monaco-editor").first();
    await expect(code).toContainText("@compute");
    const relu = play.node(/^relu/);
    const lit = play.region("Kernels").locator(".wgsl-line.linked");
    const line = code.locator(".view-line").filter({ hasText: "max(" });
    await expect(async () => {
      await play.point(/^relu/);
      await expect(lit).toHaveCount(1, { timeout: 1000 });
      const [band, text] = [await lit.boundingBox(), await line.boundingBox()];
      expect(Math.abs(band!.y - text!.y)).toBeLessThan(4);
    }).toPass();

    await page.mouse.move(5, 5);
    await expect(lit).toHaveCount(0);
    await line.hover();
    await expect(relu.locator(".op-box")).toHaveAttribute("data-hovered", "true");
    await code
      .locator(".view-line")
      .filter({ hasText: /let\sadd/ })
      .hover();
    await expect(relu.locator(".op-box")).toHaveAttribute("data-hovered", "false");
    await expect(play.node(/^add/).locator(".op-box")).toHaveAttribute("data-hovered", "true");
  });
  await test.step("a map of the whole graph: not there at first, one click away, and dragging in it moves the view", async () => {
    await expect(play.node(/^log y/)).toBeVisible();
    const graph = play.region("Graph");
    const map = graph.getByRole("img", { name: "Map of the graph" });
    await expect(map).toHaveCount(0);
    await graph.getByRole("button", { name: "Map of the graph" }).click();
    await expect(map).toBeVisible();
    const before = (await play.node(/^log y/).boundingBox())!;
    const { x, y, width, height } = (await map.boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 - 20, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await play.node(/^log y/).boundingBox())!.x).toBeGreaterThan(before.x + 20);
    await graph.getByRole("button", { name: "Map of the graph" }).click();
    await expect(map).toHaveCount(0);
  });
  await test.step("a line of the program lights its op, and the op its line", async () => {
    await play.type("x: f32[64, 64]\nmid = exp(x)\ny = relu(mid)\n");
    await expect(play.node(/^exp mid/)).toBeVisible();
    const { x, y } = await play.word("exp");
    await page.mouse.move(x, y);
    await expect(play.node(/^exp mid/).locator(".op-box")).toHaveAttribute("data-hovered", "true");
    const lit = play.region("Program").locator(".program-lit").first();
    const at = await play.word("relu");
    await expect(async () => {
      await play.point(/^relu y/);
      expect(Math.abs(((await lit.boundingBox())?.y ?? 0) + 11 - at.y)).toBeLessThan(8);
    }).toPass();
  });
});

test("kernels are read beside what they were, one by one, and taken along", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("the naive kernels stand beside the one they became", async () => {
    await page.getByRole("button", { name: "Diff with naive" }).click();
    const dialog = page.getByRole("dialog", { name: /naive and this step/ });
    await expect(dialog.getByRole("textbox", { name: /^WGSL of the naive kernels/ })).toBeAttached();
    const [naive, fused] = [dialog.locator(".editor.original"), dialog.locator(".editor.modified")];
    await expect(naive).toContainText("// add = x + b");
    await expect(naive).toContainText("// relu = relu(add)");
    await expect(fused).toContainText("// y = log(relu(x + b))");
    // Behind it nothing answers to a key.
    await dialog.getByRole("button", { name: "Close" }).focus();
    await page.keyboard.press("v");
    await page.keyboard.press("Home");
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(play.steps).toContainText("Step 2 of 2");
  });
  await test.step("a diff that is closed while it is computed says nothing of it", async () => {
    for (let i = 0; i < 8; i++) {
      await page.getByRole("button", { name: "Diff with naive" }).click();
      await page
        .getByRole("dialog", { name: /naive and this step/ })
        .locator(".editor.original .view-line")
        .first()
        .waitFor({ state: "attached" });
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
    }
    // An error in Monaco is thrown after the fact.
    await page.waitForTimeout(1000);
  });
  await test.step("every kernel of the naive plan is read by its tag, and every plan can be taken along", async () => {
    await play.leaveFields();
    await page.keyboard.press("Home");
    const kernels = play.region("Kernels");
    for (const [tag, title] of [
      ["K1", /add/],
      ["K2", /relu/],
      ["K3", /log/],
    ] as const) {
      await kernels.getByRole("group", { name: "Kernels" }).getByRole("button", { name: tag }).click();
      await expect(kernels.getByRole("heading", { name: tag })).toHaveText(title);
    }
    await kernels.getByRole("button", { name: "Export…" }).click();
    const coming = page.waitForEvent("download");
    await kernels.getByRole("button", { name: "This plan, .json" }).click();
    expect((await coming).suggestedFilename()).toBe("plan.json");
  });
});

test("counts are read: transfers of the lecture notes' example, memory over the kernels and over the size", async ({
  page,
  play,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("the chapter's example counts 7 → 3, and says what the chapter prints", async () => {
    await play.openMeasured();
    await play.region("Measured").getByText("Compared with lecture notes").click();
    await expect(play.region("Measured")).toContainText(/The lecture notes say 6 → 3; counted 7 → 3/);
    await page.getByRole("tab", { name: "Traffic" }).click();
    const table = play.region("Kernels");
    const tally = (name: RegExp) => table.getByRole("row", { name });
    await expect(tally(/^All transfers 7 3/)).toBeVisible();
    await expect(tally(/^Full-size transfers 7 3/)).toBeVisible();
    await expect(tally(/^Memory traffic 112 MiB 48 MiB/)).toBeVisible();
    await expect(tally(/^Arithmetic intensity/)).toBeVisible();
    // The shown kernel as the model sees it, with the formula of its intensity.
    const card = table.getByRole("region", { name: "Model of the kernel" });
    await expect(card.getByRole("img", { name: /^Reads: 16\.8 µs/ })).toBeVisible();
    // Its four sides: memory first, then arithmetic, instructions, launch.
    await expect(
      card.getByRole("img", { name: /^x, read: side by side, four each\. 4 segments of 128 B/ }),
    ).toBeVisible();
    await card.getByRole("button", { name: "Arithmetic" }).click();
    await expect(card).toContainText("÷ 48 MiB = 0.25 FLOP/B, left of the ridge at 50");
    await expect(card).toContainText(/FLOP\/s in the predicted time, [\d.]+ % of the peak of 100 TFLOP\/s/);
    await card.getByRole("button", { name: "Instructions" }).click();
    await expect(card.getByRole("row", { name: /^Loads from memory 2$/ })).toBeVisible();
    await card.getByRole("button", { name: "Launch" }).click();
    await expect(card.getByRole("img", { name: /^Registers: \d+ of 255/ })).toBeVisible();
    await expect(card.getByRole("img", { name: "Occupancy: 100 %" })).toBeVisible();
  });
  await test.step("memory over the kernels: values come and go, and the arrow keys go from kernel to kernel", async () => {
    await play.leaveFields();
    await page.keyboard.press("5");
    const tab = play.region("Kernels");
    await expect(tab).toContainText(
      "At its peak this step holds 48 MiB, with K1: 25 % less than the naive plan (64 MiB, with K2).",
    );
    const naive = tab.getByRole("slider", { name: /naive plan/ });
    await naive.focus();
    await page.keyboard.press("Home");
    await expect(naive).toHaveAttribute("aria-valuetext", "K1 add: 48 MiB alive. x 16 MiB, b 16 MiB, add 16 MiB");
    await page.keyboard.press("ArrowRight");
    await expect(naive).toHaveAttribute(
      "aria-valuetext",
      "K2 relu: 64 MiB alive. x 16 MiB, b 16 MiB, add 16 MiB, relu 16 MiB",
    );
    // The keys were the chart's own: the step stays.
    await expect(play.steps).toContainText("Step 2 of 2");
    await expect(tab.getByRole("slider", { name: /fused plan/ })).toHaveAttribute("aria-valuemax", "1");
    const rows = tab.getByRole("row");
    await expect(rows.filter({ hasText: "Alive at the peak" })).toContainText("64 MiB48 MiB");
  });
  await test.step("with a vector b it is 6 → 2 full-size, and still 7 → 3 in all", async () => {
    await play.type("N = 2048\nx: f32[N, N]\nb: f32[N]\n\ny = log(relu(x + b))\n");
    await expect(
      play.region("Score").getByRole("img", { name: "Full-size transfers: naive 6, now 2, end 2" }),
    ).toBeVisible();
    await expect(play.region("Measured")).toContainText(/The lecture notes say 6 → 3/);
    await page.getByRole("tab", { name: "Traffic" }).click();
    await expect(play.region("Kernels").getByRole("row", { name: /^All transfers 7 3/ })).toBeVisible();
    await expect(play.region("Kernels").getByRole("row", { name: /^Full-size transfers 6 2/ })).toBeVisible();
  });
  await test.step("attention's memory is drawn over its size: the square of N apart, N fused", async () => {
    await play.command("Attention, one head");
    await page.getByRole("tab", { name: "Memory" }).click();
    await play.region("Kernels").getByText("Peak memory and traffic over N").click();
    await expect(
      play
        .region("Kernels")
        .getByRole("img", { name: /holds .+ grows like N\^1\.\d+; the fused one .+, like N\^1\.$/ }),
    ).toBeVisible();
    await expect(
      play.region("Kernels").getByRole("img", { name: /moves .+ grows like N\^[12]\.\d+; the fused one/ }),
    ).toBeVisible();
  });
});
