import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "./fixtures";

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing serious in the ${theme} theme`, async ({ page, play }) => {
    await page.emulateMedia({ colorScheme: theme });
    await play.open();
    await expect(play.steps).toBeVisible();
    await expect(play.editor).toBeVisible();
    const check = async (where: string): Promise<void> => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      const told = serious.map(
        ({ id, nodes }) =>
          `${where}: ${id}: ${nodes
            .map(({ target }) => target.join(" "))
            .slice(0, 5)
            .join(" | ")}`,
      );
      expect(told).toEqual([]);
    };
    await check("first screen");
    for (const tab of ["Loops", "Decisions", "Traffic"]) {
      await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
      await check(tab);
    }
    for (const command of ["Share", "Planning options", "All keys"]) {
      await play.command(command);
      await expect(page.getByRole("dialog")).toBeVisible();
      await check(command);
      await page.keyboard.press("Escape");
    }
    await page.setViewportSize({ width: 390, height: 844 });
    for (const pane of ["Text", "Graph", "Kernels", "Run"]) {
      await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: pane }).click();
      await check(`phone, ${pane}`);
    }
  });
}
