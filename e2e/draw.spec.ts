import { expect, test, type Playground } from "./fixtures";

type Point = readonly [x: number, y: number];

async function middle(play: Playground, name: string | RegExp): Promise<Point> {
  const box = (await play.node(name).boundingBox())!;
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Draws a line by mouse from the lower edge of a box; ends at `to`, the button still down. */
async function drawFrom(play: Playground, name: string | RegExp, to: Point): Promise<void> {
  const { mouse } = play.page;
  const box = (await play.node(name).boundingBox())!;
  await mouse.move(box.x + box.width / 2, box.y + box.height);
  await mouse.down();
  await mouse.move(to[0] + 14, to[1] - 20, { steps: 5 });
  await mouse.move(to[0], to[1], { steps: 5 });
}

/** Where operand `operand` of a box is to be met by a line. */
async function port(play: Playground, name: string | RegExp, operand: number): Promise<Point> {
  const handle = play.node(name).locator(`[data-handleid="in${operand}"]`);
  const box = (await handle.boundingBox())!;
  return [box.x + box.width / 2, box.y + box.height / 2];
}

async function write(play: Playground, text: string): Promise<void> {
  await play.type(text);
  // Typing ends here: what follows is another step of undo.
  await play.page.waitForTimeout(900);
}

async function start(play: Playground, text: string): Promise<void> {
  await play.open();
  await expect(play.steps).toBeVisible();
  await write(play, text);
}

test("a graph is drawn by the mouse: from the palette, by a double click, on an empty canvas", async ({
  page,
  play,
}) => {
  await test.step("an op found in the palette is dragged in, fed by dragging, and the comments stay", async () => {
    await start(play, "# what comes in\nx: f32[64, 64]  # square\n");
    const palette = page.getByRole("listbox", { name: "Add an op" });
    await play.region("Graph").getByRole("button", { name: "Op", exact: true }).click();
    await page.getByRole("combobox", { name: "Add an op" }).fill("tanh");
    const target = play.region("Graph").getByRole("application");
    const room = (await target.boundingBox())!;
    await palette
      .getByRole("option", { name: /^tanh / })
      .dragTo(target, { targetPosition: { x: room.width * 0.4, y: room.height * 0.6 } });
    await expect.poll(() => play.text()).toContain("tanh(...)");
    const box = play.node(/^tanh/);
    await expect(box).toBeVisible();
    const dropped = (await box.boundingBox())!;
    expect(Math.abs(dropped.x - room.x - room.width * 0.4)).toBeLessThan(170);
    expect(Math.abs(dropped.y - room.y - room.height * 0.6)).toBeLessThan(60);
    await page.keyboard.press("Escape");

    await drawFrom(play, /^input x/, await port(play, /^tanh/, 0));
    await page.mouse.up();
    await expect.poll(() => play.text()).toMatch(/^# what comes in\nx: f32\[64, 64\]  # square\n\w+ = tanh\(x\)$/);
    await expect(play.region("Kernels").getByRole("heading")).toContainText("tanh");

    // One undo step for each gesture.
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => play.text()).toContain("tanh(...)");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => play.text()).toBe("# what comes in\nx: f32[64, 64]  # square");
    await page.getByRole("button", { name: "Redo" }).click();
    await page.getByRole("button", { name: "Redo" }).click();
    await expect.poll(() => play.text()).toContain("tanh(x)");
  });
  await test.step("a call stays one box where it was dropped, covers nothing, and undo takes its lines back", async () => {
    await write(play, "x");
    await page.keyboard.press("Backspace");
    await expect(page.getByText("Nothing here yet")).toBeVisible();
    const canvas = (await play.region("Graph").getByRole("application").boundingBox())!;
    const drop = async (op: string, x: number, y: number): Promise<Point> => {
      const at = [canvas.x + canvas.width * x, canvas.y + canvas.height * y] as const;
      await page.mouse.dblclick(...at);
      await page.getByRole("combobox", { name: "Add an op" }).fill(op);
      await page.getByRole("option", { name: new RegExp(`^${op} `) }).click();
      await expect(play.node(new RegExp(`^${op}`))).toBeVisible();
      return at;
    };
    const overlaps = async (): Promise<string[]> => {
      const boxes = Object.entries(await play.boxes());
      return boxes.flatMap(([id, [x, y, width, height]], i) =>
        boxes
          .slice(i + 1)
          .filter(([, [a, b, w, h]]) => x! < a! + w! && a! < x! + width! && y! < b! + h! && b! < y! + height!)
          .map(([other]) => `${id} ${other}`),
      );
    };
    await drop("input", 0.3, 0.1);
    const call = await drop("softmax", 0.3, 0.5);
    await drop("relu", 0.3, 0.75);
    await drawFrom(play, /^input/, await port(play, /^softmax/, 0));
    await page.mouse.up();
    await expect.poll(() => play.text()).toContain("softmax(x)");
    // Without a plan, and with one, the call is a box of the same size.
    for (const connected of [false, true]) {
      if (connected) {
        await drawFrom(play, /^softmax/, await port(play, /^relu/, 0));
        await page.mouse.up();
        await expect(play.region("Kernels").getByRole("heading")).toContainText("softmax");
      }
      // The view may still be on its way.
      await expect
        .poll(async () => {
          const box = (await play.node(/^softmax/).boundingBox())!;
          return Math.abs(box.x - call[0]) < 60 && Math.abs(box.y - call[1]) < 60 && box.height < 90;
        })
        .toBe(true);
      expect(await overlaps()).toEqual([]);
    }
    // Open, it makes room.
    await play.node(/^softmax/).focus();
    await page.keyboard.press("Space");
    await expect(play.node(/^exp/)).toBeVisible();
    expect(await overlaps()).toEqual([]);
    for (const left of ["relu(...)", "softmax(...)"]) {
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => play.text()).toContain(left);
      expect(await overlaps()).toEqual([]);
    }
  });
  await test.step("a double click on the canvas adds an op where it happened", async () => {
    await write(play, "x: f32[64, 64]\n");
    const canvas = (await play.region("Graph").getByRole("application").boundingBox())!;
    const [x, y] = [canvas.x + canvas.width * 0.5, canvas.y + canvas.height * 0.6];
    await page.mouse.dblclick(x, y);
    const list = (await page.getByRole("dialog", { name: "Add an op" }).boundingBox())!;
    expect(Math.abs(list.x - x), "the list opens beside the click").toBeLessThan(60);
    expect(list.y + list.height).toBeGreaterThan(y);
    await page.getByRole("combobox", { name: "Add an op" }).fill("tanh");
    await page.getByRole("option", { name: /^tanh / }).click();
    const box = (await play.node(/^tanh/).boundingBox())!;
    expect(Math.abs(box.x - x)).toBeLessThan(60);
    expect(Math.abs(box.y - y)).toBeLessThan(60);
  });
  await test.step("a line that does not fit is refused with its reason while it is drawn", async () => {
    await write(play, "x: f32[64, 32]\nw: f32[16, 8]\nv: f32[32, 8]\ny = x @ v\nz = exp(w)\n");
    await expect(play.node(/^matmul y/)).toBeVisible();
    const before = await play.text();
    await drawFrom(play, /^input w/, await port(play, /^matmul y/, 1));
    await expect(page.getByRole("status").filter({ hasText: /32.*16|16.*32/ })).toBeVisible();
    await page.mouse.up();
    expect(await play.text()).toBe(before);
  });
  await test.step("drawing begins on an empty canvas, with the mouse alone", async () => {
    await write(play, "x");
    await page.keyboard.press("Backspace");
    await expect(page.getByText("Nothing here yet")).toBeVisible();
    const bar = play.region("Graph").getByRole("toolbar", { name: "Graph" });
    for (const name of ["Zoom in", "Zoom out", "Map of the graph", "Map of the graph", "Fit"]) {
      await bar.getByRole("button", { name, exact: true }).click();
    }
    for (const op of ["input", "tanh"]) {
      await bar.getByRole("button", { name: "Op", exact: true }).click();
      await page.getByRole("option", { name: new RegExp(`^${op} `) }).click();
      await expect(play.node(new RegExp(`^${op}`))).toBeVisible();
    }
    await drawFrom(play, /^input/, await port(play, /^tanh/, 0));
    await page.mouse.up();
    await expect.poll(() => play.text()).toMatch(/^\w+: f32\[.*\]\n\w+ = tanh\(\w+\)$/);
    await expect(play.region("Kernels").getByRole("heading")).toContainText("tanh");
  });
});

