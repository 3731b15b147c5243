import { expect, Playground, test } from "./fixtures";

// A software adapter takes its time, more so beside other work.
const LONG = { timeout: 120_000 };

/** Small, since a software adapter runs it; of `side` rows and columns. */
const program = (side: number): string => `x: f32[${side}, ${side}]\nb: f32[${side}, ${side}]\n\ny = relu(x + b)\n`;

/** One thread per element; `value` is what it stores. */
const kernel = (value: string, before = "", side = 64): string => `// workgroups: ${side ** 2 / 256}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn by_hand(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let sum = x[i] + b[i];
  ${before}y[i] = ${value};
}
`;

const editorOf = (play: Playground) => play.region("Kernels").locator(".monaco-editor").first();

/** Replaces the text of the kernel, as one types it. */
async function write(play: Playground, text: string): Promise<void> {
  await editorOf(play).click();
  await play.page.keyboard.press("Control+a");
  await play.page.keyboard.insertText(text);
}

async function begin(play: Playground, side = 64): Promise<void> {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type(program(side));
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 2, now 1, end 1/ })).toBeVisible();
  await play.region("Kernels").getByRole("button", { name: "Write it yourself" }).click();
  await expect(editorOf(play)).toContainText("workgroups: ");
}

test("a kernel by hand: an error at its line, wrong values, right ones; a link takes it along and runs nothing", async ({
  page,
  play,
  browser,
}) => {
  await begin(play);
  const kernels = play.region("Kernels");
  const measured = play.region("Measured");
  await expect(kernels.getByText("Edited by hand", { exact: true })).toBeVisible();
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: .* \(1 by hand\)/ })).toBeVisible();

  // The device's compiler says where, while one types.
  await write(play, kernel("max(sum, oops)"));
  const fault = kernels.getByRole("button", { name: /^Line 10, column \d+: .*oops/ });
  await expect(fault).toBeVisible(LONG);
  await fault.click();

  // It runs and computes something else: where, and what was expected.
  await write(play, kernel("sum"));
  await expect(kernels.getByText(/^Compiles\. Moves 48 KiB, like the generated kernel\./)).toBeVisible(LONG);
  // Before a run nobody knows its time, and what it moves is the text's, wherever it stands.
  await expect(play.region("Score").getByRole("img", { name: /^Predicted.*: naive .*, now –, end / })).toBeVisible();
  await expect(kernels).toContainText("Reads 32 KiB, writes 16 KiB.");
  await expect(play.region("Graph").getByRole("button", { name: /^Kernel K1 .*, 48 KiB by hand/ })).toBeVisible();
  await play.run.click();
  await expect(measured.getByText("K1, edited by hand: wrong values.")).toBeVisible(LONG);
  // The element, and what it should be.
  await expect(measured).toContainText(/y of the by-hand plan.*\[\d+(, \d+)*\]/);
  await expect(measured.getByText("Same result.")).toBeVisible();
  await expect(measured.getByRole("img", { name: /^Median time: naive .*fused/ })).not.toHaveAccessibleName(/by-hand/);

  await write(play, kernel("max(sum, 0.0)"));
  await play.run.click();
  await expect(measured.getByText("K1, edited by hand: right.")).toBeVisible(LONG);
  await expect(measured).toContainText(/the generated kernel [\d.,]+ .s, the naive plan [\d.,]+ .s/);
  await expect(measured.getByRole("img", { name: /^Median time: naive .*by-hand/ })).toBeVisible();
  await expect(measured.getByRole("img", { name: "by-hand: 2 read, 1 written" })).toBeVisible();

  // A program that binds something else sets the text aside; undo brings it back.
  await play.type(program(64).replace("x + b", "x"));
  await expect(play.region("Score")).toContainText("A kernel edited by hand is set aside", LONG);
  await expect(kernels.getByText("Set aside: one text edited by hand")).toBeVisible();
  await play.editor.click();
  await page.keyboard.press("Control+z");
  await expect(kernels.getByText("Edited by hand", { exact: true })).toBeVisible();

  const link = await play.share();
  const elsewhere = await browser.newContext();
  const other = await elsewhere.newPage();
  await other.goto(link);
  await expect(other.getByText("Edited by hand", { exact: true })).toBeVisible(LONG);
  await expect(other.getByText(/^Moves 48 KiB, like/)).toBeVisible(LONG);
  await expect(other.getByText(/^nothing yet/)).toBeVisible();
  await other.getByRole("banner").getByRole("button", { name: /^Run/ }).click();
  await expect(other.getByText("K1, edited by hand: right.")).toBeVisible(LONG);
  await elsewhere.close();

  await kernels.getByRole("button", { name: "Reset to generated" }).click();
  await expect(kernels.getByRole("button", { name: "Write it yourself" })).toBeVisible();
});

