import { expect, test, type Playground } from "./fixtures";

/** Puts the caret into a word, by the mouse. */
async function caretIn(play: Playground, word: string, nth = 0): Promise<void> {
  const { x, y } = await play.word(word, nth);
  await play.page.mouse.click(x, y);
}

test("typing is helped: completion, signatures, types between the words, words on pointing, names", async ({
  play,
  page,
}) => {
  await play.open();
  await test.step("a typed program is planned on the pause, and read kernel by kernel", async () => {
    await play.type(
      "N = 256\nx: f32[N, 128]\nw: f32[128]\n\nh = x.mean(dim=-1, keepdim=True)\ny = gelu((x - h) * w)\n",
    );
    await expect(play.node(/^gelu/)).toBeAttached();
    await expect(play.region("Score")).toContainText("→");
    await expect(play.region("Kernels")).toContainText("@compute");
  });
  await test.step("completion offers ops with their arguments", async () => {
    await play.type("x: f32[64, 64]\ny = ");
    await page.keyboard.type("softm");
    const offered = page.getByRole("option", { name: /^softmax/ }).first();
    await expect(offered).toBeVisible();
    await page.keyboard.press("Enter");
    await expect.poll(() => play.text()).toMatch(/y = softmax\(/);
  });
  await test.step("inferred shapes stand between the words", async () => {
    await play.type("x: f32[64, 32]\nw: f32[32, 8]\nh = x @ w\n");
    await expect(play.editor).toContainText("64×8");
  });
  await test.step("signature help names the argument one is in", async () => {
    await play.type("x: f32[64, 32]\ny = ");
    await page.keyboard.type("layer_norm(");
    await expect(page.locator(".parameter-hints-widget")).toContainText("layer_norm");
    await page.keyboard.press("Escape");
  });
  await test.step("F12 goes to where a name was made", async () => {
    await play.type("x: f32[64, 64]\nmid = exp(x)\ny = relu(mid)\n");
    await expect(play.node(/^exp mid/)).toBeAttached();
    await caretIn(play, "mid", 1);
    await page.keyboard.press("F12");
    await page.keyboard.press("End");
    await page.keyboard.insertText("  # here");
    await expect.poll(() => play.text()).toContain("mid = exp(x)  # here\ny");
  });
  await test.step("F2 renames everywhere and keeps where the op was put, in one undo step", async () => {
    await play.type("x: f32[64, 64]\nmid = exp(x)\n# mid stays in words\ny = relu(mid) + mid\n");
    const box = play.node(/^exp mid/);
    // The program before had that op, too: the new graph is there, and stands still, when it can be dragged.
    await expect(play.node(/^add/)).toBeVisible();
    let seen = -1;
    await expect.poll(async () => seen === (seen = (await box.boundingBox())!.x), { intervals: [300] }).toBe(true);
    await box.hover();
    await page.mouse.down();
    const from = (await box.boundingBox())!;
    await page.mouse.move(from.x + from.width / 2 + 60, from.y + from.height / 2 + 12, { steps: 6 });
    await page.mouse.up();
    await expect.poll(async () => (await box.boundingBox())!.x - from.x).not.toBe(0);
    const moved = (await box.boundingBox())!;
    await caretIn(play, "mid", 0);
    await page.keyboard.press("F2");
    const field = page.getByRole("textbox", { name: /Rename input/ });
    await expect(field).toBeVisible();
    await field.fill("centre");
    await field.press("Enter");
    await expect.poll(() => play.text()).toContain("centre = exp(x)\n# mid stays in words\ny = relu(centre) + centre");
    const renamed = play.node(/^exp centre/);
    await expect(renamed).toBeVisible();
    const after = (await renamed.boundingBox())!;
    expect([Math.round(after.x), Math.round(after.y)]).toEqual([Math.round(moved.x), Math.round(moved.y)]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => play.text()).toContain("mid = exp(x)");
  });
  await test.step("pointing at a value says its shape, its bytes and its kernel", async () => {
    await play.type("x: f32[512, 256]\nh = exp(x)\ny = relu(h)\n");
    await expect(play.region("Kernels").getByRole("heading")).toContainText("exp relu");
    const hover = page.locator(".monaco-hover").filter({ hasText: "Computed by" });
    // Words between the words move it while they come.
    await expect(async () => {
      const { x, y } = await play.word("h");
      await page.mouse.move(x, y + 40);
      await page.mouse.move(x, y);
      await expect(hover).toContainText("f32[512, 256]", { timeout: 2000 });
    }).toPass({ timeout: 20_000 });
    await expect(hover).toContainText(/512(\.0)? KiB/);
    await expect(hover).toContainText("K1");
  });
});

test("what is pasted is a program, or becomes one by a click", async ({ play, page }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("a pasted forward() is a program", async () => {
    await play.paste(
      "import torch\nimport torch.nn.functional as F\n\ndef forward(self, x: f32[64, 128], w: f32[32, 128], b: f32[32]):\n    h = F.linear(x, w, b)\n    return torch.relu(h).sum(dim=-1)\n",
    );
    await expect(play.node(/^relu/)).toBeAttached();
    await expect(play.node(/^sum/)).toBeAttached();
    await expect(play.region("Score")).not.toContainText(/last good graph/i);
  });
  await test.step("a pasted class stays and gets a call with example inputs by one click, in one undo step", async () => {
    await play.paste(
      `class MLP(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc = nn.Linear(dim, 4 * dim)

    def forward(self, x):
        return F.gelu(self.fc(self.norm(x)))
`,
    );
    await play
      .region("Program")
      .getByRole("button", { name: /Call MLP with example inputs/ })
      .click();
    await expect.poll(() => play.text()).toContain("model = MLP()\nx: f32[8, 64, 64]\ny = model(x)");
    await expect.poll(() => play.text()).toContain("super().__init__()");
    await expect(play.node(/^gelu/)).toBeAttached();
    await expect(play.region("Score")).not.toContainText(/last good graph/i);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => play.text()).not.toContain("model = MLP()");
  });
  await test.step("a pasted def without types gets types for all its inputs by one click", async () => {
    await play.paste(
      'def forward(params, x):\n    h = jax.nn.gelu(x @ params["up"]["w"] + params["up"]["b"])\n    return h @ params["down"]["w"]\n',
    );
    await play
      .region("Program")
      .getByRole("button", { name: /example shapes/ })
      .first()
      .click();
    await expect.poll(() => play.text()).toMatch(/up_w: f32\[256, 256\] ?, up_b: f32\[256\], down_w: f32\[256, 256\]/);
    await expect(play.node(/up_w/).first()).toBeAttached();
    await expect(play.region("Score")).not.toContainText(/last good graph/i);
  });
  await test.step("a word beside a long shape is whole or out of sight", async () => {
    await play.paste("x: f32[4, 3, 512, 512]\ny = F.avg_pool2d(x, 9, 1, 4)\nreturn relu(y)\n");
    await expect(play.node(/^relu/)).toBeAttached();
    await play.leaveFields();
    await page.keyboard.press("End");
    await expect(play.region("Graph").getByText("4×3×9×1×512×512")).toBeVisible();
    const cut = await play
      .region("Graph")
      .locator(".op-second")
      .evaluateAll((rows) =>
        rows.flatMap((row) => {
          const { right, bottom } = row.getBoundingClientRect();
          return [...row.children].flatMap((word) => {
            const own = word.getBoundingClientRect();
            return own.right > right + 1 && own.top < bottom ? [word.textContent] : [];
          });
        }),
      );
    expect(cut).toEqual([]);
  });
  await test.step("all of it stands in sight, with room for a card or none", async () => {
    await play.paste(
      "import jax\nimport jax.numpy as jnp\n\ndef rms_norm(x, w, eps=1e-6):\n    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + eps) * w\n\ndef f(x, w, k):\n    h = rms_norm(x, w)\n    s = jnp.einsum('bnd,dm->bnm', h, k)\n    return jnp.where(s > 0, s, 0.01 * s).sum(axis=-1)\n\nx = jnp.ones((8, 256, 128))\nw = jnp.ones((128,))\nk = jax.random.normal(jax.random.PRNGKey(0), (128, 64))\ny = f(x, w, k)\n",
    );
    await expect(play.node(/^einsum/)).toBeAttached();
    const canvas = (await play.region("Graph").boundingBox())!;
    const boxes = await play.boxesAtRest();
    for (const [name, [x = 0, , width = 0]] of Object.entries(boxes))
      expect([name, x >= canvas.x && x + width <= canvas.x + canvas.width]).toEqual([name, true]);
  });
});

