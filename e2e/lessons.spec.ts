/** @file A student takes a lesson: predicts, sees the numbers, does a task, and finds the progress again. */
import { expect, test } from "./fixtures";

test("a question is answered by a number, an edge or a line; before, nothing gives the answer away", async ({
  page,
  play,
}) => {
  await test.step("a prediction uncovers the numbers and says why", async () => {
    await page.goto("./#lesson=rows-in-registers/2");
    const card = page.getByRole("region", { name: "Predict first" });
    await expect(card.getByRole("heading")).toHaveText("How many MiB will the fused softmax move?");
    const traffic = page.getByRole("img", { name: /^Memory traffic/ });
    await expect(traffic).toHaveAccessibleName(/naive 256, now 256, end covered/);
    await expect(page.getByRole("button", { name: "Next", exact: true })).toBeDisabled();
    await card.getByRole("textbox").fill("96");
    await card.getByRole("button", { name: "Lock in 96 MiB" }).click();
    await expect(card).toContainText("Not quite: 64 MiB; you said 96");
    // What speaks against this very number, then the reason.
    await expect(card).toContainText("That would be two reads of x.");
    await expect(card).toContainText("x is read once");
    await expect(traffic).toHaveAccessibleName(/naive 256, now 64, end 64/);
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await expect(page).toHaveURL(/#lesson=rows-in-registers\/3$/);
  });
  await test.step("a question about the naive plan is not answered by the traffic beside it", async () => {
    await page.goto("./#lesson=what-a-matmul-can-carry");
    const card = page.getByRole("region", { name: "Predict first" });
    await expect(card.getByRole("heading")).toContainText("How many FLOP is that for each byte?");
    const kernels = play.region("Kernels");
    await expect(kernels).toContainText("The traffic is covered until you answer.");
    await expect(kernels).not.toContainText("Arithmetic intensity");
    await card.getByRole("textbox").fill("171");
    await card.getByRole("button", { name: "Lock in 171 FLOP" }).click();
    await expect(kernels.getByRole("row", { name: /^Arithmetic intensity 171/ })).toBeVisible();
  });
  await test.step("an edge that is clicked answers a question; before, nothing is said of it, and then its card says why", async () => {
    await page.goto("./#lesson=one-kernel-instead-of-three/2");
    const card = page.getByRole("region", { name: "Predict first" });
    await expect(card).toContainText("Click an edge in the graph.");
    await expect(play.steps).toHaveCount(0);
    await expect(play.card).toHaveCount(0);
    // Between two near boxes, too, the line takes the press, not their ports.
    for (const line of ["h to g", "g to y"]) {
      const middle = await play.line(new RegExp(`^${line},`)).evaluate((edge) => {
        const { x, y, width, height } = edge.querySelector(".pipe-hit")!.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      });
      await page.mouse.click(middle.x, middle.y);
      await expect(card).toContainText(`You chose ${line.replace("to", "→")}.`);
    }
    await play.line(/^bias to h/).focus();
    await page.keyboard.press("Enter");
    await expect(card).toContainText("You chose bias → h.");
    await card.getByRole("button", { name: "Lock in" }).click();
    await expect(card).toContainText("Not quite: h → g or g → y; you said bias → h");
    await expect(card).toContainText("bias is an input");
    await expect(play.card).toContainText("It saves memory traffic.");
  });
  await test.step("no sign of a verdict stands in the graph while a question waits", async () => {
    await page.goto("./#lesson=when-fusion-hurts/5");
    const card = page.getByRole("region", { name: "Predict first" });
    await expect(card).toBeVisible();
    await expect(play.line(/^g to s/)).toBeVisible();
    await expect(play.region("Graph").getByRole("group", { name: /candidate|refused/ })).toHaveCount(0);
    await card.getByRole("button", { name: "I cannot tell" }).click();
    await expect(
      play
        .region("Graph")
        .getByRole("group", { name: /refused/ })
        .first(),
    ).toBeAttached();
  });
  await test.step("a line that is clicked in the program answers a question; a wrong one is told what speaks against it", async () => {
    await page.goto("./#lesson=normalise/7");
    const card = page.getByRole("region", { name: "Predict first" });
    const line = (name: string) => page.locator(".view-line", { hasText: new RegExp(`^${name}\\s=`) });
    await line("mean").click();
    await expect(card).toContainText("You chose mean = row.sum(-1, keepdim=True) / H.");
    await card.getByRole("button", { name: "Lock in" }).click();
    await expect(card).toContainText("Not quite: diff; you said mean");
    await expect(card).toContainText("this mean is right. A spare value is 0");
  });
});

test("between two columns and three, code and program take turns below a lesson", async ({ page, play }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto("./#lesson=one-value-two-readers/2");
  const card = page.getByRole("region", { name: "Predict first" });
  await card.getByRole("button", { name: "I cannot tell" }).click();
  await expect(play.region("Program")).toBeVisible();
  await page.getByRole("button", { name: "Next", exact: true }).click();
  // The step speaks of the code.
  const shownTab = play.region("Kernels").getByRole("tab", { selected: true });
  await expect(play.region("Kernels").locator("code, .view-lines").first()).toContainText("var<storage");
  await page.getByRole("button", { name: "Show the program below the lesson" }).click();
  await expect(play.region("Kernels")).toBeHidden();
  await play.leaveFields();
  await page.keyboard.press("4");
  await expect(shownTab).toHaveText("Traffic");
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await expect(play.region("Program")).toBeVisible();

  // A task that is done by a choice has its panel; one that changes the program has its lines.
  await page.goto("about:blank");
  await page.goto("./#lesson=what-the-backward-pass-saves/7");
  await expect(shownTab).toHaveText("Traffic");
  const panel = play.region("Kernels").getByRole("tabpanel");
  await expect(panel.getByText("What the backward pass saves")).toBeVisible();
  await panel.getByRole("radio", { name: /min-cut/ }).check();
  await expect(page.getByRole("region", { name: "Your turn" })).toContainText("Done.");
  await page.goto("about:blank");
  await page.goto("./#lesson=memory-is-the-cost/6");
  await expect(page.getByRole("region", { name: "Your turn" })).toContainText("Not yet");
  await expect(play.editor.getByText("return y, b")).toBeInViewport();
});

test("a puzzle is solved by hand, its hint and solution stay hidden until asked for, and progress is found again", async ({
  page,
  play,
}) => {
  await page.goto("./");
  await page.getByRole("button", { name: "Lessons and puzzles" }).click();
  const puzzle = page.getByRole("dialog").getByRole("button", { name: /Matrix, matrix, vector/ });
  await puzzle.click();
  const task = page.getByRole("region", { name: "Your turn" });
  await expect(task).toContainText("Not yet: 64 MiB moved.");
  await expect(task).not.toContainText("Hint 1");
  await task.getByRole("button", { name: "Give me a hint" }).click();
  await expect(task).toContainText("Hint 1 of 2.");
  await task.getByRole("button", { name: "Show a solution" }).click();
  await expect(task.locator("pre")).toHaveCount(0);
  await task.getByRole("button", { name: "Really show it?" }).click();
  await task.getByRole("button", { name: "Put it into the program" }).click();
  await expect(task).toContainText(/Done\.Now32 .*Best known32/);
  await page.getByRole("button", { name: "All lessons" }).click();
  await expect(puzzle).toContainText("solved");
  await page.reload();
  await expect(play.run).toBeVisible();
  await play.leaveFields();
  await page.keyboard.press("l");
  await expect(puzzle).toContainText("solved");
});

test("a program that computes something else does not solve a puzzle", async ({ page, play }) => {
  await page.goto("./#lesson=all-pairs");
  const task = page.getByRole("region", { name: "Your turn" });
  await expect(task).toContainText("Not yet");
  await play.paste("N = 8192\nx: f32[N]\ns = x.sum()\nreturn s\n");
  await expect(task).toContainText(/Output 1 differs/);
  const sum = "s = 2 * (N * (x * x).sum() - x.sum() * x.sum())\nreturn s\n";
  await play.paste(`N = 64\nx: f32[N]\n${sum}`);
  await expect(task).toContainText("x is f32[64] here; the task gives f32[8192].");
  await play.paste(`N = 8192\nx: f32[N]\n${sum}`);
  await expect(task).toContainText("Done.");
});

for (const [width, height] of [
  [1024, 768],
  [1440, 900],
] as const) {
  test(`an answer that is chosen brings “Lock in” into sight, on a page of ${width} by ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto("./#lesson=memory-is-the-cost/3");
    const card = page.getByRole("region", { name: "Predict first" });
    for (const answer of await card.getByRole("radio").all()) {
      await answer.check();
      await expect(answer).toBeInViewport();
      await expect(card.getByRole("button", { name: "Lock in" })).toBeInViewport({ ratio: 1 });
    }
  });
}
