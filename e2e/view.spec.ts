/** @file Where the page looks: at all of a program that comes, and where a person looked. */
import { expect, test } from "./fixtures";

test("a pasted program is shown whole, wherever the one before it was looked at; one's own view stays while one types", async ({
  page,
  play,
}) => {
  const text = "x: f32[256, 512]\nw: f32[512, 512]\nb: f32[512]\nh = x @ w + b\ny = relu(h)\nreturn y\n";
  await play.open();
  const canvas = (await play.region("Graph").getByRole("application").boundingBox())!;
  /** Boxes that the pane cuts off. */
  const cut = async (): Promise<string[]> =>
    Object.entries(await play.boxesAtRest()).flatMap(([id, [x, y, width, height]]) =>
      x! >= canvas.x &&
      y! >= canvas.y &&
      x! + width! <= canvas.x + canvas.width &&
      y! + height! <= canvas.y + canvas.height
        ? []
        : id,
    );
  const pull = async (): Promise<void> => {
    await page.mouse.move(canvas.x + canvas.width * 0.2, canvas.y + canvas.height * 0.9);
    await page.mouse.down();
    await page.mouse.move(canvas.x + canvas.width * 0.5, canvas.y + canvas.height * 0.3, { steps: 5 });
    await page.mouse.up();
  };
  await play.paste(text);
  await expect(play.node(/^matmul/)).toBeVisible();
  await pull();
  expect(await cut()).not.toEqual([]);
  await test.step("one's own view stays while one types", async () => {
    const before = await play.boxesAtRest();
    await play.editor.click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.insertText("# mine\n");
    await expect.poll(() => play.text()).toContain("# mine");
    expect(await play.boxesAtRest()).toEqual(before);
  });
  await test.step("another program is looked at anew, also one whose ops have the same names", async () => {
    await play.paste("x: f32[8]\nh = exp(x)\ny = h + 1\nreturn y\n");
    await expect(play.node(/^exp h/)).toBeVisible();
    expect(await cut()).toEqual([]);
  });
  await test.step("a press moves no view and holds none: what is typed after it is in sight", async () => {
    await play.node(/^exp h/).click();
    const lines = Array.from({ length: 4 }, (_, i) => `y${i} = tanh(${i === 0 ? "y" : `y${i - 1}`})`);
    await play.paste(["x: f32[8]", "h = exp(x)", "y = h + 1", ...lines, "return y3", ""].join("\n"));
    await expect(play.node(/^tanh/)).toBeVisible();
    expect(await cut()).toEqual([]);
  });
});

test("an op that keys add and connect beside a return is drawn below what feeds it, in sight, once it is returned", async ({
  page,
  play,
}) => {
  await play.open();
  await play.paste("x: f32[64, 64]\nw: f32[64, 64]\nh = x @ w\ny = relu(h)\nreturn y\n");
  await expect(play.node(/^relu/)).toBeVisible();
  await play.node(/^relu/).click();
  await page.keyboard.press("a");
  await page.getByRole("combobox", { name: "Add an op" }).fill("tanh");
  await page.keyboard.press("Enter");
  await expect(play.node(/^tanh/)).toBeFocused();
  await page.keyboard.press("c");
  await page
    .getByRole("option", { name: /relu|\by\b/ })
    .first()
    .click();
  await expect.poll(() => play.text()).toMatch(/= tanh\(y\)/);
  // Nothing reads it: the program says how it is kept.
  await play
    .region("Program")
    .getByRole("button", { name: /^Return \w+, too/ })
    .click();
  await expect.poll(() => play.text()).toMatch(/return y, \w+$/);
  await expect(play.node(/^tanh/)).toBeInViewport({ ratio: 0.99 });
  const boxes = await play.boxesAtRest();
  const [of, below] = [boxes["y"]!, Object.entries(boxes).find(([id]) => /^tanh_?\d*$/.test(id))![1]];
  expect(below[1]).toBeGreaterThanOrEqual(of[1]! + of[3]!);
});
