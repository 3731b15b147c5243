import { expect, test, type Playground } from "./fixtures";

test("decisions are walked by keys, played, paused and presented", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("arrows, j and k, Home and End walk the decisions; the step is said aloud", async () => {
    await play.leaveFields();
    await page.keyboard.press("Home");
    await expect(page.getByRole("status").filter({ hasText: "Naive plan" })).toBeAttached();
    await page.keyboard.press("j");
    await expect(page.getByText(/^Step 1 of/).first()).toBeVisible();
    await page.keyboard.press("ArrowRight");
    await expect(page.getByText(/^Step 2 of/).first()).toBeVisible();
    await page.keyboard.press("k");
    await expect(page.getByText(/^Step 1 of/).first()).toBeVisible();
    await expect(page.getByRole("status").filter({ hasText: /^Step 1 of \d+, (accepted|refused): / })).toBeAttached();
    await page.keyboard.press("End");
    await expect(page.getByText(/^Step (\d+) of \1/).first()).toBeVisible();
  });
  await test.step("Play walks to the end by itself, and pauses", async () => {
    // What is shown on the way, however late one looks.
    await page.evaluate(() => {
      const shown: string[] = [];
      Object.assign(window, { shown });
      const steps = document.querySelector('[aria-label="Steps"]')!;
      new MutationObserver(() => {
        const now = /Naive plan|Step \d+ of \d+/.exec(steps.textContent)?.[0] ?? "";
        if (now !== shown.at(-1)) shown.push(now);
      }).observe(steps, { childList: true, subtree: true, characterData: true });
    });
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect(play.region("Steps")).toContainText("Done: kernels 3 → 1");
    const shown = await page.evaluate(() => (window as unknown as { shown: string[] }).shown);
    expect(shown).toEqual(["Naive plan", "Step 1 of 2", "Step 2 of 2"]);
    await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  });
  await test.step("presenter view opens, steps, blanks and closes by keys", async () => {
    await play.leaveFields();
    await page.keyboard.press("v");
    const presenter = page.getByRole("main", { name: "Presenter view" });
    await expect(presenter).toBeVisible();
    // From the back of the room one reads kernels, not their parts.
    await expect(presenter.getByRole("group", { name: /K1 add relu log/ }).first()).toBeVisible();
    await expect(presenter.getByRole("group", { name: /^relu/ })).toHaveCount(0);
    await page.keyboard.press("Home");
    await expect(presenter.getByRole("group", { name: /^relu/ }).first()).toBeVisible();
    await page.keyboard.press("ArrowRight");
    await expect(presenter.getByText(/^Step 1 of/)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(presenter).toBeHidden();
  });
  await test.step("Play is paused on the way, and stays where it was", async () => {
    // Twelve steps: time enough on any machine.
    await play.example("LayerNorm + GELU + residual");
    const slider = page.getByRole("slider", { name: "Step" });
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
    const at = (await slider.getAttribute("aria-valuenow"))!;
    await page.waitForTimeout(2000);
    await expect(slider).toHaveAttribute("aria-valuenow", at);
  });
});