test("an op that is fed from below goes below what feeds it, in sight", async ({ page, play }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.command("New program");
  const canvas = play.region("Graph").getByRole("application");
  const room = (await canvas.boundingBox())!;
  const put = async (x: number, y: number, op: string): Promise<void> => {
    await page.mouse.dblclick(x, y);
    await page.getByRole("combobox", { name: "Add an op" }).fill(op);
    await page.keyboard.press("Enter");
    await expect(play.node(new RegExp(op === "input" ? "^input x" : `^${op}`))).toBeVisible();
    await page.keyboard.press("Escape");
  };
  const middle = room.x + room.width / 2;
  await put(middle, room.y + 160, "input");
  await put(middle - 100, room.y + 400, "relu");
  await drawFrom(play, /^input x/, await port(play, /^relu/, 0));
  await page.mouse.up();
  await expect.poll(() => play.text()).toContain("relu(x)");
  await put(middle + 150, room.y + 320, "mul");
  await drawFrom(play, /^relu/, await port(play, /^mul/, 0));
  await page.mouse.up();
  await expect.poll(() => play.text()).toMatch(/mul\(relu_1, /);
  // By the port that x feeds relu from.
  const out = (await play
    .node(/^input x/)
    .locator(".react-flow__handle.source")
    .first()
    .boundingBox())!;
  const [x, y] = await port(play, /^mul/, 1);
  await page.mouse.move(out.x + out.width / 2, out.y + out.height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 14, y - 20, { steps: 5 });
  await page.mouse.move(x, y, { steps: 5 });
  await page.mouse.up();
  await expect(play.region("Kernels").getByRole("heading")).toContainText("relu mul");
  const [above, below] = [(await play.node(/^relu/).boundingBox())!, (await play.node(/^mul/).boundingBox())!];
  expect(below.y).toBeGreaterThan(above.y + above.height);
  expect(below.x).toBeGreaterThan(room.x);
  expect(below.y + below.height).toBeLessThan(room.y + room.height);
  expect(below.x + below.width).toBeLessThan(room.x + room.width);
});

test("an empty program keeps what was open, and a large one opens folded", async ({ page, play }) => {
  await test.step("an empty program is found, and what was open is kept", async () => {
    await start(play, "x: f32[64, 64]\ny = exp(x)\n");
    await play.command("new");
    await expect(page.getByText("Nothing here yet")).toBeVisible();
    await play.command("Earlier work");
    await expect(page.getByRole("dialog").getByRole("listitem")).toHaveCount(1);
  });
  await test.step("a large program opens with its repeated blocks as one box, which opens block by block", async () => {
    await page.keyboard.press("Escape");
    const layers = Array.from({ length: 12 }, (_, i) => i);
    const text = [
      "x: f32[64, 64]",
      ...layers.map((i) => `w${i}: f32[64, 64] = param()`),
      "v = x",
      ...layers.map((i) => `v = v + tanh(relu(v @ w${i})) * 2`),
      "return v",
    ].join("\n");
    await play.open();
    await expect(play.steps).toBeVisible();
    await play.type(text);
    const all = play.node(/^block × 12, folded, 60 ops/);
    await expect(all).toBeVisible();
    await expect(play.node(/^12 inputs folded, 192 KiB/)).toBeVisible();
    await expect(play.region("Graph").locator(".react-flow__node")).toHaveCount(4);
    await all.focus();
    await page.keyboard.press("Space");
    await expect(play.node(/^block 12 of 12, folded, 5 ops/)).toBeAttached();
    await play.node(/^block 2 of 12/).focus();
    await page.keyboard.press("Space");
    const relu = play.node(/^relu/);
    await expect(relu).toBeAttached();
    await relu.focus();
    await page.keyboard.press("Enter");
    await play.card.getByRole("button", { name: "Fold block × 12" }).click();
    await expect(all).toBeVisible();
  });
});

test("ops are edited where they are drawn: attributes, names, gaps, calls, positions", async ({ page, play }) => {
  await test.step("attributes, shapes and names are edited in the inspector", async () => {
    await start(play, "x: f32[64, 32]\nh = softmax(x, dim=0)  # which way\ny = exp(h)\n");
    const at = await middle(play, /^input x/);
    await page.mouse.click(...at);
    const type = play.card.getByRole("textbox", { name: "Type" });
    await type.fill("f32[64, oops");
    await type.press("Enter");
    await expect(play.card.getByRole("alert")).toBeVisible();
    await type.fill("f32[128, 32]");
    await type.press("Enter");
    await expect.poll(() => play.text()).toContain("x: f32[128, 32]");
    await expect(play.node(/^exp y, f32\[128, 32\]/)).toBeAttached();

    await page.mouse.click(...(await middle(play, /^exp y/)));
    const name = play.card.getByRole("textbox", { name: "Name" });
    await name.fill("result");
    await name.press("Enter");
    await expect.poll(() => play.text()).toContain("result = exp(h)");
    await expect(play.node(/^exp result/)).toBeAttached();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => play.text()).toContain("y = exp(h)");
    expect(await play.text()).toContain("# which way");
  });
  await test.step("an op's attribute is changed where it is drawn", async () => {
    await write(play, "x: f32[64, 32]\nh = mean(x, dim=0)  # which way\n");
    await expect(play.node(/^mean h, f32\[32\]/)).toBeVisible();
    await page.mouse.click(...(await middle(play, /^mean h/)));
    const axes = play.card.getByRole("textbox", { name: "dim", exact: true });
    await expect(axes).toHaveValue("0");
    await axes.fill("1");
    await axes.press("Enter");
    await expect.poll(() => play.text()).toContain("h = mean(x, dim=1)  # which way");
    await expect(play.node(/^mean h, f32\[64\]/)).toBeVisible();
  });
  await test.step("removing an op leaves a gap, and its comment", async () => {
    await write(play, "x: f32[64, 64]\nh = exp(x)\n# the last line\ny = relu(h)\n");
    await page.mouse.click(...(await middle(play, /^exp h/)));
    await play.card.getByRole("button", { name: /^Remove/ }).click();
    await expect.poll(() => play.text()).toBe("x: f32[64, 64]\n# the last line\ny = relu(...)");
    await expect(play.node(/^exp h/)).toHaveCount(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => play.text()).toContain("h = exp(x)");
  });
  await test.step("a composite is expanded in the text, in one undo step", async () => {
    await play.type("x: f32[64, 64]\ny = softmax(x, dim=-1)  # rows\n");
    const call = play.node(/^softmax, folded, 5 ops/);
    await expect(call).toBeVisible();
    await call.focus();
    await page.keyboard.press("Space");
    await expect(play.node(/^exp y\.exp/)).toBeVisible();
    await play.node(/^softmax y/).focus();
    await page.keyboard.press("Enter");
    await play.card.getByRole("button", { name: "Expand in text" }).click();
    await expect.poll(() => play.text()).toContain("y = y_exp / y_sum  # rows");
    await expect(play.node(/y_exp/)).toBeVisible();
    await expect(play.card).toContainText("y_exp");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => play.text()).toBe("x: f32[64, 64]\ny = softmax(x, dim=-1)  # rows");
  });
  await test.step("moving an op changes no text, is one step of undo, and lasts", async () => {
    await write(play, "x: f32[64, 64]\nh = exp(x)\ny = relu(h)\n");
    const text = await play.text();
    const before = (await play.boxes())["h"]!;
    const [x, y] = await middle(play, /^exp h/);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y + 10, { steps: 8 });
    await page.mouse.up();
    const moved = (await play.boxes())["h"]!;
    expect(moved[0]! - before[0]!).toBeGreaterThan(60);
    expect(await play.text()).toBe(text);
    // Planning again and stepping leave it where it was put.
    await play.leaveFields();
    await page.keyboard.press("Home");
    await page.keyboard.press("End");
    expect((await play.boxes())["h"]).toEqual(moved);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await play.boxes())["h"]).toEqual(before);
  });
});

