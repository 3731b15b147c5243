import { expect, test } from "./fixtures";

/** What each tab shows of a softmax, in the order of the tabs. */
const TABS: readonly (readonly [title: string, words: RegExp])[] = [
  ["WGSL", /@compute/],
  ["Loops", /for /],
  ["Decisions", /Fuse row reductions/],
  ["Traffic", /Full-size transfers/],
  ["Memory", /Alive at the peak/],
  ["Values", /\d/],
];

test("a softmax is read in every tab of the inspector, by press and by arrow key, and in CUDA and Triton", async ({
  page,
  play,
}) => {
  await play.open("./?example=softmax");
  await test.step("every tab of the inspector shows what it is for, by press and by arrow key", async () => {
    const tabOf = (title: string) => page.getByRole("tab", { name: new RegExp(`^${title}`) });
    await expect(page.getByRole("tablist", { name: "Kernel details" }).getByRole("tab")).toHaveCount(TABS.length);
    for (const [title, words] of TABS) {
      await tabOf(title).click();
      await expect(tabOf(title)).toHaveAttribute("aria-selected", "true");
      await expect(play.region("Kernels").getByRole("tabpanel")).toContainText(words);
    }
    await tabOf("WGSL").click();
    for (const [title] of TABS.slice(1)) {
      await page.keyboard.press("ArrowRight");
      await expect(tabOf(title)).toBeFocused();
    }
  });
  await test.step("the values of another program are not asked of an op that was selected in this one", async () => {
    const tab = page.getByRole("tab", { name: /^Values/ });
    await play.type("x: f32[2, 3]\ny = relu(exp(x))\n");
    await play.node(/^relu/).click();
    await tab.click();
    await expect(play.region("Kernels").getByRole("group", { name: "Values of y relu" })).toContainText("Elements6");
    await play.type("x: f32[2, 3]\nm = relu(exp(x))\n");
    await expect(play.region("Kernels").getByRole("group", { name: "Values of m relu" })).toContainText("Elements6");
    await play.example("Softmax");
  });
  await test.step("a kernel is read in CUDA and in Triton, and neither is run", async () => {
    await expect(play.steps).toBeVisible();
    await page.getByRole("button", { name: "Export…" }).click();
    await page.getByRole("button", { name: "Read as CUDA or Triton" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("not run here");
    await expect(dialog).toContainText("__global__ void");
    await expect(dialog).toContainText("__syncthreads();");
    await dialog.getByRole("button", { name: "Triton" }).click();
    await expect(dialog).toContainText("tl.program_id(0)");
  });
});