test("a step moves no box, has its card whatever was chosen before, and shows how hulls grow", async ({
  page,
  play,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("a hull grows as two kernels become one, and does not where people ask for less motion", async () => {
    await page.evaluate(() => {
      const grown: number[] = [];
      Object.assign(window, { grown });
      const { value: animate } = Object.getOwnPropertyDescriptor(Element.prototype, "animate")!;
      Element.prototype.animate = function (this: Element, ...how) {
        if (this.closest(".hull-layer")) grown.push(Number((how[1] as KeyframeAnimationOptions).duration));
        return (animate as (...all: typeof how) => Animation).apply(this, how);
      };
    });
    const grown = () => page.evaluate(() => (window as unknown as { grown: number[] }).grown);
    const walk = async (): Promise<void> => {
      await play.leaveFields();
      for (const key of ["Home", "j", "j"]) await page.keyboard.press(key);
      await expect(page.getByText(/^Step 2 of 2/).first()).toBeVisible();
    };
    await walk();
    await expect.poll(async () => (await grown()).includes(250)).toBe(true);
    await page.emulateMedia({ reducedMotion: "reduce" });
    const before = (await grown()).length;
    await walk();
    await page.waitForTimeout(300);
    expect(await grown()).toHaveLength(before);
  });
  await test.step("stepping opens the call, moves no box, and the numbers fall", async () => {
    await play.example("Softmax");
    await play.leaveFields();
    const slider = page.getByRole("slider", { name: "Step" });
    const total = Number(await slider.getAttribute("aria-valuemax"));
    expect(total).toBeGreaterThan(3);
    await page.keyboard.press("Home");
    await expect(slider).toHaveAttribute("aria-valuenow", "0");
    const [score, before] = [play.region("Score").getByRole("img", { name: /^Full-size/ }), await play.boxesAtRest()];
    const now = async () => Number(/now (\d+)/.exec((await score.getAttribute("aria-label"))!)![1]);
    const naive = await now();
    const places = { ...before };
    for (let step = 1; step <= total; step++) {
      await page.keyboard.press("j");
      await expect(slider).toHaveAttribute("aria-valuenow", String(step));
      const boxes = await play.boxes();
      expect(Object.keys(boxes).length, `boxes at step ${step}`).toBeGreaterThan(Object.keys(before).length);
      for (const [id, box] of Object.entries(boxes)) {
        places[id] ??= box;
        expect(box, `${id} at step ${step}`).toEqual(places[id]);
      }
    }
    expect(await now()).toBeLessThan(naive);
  });
  await test.step("a step has its card, whatever was chosen before it: a word of the program, and what a pasted one no longer has", async () => {
    await play.leaveFields();
    const word = await play.word("softmax");
    await page.mouse.click(word.x, word.y);
    await expect(play.card).not.toContainText("Why");
    await play.leaveFields();
    await page.keyboard.press("Home");
    await page.keyboard.press("j");
    await expect(play.card).toContainText("Why fused?");
    await page.mouse.click(word.x, word.y);
    await play.paste("a: f32[64, 64]\nb = exp(a)\nc = relu(b)\nreturn c\n");
    await expect(play.node("output c")).toBeVisible();
    await play.leaveFields();
    await page.keyboard.press("Home");
    await page.keyboard.press("j");
    await expect(play.card).toContainText("Why fused?");
  });
});

test("a line answers why and why not; Forbid and Fuse anyway plan again at once", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("a line answers why it was fused, with the numbers both ways", async () => {
    await play.line("y/0/0 to y/0").focus();
    await page.keyboard.press("Enter");
    await expect(play.card).toContainText("Why fused?");
    await expect(play.card).toContainText("It saves memory traffic.");
    await expect(play.card).toContainText("moves 48 MiB instead of 80 MiB");
    await expect(play.card).toContainText("Allowed");
    await expect(play.card).toContainText("Worth it");
    const times = play.card.getByRole("definition").or(play.card.locator("dd"));
    await expect(times.filter({ hasText: /µs/ })).toHaveCount(2);
    await play.card.getByRole("button", { name: "Close" }).click();
    await expect(play.card).toBeHidden();
  });
  await test.step("Forbid re-plans at once, Allow again takes it back, and both can be undone", async () => {
    const kernels = play.region("Score").getByRole("img", { name: /^Kernels/ });
    await play.line("y/0/0 to y/0").focus();
    await page.keyboard.press("Enter");
    await play.card.getByRole("button", { name: /^Forbid/ }).click();
    await expect(kernels).toHaveAccessibleName("Kernels: naive 3, now 2, end 2");
    await expect(play.region("Graph").getByRole("button", { name: /^Kernel K\d relu log/ })).toBeVisible();
    await expect(play.card).toContainText("Your choice. You drew a boundary");
    await play.card.getByRole("button", { name: "Allow again" }).click();
    await expect(kernels).toHaveAccessibleName("Kernels: naive 3, now 1, end 1");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(kernels).toHaveAccessibleName("Kernels: naive 3, now 2, end 2");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(kernels).toHaveAccessibleName("Kernels: naive 3, now 1, end 1");
  });
  await test.step("a line answers why not, and Fuse anyway stays off where it would be wrong", async () => {
    await play.type("x: f32[256, 256]\nw: f32[256, 256]\nh = x @ w\ny = h @ w\n");
    await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 2, now 2, end 2/ })).toBeVisible();
    await play.line(/^h to y,/).focus();
    await page.keyboard.press("Enter");
    await expect(play.card).toContainText("Why not fused?");
    await expect(play.card).toContainText("Not allowed");
    await expect(play.card).toHaveAttribute("data-code", /^L_/);
    const anyway = play.card.getByRole("button", { name: /^Fuse anyway/ });
    await expect(anyway).toBeDisabled();
    await expect(play.card).toContainText(/Not allowed: /);
  });
  await test.step("Fuse anyway fuses what the planner thought too dear", async () => {
    await play.type("x: f32[512, 512]\nw: f32[512, 512]\nh = exp(x)\ny = h @ w\n");
    await expect(play.node(/^matmul y/)).toBeVisible();
    await play.line(/^h to y,/).focus();
    await page.keyboard.press("Enter");
    await expect(play.card).toHaveAttribute("data-code", "C_RECOMPUTE");
    await expect(play.card).toContainText("Past a limit");
    await expect(play.card).toContainText(
      /The limit decides, not the predicted time, which would fall: [\d.]+ µs instead of [\d.]+ µs\./,
    );
    await expect(play.card).toContainText("Why not fused?");
    const kernels = play.region("Score").getByRole("img", { name: /^Kernels/ });
    await expect(kernels).toHaveAccessibleName("Kernels: naive 2, now 2, end 2");
    await play.card.getByRole("button", { name: /^Fuse anyway/ }).click();
    await expect(kernels).toHaveAccessibleName("Kernels: naive 2, now 1, end 1");
    await expect(play.card).toContainText("Your choice. You chose Fuse anyway");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(kernels).toHaveAccessibleName("Kernels: naive 2, now 2, end 2");
  });
});