test("an edge is forbidden, and a graph is built, by keyboard alone", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("forbidding an edge re-plans at once, and undo allows it again", async () => {
    const score = play.region("Score");
    const before = await score.textContent();
    await play.leaveFields();
    await page.keyboard.press("x");
    await expect(score).not.toContainText(before!);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(score).toContainText(before!);
  });
  await test.step("the keys on a card are heard from where the palette left the focus", async () => {
    await write(play, "x: f32[64, 64]\ny = relu(x)\n");
    await play.node(/^relu/).click();
    await expect(play.card).toContainText("Connect");
    await play.leaveFields();
    await page.keyboard.press("c");
    await expect(page.getByRole("combobox", { name: /^Connect relu/ })).toBeFocused();
    await page.keyboard.press("Escape");
    await play.leaveFields();
    await page.keyboard.press("Delete");
    await expect.poll(() => play.text()).not.toContain("relu");
  });
  await test.step("a graph is built by keyboard alone", async () => {
    await play.editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await play.command("Add an input");
    await expect(play.region("Score")).toContainText("Add an op and connect x to it.");
    await play.leaveFields();
    await play.command("Add exp");
    // The keys go on from what was added, where nothing else had the focus.
    await expect(play.node(/^exp/)).toBeFocused();
    await play.command("Add add");
    await expect(play.node(/^add/)).toBeFocused();
    await play.command("Add softmax");
    await expect.poll(() => play.text()).toMatch(/exp\(\.\.\.\)/);
    // From the op that was focused before they go on to the new one, whose card is open: C is about that one.
    await expect(play.node(/^softmax/)).toBeFocused();
    await expect(play.card).toContainText("Connect");
    await page.keyboard.press("c");
    await expect(page.getByRole("combobox", { name: /^Connect softmax/ })).toBeFocused();
    await page.keyboard.press("Escape");
    const connect = async (from: RegExp, to: RegExp): Promise<void> => {
      await play.node(from).focus();
      await page.keyboard.press("c");
      const targets = page.getByRole("listbox", { name: /^Connect/ });
      await expect(targets).toBeVisible();
      const options = targets.getByRole("option");
      const names = await options.allTextContents();
      const wanted = names.findIndex((name) => to.test(name));
      expect(wanted, `${to} among ${names.join(", ")}`).toBeGreaterThanOrEqual(0);
      for (let i = 0; i < wanted; i++) await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
    };
    await connect(/^input x/, /^exp.*operand 1/);
    await expect.poll(() => play.text()).toMatch(/exp\(x\)/);
    await connect(/^input x/, /^add.*operand 1/);
    // A call is one box, and a line goes on from it.
    await connect(/^softmax/, /^add.*operand 2/);
    await expect.poll(() => play.text()).toMatch(/add\(x, softmax_1\)|x \+ softmax_1/);
    await play.node(/^softmax/).focus();
    await page.keyboard.press("Delete");
    await expect.poll(() => play.text()).not.toContain("softmax");
    await connect(/^exp/, /^add.*operand 2/);
    await expect.poll(() => play.text()).toMatch(/(\w+) = exp\(x\)\n(\w+) = (add\(x, \1\)|x \+ \1)/);
    await expect(play.region("Kernels").getByRole("heading")).toContainText("exp add");
    // Arrows walk from op to op, Enter opens the inspector, Delete removes, Ctrl Z brings back.
    await play.node(/^exp/).focus();
    await page.keyboard.press("Enter");
    await expect(play.card).toContainText("exp");
    await play.node(/^add/).focus();
    await page.keyboard.press("Delete");
    await expect.poll(() => play.text()).not.toMatch(/add|\+/);
    await page.keyboard.press("Control+z");
    await expect.poll(() => play.text()).toMatch(/add|\+/);
  });
});

test("connecting from an op with an empty operand offers values for it first", async ({ page, play }) => {
  await page.goto("./");
  await write(play, "x: f32[64]\nh = exp(x)\ny = relu(h)\nreturn y\n");
  await play.command("Add sigmoid");
  await expect.poll(() => play.text()).toContain("sigmoid(...)");
  await play.leaveFields();
  await page.keyboard.press("c");
  const list = page.getByRole("listbox", { name: "Connect sigmoid" });
  await expect(list).toContainText("Into operand 1 of sigmoid");
  await expect(list.getByRole("option").first()).toHaveText(/^relu y/);
  await page.keyboard.press("Enter");
  await expect.poll(() => play.text()).toContain("sigmoid(y)");
});