test("mistakes are underlined, told, mended by a click, and grey what follows from the program", async ({
  page,
  play,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("a mistake keeps the last good graph, names its line, and goes away with the mistake", async () => {
    await play.type("x: f32[64, 64]\ny = gelo(x)\n");
    await expect(page.getByText(/did you mean/i).first()).toBeVisible();
    const score = play.region("Score");
    await expect(score).toContainText(/last good graph/i);
    // The last good graph stays, greyed, and can't be edited meanwhile.
    await expect(play.node(/^relu/)).toBeVisible();
    const canvas = play.region("Graph").getByRole("group", { name: /^Op graph/ });
    const viewport = canvas.locator(".react-flow__viewport");
    await expect(viewport).toHaveCSS("filter", "grayscale(1)");
    // The kernel's colour is gone from its name, which stays legible.
    const quiet = await viewport.evaluate((flow) => {
      const probe = flow.appendChild(document.createElement("i"));
      probe.style.color = "var(--ink-3)";
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    });
    await expect(page.getByRole("button", { name: /^Kernel K1/ })).toHaveCSS("color", quiet);
    await expect(play.region("Graph").getByRole("button", { name: "Op", exact: true })).toBeDisabled();
    await score.getByRole("button", { name: "Go to line 2" }).click();
    await play.type("x: f32[64, 64]\ny = gelu(x)\n");
    await expect(page.getByRole("region", { name: "Score", exact: true })).not.toContainText(/last good graph/i);
  });
  await test.step("every mistake is underlined where it is, the first one is told in words", async () => {
    await play.type("x: f32[64, 32]\nw: f32[16, 8]\na = gelo(x)\nb = x @ w\nc = relu(missing)\n");
    const program = play.region("Program");
    await expect(program).toContainText("Line 3: No op is called gelo. Did you mean gelu?");
    await expect(program).toContainText("2 more");
    const marks = play.editor.locator(".squiggly-error");
    await expect(marks).toHaveCount(3);
    const boxes = await Promise.all([0, 1, 2].map((i) => marks.nth(i).boundingBox()));
    for (const word of ["gelo", "x @ w", "missing"]) {
      const { x, y } = await play.word(word);
      const under = boxes.filter(
        (box) => box && box.x <= x && x <= box.x + box.width && Math.abs(box.y + box.height / 2 - y) < 11,
      );
      expect(under, `a mark under ${word}`).toHaveLength(1);
    }
    // The two shapes, in words, where the mark is.
    const { x, y } = await play.word("x @ w");
    await page.mouse.move(x, y);
    const hover = page.locator(".monaco-hover").filter({ hasText: "32" });
    await expect(hover.first()).toContainText("64");
    await expect(hover.first()).toContainText("16");
  });
  await test.step("the others are listed on demand, by mouse and keys: mistakes first, each with its line and its fix", async () => {
    await play.type("import torch\nx: f32[64, 32]\nunread = exp(x)\na = gelo(x)\nc = relu(missing)\n");
    const program = play.region("Program");
    const list = program.getByRole("list", { name: "Other messages of the program" });
    const more = program.getByRole("button", { name: /^\d+ more$/ });
    await expect(program).toContainText("Line 4: No op is called gelo.");
    await expect(list).toBeHidden();
    await more.focus();
    await page.keyboard.press("Enter");
    const items = list.getByRole("listitem");
    await expect(items.first()).toContainText("Line 5: Nothing is called missing.");
    await expect(items.last()).toContainText("Line 1: No import is needed");
    await items.first().getByRole("button", { name: "Declare missing as an input" }).click();
    await expect(play.editor).toContainText("missing: f32");
    await program.getByRole("button", { name: "Show only this" }).click();
    await expect(list).toBeHidden();
    await expect(more).toHaveAttribute("aria-expanded", "false");
  });
  await test.step("a near miss is mended by one click, in one undo step", async () => {
    await play.type("x: f32[64, 64]\ny = gelo(x)\n");
    await page.waitForTimeout(900);
    await play.region("Program").getByRole("button", { name: /gelu/ }).click();
    await expect(play.editor).toContainText("gelu(x)");
    await expect(play.region("Program")).not.toContainText("Did you mean");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(play.editor).toContainText("gelo(x)");
  });
  await test.step("an error greys what follows from the program, and says why there is nothing to run", async () => {
    await play.type("x: f32[64, 64]\ny = relu(x\n");
    await expect(page.locator(".page")).toHaveAttribute("data-broken", "true");
    await expect(play.run).toBeDisabled();
    await expect(play.run).toHaveAttribute("title", /^Line 2 has an error/);
    await expect(page.getByRole("button", { name: "Program: Untitled" })).toBeVisible();
    await expect(play.region("Program")).toContainText("with an error");
    for (const part of [play.region("Steps").locator(".scrub"), play.region("Kernels").locator(".kernel")])
      expect(await part.evaluate((element) => getComputedStyle(element).filter)).toBe("grayscale(1)");
    await play.type("x: f32[64, 64]\ny = relu(x)\n");
    await expect(play.run).toBeEnabled();
  });
  await test.step("an assertion that does not hold is underlined with its reason, and the plan is there all the same", async () => {
    await play.type(
      "x: f32[1024, 1024]\nw: f32[1024, 1024]\nh = x @ w\ny = softmax(h, dim=-1)\nassert_fused(h, y)\nassert_kernels(2)\n",
    );
    const program = play.region("Program");
    await expect(program).toContainText("Line 5: h and y are in different kernels.");
    await expect(play.editor.locator(".squiggly-error")).toHaveCount(1);
    await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 2, now 2, end 2/ })).toBeVisible();
    await expect(play.node(/^softmax|^matmul/)).toBeAttached();
  });
});

test("undo takes back typing and drawing; an empty program offers examples", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("undo takes typing back by pauses, drawing by gestures", async () => {
    await play.type("x: f32[64, 64]\none = exp(x)\n");
    await page.waitForTimeout(900);
    await play.command("Add relu");
    const program = page.getByRole("region", { name: "Program", exact: true });
    await expect(program).toContainText("relu(");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(program).not.toContainText("relu(");
    await expect(program).toContainText("one");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(program).toContainText("log");
    await page.getByRole("button", { name: "Redo" }).click();
    await expect(program).toContainText("one");
  });
  await test.step("an empty program offers examples", async () => {
    await play.type(" ");
    // Nor does anything say what its lines cost.
    await expect(play.region("Program").getByText("FLOP", { exact: true })).toHaveCount(0);
    await page.getByRole("button", { name: /^Matmul \+ bias \+ ReLU/ }).click();
    await expect(page.getByRole("button", { name: "Example: Matmul + bias + ReLU" })).toBeVisible();
  });
});
