import { expect, Playground, test } from "./fixtures";

const text = (name: string): string => `x: f32[64, 64]\n${name} = tanh(x)\n`;

test("two tabs: one saves, the other's work is a copy, until its person saves there instead", async ({
  play,
  page,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  const other = new Playground(await page.context().newPage());
  await other.open();
  await expect(other.region("Score")).toContainText("Another tab saves the draft.");
  await play.type(text("long_work"));
  await expect(play.region("Program")).toContainText("saved,");
  await other.type(text("edit"));
  await expect(other.region("Program")).toContainText("saved as a copy");
  const draft = () => page.evaluate(() => localStorage.getItem("fusion-playground.draft"));
  await expect.poll(draft).toContain("long_work");
  await other.region("Score").getByRole("button", { name: "Save here instead" }).click();
  await expect.poll(draft).toContain("edit");
  await expect(play.region("Score")).toContainText("Another tab saves the draft.");
  const copies = await page.evaluate(() => localStorage.getItem("fusion-playground.previous"));
  expect(copies).toContain("long_work");
  await play.page.close();
  await other.page.reload();
  await expect(other.region("Program")).toContainText("edit");
  await other.type(text("again"));
  await expect(other.region("Program")).toContainText("saved,");
});

test("blocked site data: the page opens and says that nothing is saved", async ({ play, page }) => {
  await page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"]) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException("The operation is insecure.", "SecurityError");
        },
      });
    }
  });
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type(text("last"));
  await expect(play.node(/^tanh last/)).toBeVisible();
  await expect(play.region("Program")).toContainText("not saved");
});

test("names of the prototype are names like others", async ({ play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type(
    "constructor: f32[64, 64]\n__proto__: f32[64, 64]\ntoString = exp(constructor + __proto__)\nvalueOf = relu(toString)\n",
  );
  await expect(play.node(/^relu valueOf/)).toBeVisible();
  await expect(play.node(/^input constructor/)).toBeVisible();
  await play.leaveFields();
  for (const key of ["Home", "j", "End", "4", "5", "3", "2"]) await play.page.keyboard.press(key);
  await expect(play.region("Program")).toContainText("saved,");
  await play.page.reload();
  await expect(play.node(/^relu valueOf/)).toBeVisible();
});

test("a chunk that is gone is told, and the program stays", async ({ play, page, watch }) => {
  watch.expected.push(/Failed to load resource|dynamically imported module|Unable to preload/);
  await page.route(/ShareDialog/, (route) => route.abort());
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.command("Share");
  await expect(play.region("Score")).toContainText("A part of the page could not be loaded.");
  await expect(play.node(/^log y/)).toBeVisible();
});
