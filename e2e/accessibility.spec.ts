import { axe } from "./axe";
import { expect, test } from "./fixtures";

test("axe finds nothing serious, in either theme", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await expect(play.editor).toBeVisible();
  const check = async (where: string, inside = "body"): Promise<void> => {
    for (const [colorScheme, rules] of [
      ["dark", "colours"],
      ["light", undefined],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
      const { violations } = await axe(page, rules).include(inside).analyze();
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      const told = serious.map(
        ({ id, nodes }) =>
          `${where}, ${colorScheme}: ${id}: ${nodes
            .map(({ target }) => target.join(" "))
            .slice(0, 5)
            .join(" | ")}`,
      );
      expect(told).toEqual([]);
    }
  };
  await check("first screen");
  for (const tab of ["Loops", "Decisions", "Traffic", "Memory"]) {
    await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
    await check(tab, "[data-pane=kernels]");
  }
  for (const command of ["Share", "Planning options", "All keys", "Notes and glossary"]) {
    await play.command(command);
    await expect(page.getByRole("dialog")).toBeVisible();
    await check(command, command === "Planning options" ? "[role=dialog]" : "dialog[open]");
    await page.keyboard.press("Escape");
  }
  await play.command("Take the tour");
  await expect(page.getByRole("dialog", { name: "Tour" })).toBeVisible();
  await check("tour");
  await page.keyboard.press("Escape");
  await play.leaveFields();
  await page.keyboard.press("End");
  await play.line("y/0/0 to y/0").focus();
  await page.keyboard.press("Enter");
  await check("why fused", "[data-pane=graph]");
  await play.node(/^relu/).focus();
  await page.keyboard.press("Enter");
  await check("inspector of an op", "[data-pane=graph]");
  await play.region("Graph").getByRole("button", { name: "Op", exact: true }).click();
  await check("palette", "[data-pane=graph]");
  await page.keyboard.press("Escape");
  await play.type("x: f32[64, 64]\ny = gelo(x)\n");
  await expect(play.region("Score")).toContainText("does not compile");
  await check("a mistake", "main");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const pane of ["Text", "Graph", "Kernels", "Run"]) {
    await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: pane }).click();
    await check(`phone, ${pane}`);
  }
  await page.goto("./?embed=1&example=masked-lanes&pane=run");
  await expect(page.getByRole("group", { name: /^One line adds/ })).toBeVisible();
  await check("embedded, a task");
});
