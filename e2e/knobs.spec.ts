import { expect, test } from "./fixtures";

const norm = "x: f32[64, 768]\ny = layer_norm(x)\nz = softmax(y * y, dim=-1).sum()\nreturn y, z\n";

test("a kernel's knobs: rows read again, threads joined by subgroups, strides, times of each value, a link", async ({
  page,
  play,
}) => {
  await play.open();
  await test.step("a row read again on each pass: the counts, the code beside the planner's, one undo step", async () => {
    await play.command("LayerNorm");
    const kernels = play.region("Kernels");
    await play.command("Show the final plan");
    await expect(kernels).toContainText("cached in registers");
    await kernels.getByRole("button", { name: "Knobs" }).click();
    const knobs = kernels.getByRole("region", { name: "Knobs" });
    await expect(knobs).toContainText("Planner defaults.");
    const rows = knobs.getByRole("combobox", { name: "Row loads" });
    await rows.selectOption({ label: "on each pass" });
    await expect(kernels).toContainText("read again on each pass");
    const transfers = knobs.getByRole("row", { name: /^Transfers/ });
    await expect(transfers).toHaveText(/4\s*6$/);
    await rows.selectOption({ label: "on each pass, two passes merged" });
    await expect(transfers).toHaveText(/4\s*5$/);
    await expect(kernels).toContainText("Reads 12 MiB, writes 6 MiB");
    await knobs.getByRole("button", { name: "Diff with the planner" }).click();
    const dialog = page.getByRole("dialog", { name: /planner and chosen/ });
    await expect(dialog.getByRole("textbox", { name: "WGSL as chosen, read-only" })).toBeAttached();
    await expect(dialog.locator(".editor.modified")).toContainText("read again on each");
    await expect(dialog.locator(".editor.original")).toContainText("cached in registers");
    await dialog.getByRole("button", { name: "Close" }).click();
    const threads = knobs.getByRole("combobox", { name: /^Threads(?! join)/ });
    await expect(threads.getByRole("option", { name: "1024, unsupported" })).toBeDisabled();
    // Nobody chose what is not possible: the reason is there for who asks.
    const reason = knobs.getByText("A workgroup has 256 threads at most on this machine").first();
    await expect(reason).toBeHidden();
    await knobs.getByText(/^Why not .*1024/).click();
    await expect(reason).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(transfers).toHaveText(/4\s*6$/);
    await knobs.getByRole("button", { name: "Reset to planner defaults" }).click();
    await expect(knobs).toContainText("Planner defaults.");
  });
  await test.step("threads that join by subgroups: shuffles instead of a tree, a sixteenth of the workgroup memory", async () => {
    await play.command("LayerNorm");
    const kernels = play.region("Kernels");
    await play.command("Show the final plan");
    const knobs = kernels.getByRole("region", { name: "Knobs" });
    await knobs.getByRole("combobox", { name: "Combine threads" }).selectOption({ label: "subgroups" });
    await expect(knobs.getByRole("row", { name: /^Workgroup memory/ })).toHaveText(/2 KiB\s*128 B$/);
    await knobs.getByRole("button", { name: "Diff with the planner" }).click();
    const dialog = page.getByRole("dialog", { name: /planner and chosen/ });
    await expect(dialog.locator(".editor.modified")).toContainText("subgroupShuffleXor");
    await expect(dialog.locator(".editor.original")).not.toContainText("subgroupShuffleXor");
  });
  await test.step("how neighbouring threads read each operand: side by side, and with a stride where one asks for it", async () => {
    await page.keyboard.press("Escape");
    await play.type("x: f32[256, 512]\nr: f32[512, 256]\ny = x.T + r\n");
    const kernels = play.region("Kernels");
    await kernels.getByRole("tab", { name: "Traffic" }).click();
    const pictures = kernels.getByRole("region", { name: "Neighbouring threads" });
    await expect(pictures.getByRole("img", { name: /^r, read: / })).toBeVisible();
    await expect(pictures).not.toContainText("of them used");
    const knobs = kernels.getByRole("region", { name: "Knobs" });
    await knobs.getByRole("combobox", { name: "Transposed reads" }).selectOption({ label: "directly, with a stride" });
    await knobs.getByRole("combobox", { name: "vec4" }).selectOption({ label: "one by one" });
    const strided = pictures.getByRole("img", {
      name: /^x, read: 512 elements apart\. 32 segments of 128 B for 128 B/,
    });
    await expect(strided).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(strided).toHaveCount(0);
  });
  await test.step("a knob is timed at each of its values on this device", async () => {
    await play.type("x: f32[64, 256]\ny = relu(x * 2 + 1)\n");
    // Until its plan is there, the knobs are those of the program before.
    await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 3,/ })).toBeVisible();
    const kernels = play.region("Kernels");
    const knobs = kernels.getByRole("region", { name: "Knobs" });
    await knobs.getByRole("button", { name: "Time each: vec4" }).click();
    const chart = knobs.getByRole("figure");
    await expect(chart).toContainText("measured on swiftshader");
    await expect(chart.getByRole("img")).toHaveCount(2);
    await expect(chart.getByRole("img", { name: /^vec4: [\d.,]+ (ns|µs|ms) ±/ })).toBeVisible();
    await play.type("x: f32[64, 256]\ny = relu(x)\n");
    await expect(chart).toHaveCount(0);
  });
  await test.step("a choice for every kernel goes along in a link", async () => {
    await play.type(norm);
    const kernels = play.region("Kernels");
    const knobs = kernels.getByRole("region", { name: "Knobs" });
    await knobs.getByRole("button", { name: "Every kernel" }).click();
    await knobs.getByRole("combobox", { name: /^Threads(?! join)/ }).selectOption("64");
    await expect(kernels).toContainText("64 threads");
    const link = await play.share();
    await page.goto("about:blank");
    await play.open(link);
    await expect(kernels).toContainText("64 threads");
  });
});