test("a kernel that is right and slow is told by its time; one that the device refuses is not run, and told with its line", async ({
  play,
}) => {
  await begin(play);
  await test.step("a kernel that is right and slow is told by its time", async () => {
    const measured = play.region("Measured");
    const late = "var late = 0.0;\n  for (var k = 0u; k < 3000u; k++) { late += abs(sin(f32(k))); }\n  ";
    await write(play, kernel("select(max(sum, 0.0), 1.0, late < 0.0)", late));
    await play.run.click();
    await expect(measured.getByText("K1, edited by hand: right.")).toBeVisible(LONG);
    await expect(measured).toContainText("Slower than generated.", LONG);
  });
  await test.step("a kernel that the device refuses is not run, and told with its line; the plans run all the same", async () => {
    const measured = play.region("Measured");
    await write(play, kernel("max(sum, 0.0)").replace("@workgroup_size(256)", "@workgroup_size(4096)"));
    await play.run.click();
    await expect(measured.getByText("K1, edited by hand: not run.")).toBeVisible(LONG);
    await expect(measured).toContainText(/Line \d+, column \d+: .*4,?096/);
    await expect(measured.getByText("Same result.")).toBeVisible(LONG);
  });
});

test.describe("a browser of its own", () => {
  test.use({ apart: true });

  test("a GPU that goes away under a kernel by hand is told with its name; the text stays, and runs again", async ({
    play,
    context,
  }) => {
    const session = await context.browser()!.newBrowserCDPSession();
    await begin(play, 256);
    // Some seconds on a software adapter, and fewer turns than are allowed.
    const turn = Array.from({ length: 12 }, (_, n) => `sin(f32(k + ${n}u))`).join(" + ");
    const long = `var late = 0.0;\n  for (var k = 0u; k < 4000u; k++) { late += abs(${turn}); }\n  `;
    await write(play, kernel("select(max(sum, 0.0), 1.0, late < 0.0)", long, 256));
    await play.run.click();
    // Before that a new device would replace the lost one, and the kernel run to its end.
    await expect(play.region("Score")).toContainText("Trying the hand-written kernel", LONG);
    void session.send("Browser.crashGpuProcess" as "Browser.close").catch(() => undefined);
    await expect(play.page.getByText(/While K1, edited by hand, ran: .*GPU went away/).first()).toBeVisible(LONG);
    await expect(editorOf(play)).toContainText("4000u");
    await write(play, kernel("max(sum, 0.0)", "", 256));
    await expect(play.run).toHaveText(/Run both/, LONG);
    await play.run.click();
    await expect(play.region("Measured").getByText("K1, edited by hand: right.")).toBeVisible(LONG);
  });
});