/** Boxes of the graph that the open card lies over. */
async function hiddenByCard(play: Playground): Promise<string[]> {
  const { x, y, width, height } = (await play.card.boundingBox())!;
  const boxes = Object.entries(await play.boxes()) as [string, [number, number, number, number]][];
  const hidden = ([, [left, top, w, h]]: (typeof boxes)[number]): boolean =>
    left < x + width && x < left + w && top < y + height && y < top + h;
  return boxes.filter(hidden).map(([id]) => id);
}

test.describe("a middle window", () => {
  test.use({ viewport: { width: 1024, height: 768 } });

  test("a card hides no op that it tells of, though the graph is as wide as the canvas", async ({ page, play }) => {
    await play.open("./?example=softmax-xent");
    await expect(play.steps).toBeVisible();
    await play.leaveFields();
    await page.keyboard.press("Home");
    for (const [to, names] of [
      [2, ["shifted", "exp"]],
      [4, ["sum", "log"]],
    ] as const) {
      for (let step = 0; step < 2; step++) await page.keyboard.press("j");
      await expect(page.getByText(new RegExp(`^Step ${to} of`)).first()).toBeVisible();
      await expect(play.card).toBeVisible();
      for (const name of names) {
        const node = play.node(new RegExp(`lse[/.]${name}\\b`));
        await expect
          .poll(async () => {
            const [card, box] = [(await play.card.boundingBox())!, (await node.boundingBox())!];
            const apart = box.x + box.width <= card.x || card.x + card.width <= box.x;
            return apart || box.y + box.height <= card.y || card.y + card.height <= box.y;
          }, `${name} beside the card of step ${to}`)
          .toBe(true);
      }
    }
  });

  test("below a wide and low graph the card stands in two columns, and hides nothing", async ({ page, play }) => {
    await play.open("./?example=two-readers");
    await expect(play.steps).toBeVisible();
    await play.leaveFields();
    await page.keyboard.press("Home");
    await page.keyboard.press("j");
    await expect(play.card).toContainText("Why not fused?");
    await expect.poll(() => hiddenByCard(play)).toEqual([]);
  });
});

test("a card that comes while the step stays hides nothing either", async ({ page, play }) => {
  await play.open("./?example=vjp-mul");
  await expect(play.steps).toBeVisible();
  await play.boxesAtRest();
  await play.leaveFields();
  // Opened at its end, with no card: the last step is taken once more.
  await expect(play.card).toBeHidden();
  await page.keyboard.press("End");
  await expect(play.card).toContainText("Why fused?");
  await expect.poll(() => hiddenByCard(play)).toEqual([]);
});
