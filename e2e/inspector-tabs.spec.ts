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

test("every tab of the inspector shows what it is for, by press and by arrow key", async ({ page, play }) => {
  await play.open("./?example=softmax");
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