test("a stranger's link with a kernel that never ends, and with markup in it, runs nothing and shows words; run, it is stopped", async ({
  play,
  browser,
}) => {
  await begin(play);
  const markup = "</script><img src=x onerror='window.taken = true'>";
  await write(play, kernel("max(sum, 0.0)", `// ${markup}\n  loop { y[i] = sum; }\n  `));
  const link = await play.share();
  const elsewhere = await browser.newContext();
  const other = await elsewhere.newPage();
  await other.goto(link);
  await expect(other.getByText("Edited by hand", { exact: true })).toBeVisible(LONG);
  await expect(other.getByText(/^nothing yet/)).toBeVisible();
  await expect(other.locator(".monaco-editor").filter({ hasText: "onerror" })).toBeVisible(LONG);
  expect(await other.evaluate(() => ["taken" in window, document.querySelectorAll('img[src="x"]').length])).toEqual([
    false,
    0,
  ]);
  await other.getByRole("banner").getByRole("button", { name: /^Run/ }).click();
  const measured = new Playground(other).region("Measured");
  await expect(measured.getByText("K1, edited by hand: stopped.")).toBeVisible(LONG);
  await expect(measured).toContainText(/A loop took more than [\d,]+ iterations in one thread/);
  await expect(measured.getByText("Same result.")).toBeVisible(LONG);
  await expect(measured.getByRole("img", { name: /^Median time: naive .*fused/ })).toBeVisible();
  await elsewhere.close();
});

test("a puzzle is solved by a kernel that moves less and is right", async ({ page, play }) => {
  await play.open("./#lesson=read-the-row-once");
  const task = page.getByRole("region", { name: "Your turn" });
  await expect(task).toContainText("Not yet: it moves 1.5 MiB, and it has not run to its end yet.", LONG);
  const traffic = play.region("Score").getByRole("img", { name: /^Memory traffic/ });
  await expect(traffic).toHaveAccessibleName("Memory traffic: naive 1.5, now 1.5, end 1 MiB");
  // What the compiler refuses has no values that could be wrong.
  await expect(editorOf(play)).toBeVisible(LONG);
  await write(
    play,
    kernel("nothing")
      .replace(/.*binding\(1\).*\n/, "")
      .replace("binding(2)", "binding(1)")
      .replace(" + b[i]", ""),
  );
  await play.run.click();
  await expect(play.region("Measured").getByText("K1, edited by hand: not run.")).toBeVisible(LONG);
  await expect(play.run).toHaveText(/Run both/, LONG);
  await expect(task).toContainText("it has not run to its end yet.");
  await task.getByRole("button", { name: "Show a solution" }).click();
  await task.getByRole("button", { name: "Really show it?" }).click();
  await task.getByRole("button", { name: "Put it into the kernel" }).click();
  await expect(task).toContainText("Not yet: it moves 1 MiB, and it has not run to its end yet.", LONG);
  await play.run.click();
  await expect(traffic).toHaveAccessibleName("Memory traffic: naive 1.5, now 1, end 1 MiB");
  await expect(task).toContainText(/Done\.Now1 MiB.*Best known1 MiB/, LONG);
  await expect(play.region("Measured").getByText("K1, edited by hand: right.")).toBeVisible();
  // The kernel of this device, a CPU, reads the row again; the one that is shown holds it in registers.
  await expect(
    play.region("Measured").getByText(/Moves 1 MiB; the kernel generated for this device moves 1\.5 MiB\./),
  ).toBeVisible();
  await expect(play.region("Kernels").getByRole("status")).toHaveText(
    "Compiles. Moves 1 MiB, like the generated kernel. The one generated for this device moves 1.5 MiB.",
  );

  // Another program leaves the puzzle: it is in sight at once.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Softmax");
  await page.keyboard.press("Enter");
  await expect(task).toBeHidden();
  await expect(play.region("Program")).toContainText("softmax");
});

test("at 1024 px the kernel of a puzzle is in sight below its task, and the next puzzle follows", async ({
  page,
  play,
}) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await page.goto("./#lesson=read-the-row-once");
  const code = play.region("Kernels").locator(".monaco-editor").first();
  await expect(code).toBeVisible(LONG);
  await expect.poll(async () => (await code.boundingBox())!.height).toBeGreaterThan(150);
  const task = page.getByRole("region", { name: "Your turn" });
  await expect(task).toBeInViewport();
  // The run of both plans says that they agree: what is said of one's own kernel is in sight as well.
  await play.run.click();
  await expect(task.getByText("Not yet: it moves 1.5 MiB, and its values are right.")).toBeInViewport(LONG);
  await page.getByRole("button", { name: "Next puzzle" }).click();
  await expect(page).toHaveURL(/half-of-a-matrix\/1$/);
});
