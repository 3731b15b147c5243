import { readFile } from "node:fs/promises";
import { deflateRawSync } from "node:zlib";
import type { Browser } from "@playwright/test";
import { encode } from "uqr";
import { expect, Playground, test } from "./fixtures";

/** A page in a profile that has never been here; closed by the caller. */
async function guestAt(browser: Browser, baseURL: string, link: string): Promise<Playground> {
  const profile = await browser.newContext({ baseURL, viewport: { width: 1440, height: 900 } });
  const guest = new Playground(await profile.newPage());
  await guest.open(link);
  return guest;
}

test("a link opens the same program, choices and step in a fresh profile", async ({ page, play, browser, baseURL }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[64, 64]  # mine\nmid = exp(x)\nh = relu(mid)\ny = tanh(h)\n");
  const kernels = (at: Playground) => at.region("Score").getByRole("img", { name: /^Kernels/ });
  await expect(kernels(play)).toHaveAccessibleName("Kernels: naive 3, now 1, end 1");
  // An op that was moved, an edge that is forbidden, another granularity's option, and a step in the middle.
  const from = (await play.node(/^exp mid/).boundingBox())!;
  await page.mouse.move(from.x + 40, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(from.x + 130, from.y + 36, { steps: 8 });
  await page.mouse.up();
  await play.line(/^mid to h,/).focus();
  await page.keyboard.press("x");
  await expect(kernels(play)).toHaveAccessibleName("Kernels: naive 3, now 2, end 2");
  await page.getByRole("button", { name: "Options", exact: true }).click();
  await page.getByRole("dialog", { name: "Planning options" }).getByRole("radio", { name: "primitive op" }).check();
  await page.keyboard.press("Escape");
  await play.leaveFields();
  await page.keyboard.press("Home");
  await page.keyboard.press("j");
  const shown = (at: Playground) => at.page.getByText(/^Step 1 of/).first();
  const step = await shown(play).textContent();
  const apart = (boxes: Record<string, readonly number[]>) =>
    ["mid", "y"].flatMap((id) => [0, 1].map((i) => boxes[id]![i]! - boxes["h"]![i]!));
  const places = apart(await play.boxes());

  const guest = await guestAt(browser, baseURL!, await play.share());
  await expect(shown(guest)).toHaveText(step!);
  await expect.poll(() => guest.text()).toBe("x: f32[64, 64]  # mine\nmid = exp(x)\nh = relu(mid)\ny = tanh(h)");
  expect(apart(await guest.boxes())).toEqual(places);
  await expect(kernels(guest)).toHaveAccessibleName(/end 2$/);
  await expect(guest.line(/^mid to h,.*forbidden by you/)).toBeAttached();
  await guest.page.getByRole("button", { name: "Options", exact: true }).click();
  await expect(guest.page.getByRole("radio", { name: "primitive op" })).toBeChecked();
  await guest.page.context().close();
});

test("a link restores where its maker looked: step, tab, kernel, folds, selection, part of the graph, lesson step", async ({
  page,
  play,
  browser,
  baseURL,
}) => {
  await play.open("./?example=layer-norm");
  await expect(play.steps).toBeVisible();
  await play.leaveFields();
  await page.keyboard.press("4");
  const tag = play.region("Graph").getByRole("button", { name: /^Kernel K1 .*Space folds it/ });
  await tag.focus();
  await page.keyboard.press("Space");
  const folded = (at: Playground) => at.region("Graph").getByRole("group", { name: /folded, \d+ ops/ });
  await expect(folded(play)).toHaveCount(1);
  await folded(play).click();
  const graph = (await play.region("Graph").boundingBox())!;
  await page.mouse.move(graph.x + 60, graph.y + graph.height - 60);
  await page.mouse.down();
  await page.mouse.move(graph.x + 160, graph.y + graph.height - 100, { steps: 5 });
  await page.mouse.up();
  await page.mouse.wheel(0, -240);
  const settled = async (at: Playground) => {
    await expect(async () => {
      const before = await at.boxes();
      await at.page.waitForTimeout(150);
      expect(await at.boxes()).toEqual(before);
    }).toPass();
    return at.boxes();
  };
  const boxes = await settled(play);
  const step = await play.steps.textContent();

  const guest = await guestAt(browser, baseURL!, await play.share());
  await expect(guest.steps).toHaveText(step!);
  await expect(guest.page.getByRole("tab", { name: /Traffic/ })).toHaveAttribute("aria-selected", "true");
  await expect(folded(guest)).toHaveCount(1);
  // Rounding may move an edge to the next pixel.
  const furthest = (found: typeof boxes): number =>
    Math.max(...Object.entries(boxes).flatMap(([id, box]) => box.map((px, i) => Math.abs(px - found[id]![i]!))));
  await expect.poll(async () => furthest(await settled(guest))).toBeLessThanOrEqual(1);

  // The naive plan is a state like the others; a lesson comes with its step, and an unanswered question stays covered.
  await play.leaveFields();
  await page.keyboard.press("Home");
  await guest.page.goto(await play.share());
  await expect(guest.region("Steps")).toContainText("Naive plan.");
  await page.goto("./#lesson=memory-is-the-cost/2");
  await expect(page.getByRole("article", { name: /, step 2$/ })).toBeVisible();
  await guest.page.goto(await play.share());
  await expect(guest.page.getByRole("article", { name: /, step 2$/ })).toBeVisible();
  await guest.page.context().close();
});

test("a link opens an example, and words that look like a page's code stay words", async ({
  page,
  play,
  browser,
  baseURL,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("an example's link opens the example", async () => {
    await play.command("softmax");
    await expect(page.getByRole("button", { name: "Example: Softmax" })).toBeVisible();
    await expect(play.region("Kernels").getByRole("heading", { name: /softmax/i })).toBeVisible();
    const guest = await guestAt(browser, baseURL!, await play.share());
    await expect(guest.page.getByRole("button", { name: "Example: Softmax" })).toBeVisible();
    await guest.page.context().close();
  });
  await test.step("words of a link that look like a page's code stay words", async () => {
    const evil = [
      "<img src=x onerror=alert(1)>",
      "![x](https://example.org/x.png)",
      "<script>alert(1)</script>",
      "javascript:alert(1)",
    ];
    await play.type(`x: f32[8, 8]  # ${evil.join(" ")}\ny = exp(x)  # ${evil[1]}\nz = relo(y)\n`);
    await expect(play.region("Score")).toContainText("does not compile");
    await play.type(`x: f32[8, 8]  # ${evil.join(" ")}\n# ${evil[1]}\ny = exp(x)\n`);
    await expect(play.node(/^exp y/)).toBeVisible();
    const guest = await guestAt(browser, baseURL!, await play.share());
    const asked: string[] = [];
    guest.page.on("request", (request) => asked.push(request.url()));
    guest.page.on("dialog", () => asked.push("a dialog"));
    // The long words may still find their lines, and the plan its way.
    await expect(async () => {
      await guest.page.mouse.move(2, 2);
      const { x, y } = await guest.word("exp");
      await guest.page.mouse.move(x, y);
      const hover = guest.page.locator(".monaco-hover").filter({ hasText: "Computed by" });
      await expect(hover).toBeVisible({ timeout: 3000 });
    }).toPass();
    expect(asked.filter((url) => !url.startsWith(baseURL!) && !url.startsWith("data:"))).toEqual([]);
    await guest.page.context().close();
  });
});

test("Share uploads nothing, copies, gives HTML for another page; what it is damaged into is refused", async ({
  page,
  play,
  context,
}) => {
  await test.step("Share says that nothing is uploaded, and copies", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await play.open();
    await page.getByRole("button", { name: "Share" }).click();
    const dialog = page.getByRole("dialog", { name: "Share" });
    await expect(dialog).toContainText("Nothing is uploaded");
    await expect(dialog.getByRole("textbox", { name: "Link" })).toHaveValue(/#f1=/);
    await dialog.getByRole("button", { name: "Copy" }).click();
    await expect(dialog.getByRole("button", { name: "Copied" })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("#f1=");
  });
  await test.step("a damaged, a huge and a newer link are refused with a reason, and the program stays", async () => {
    await page.keyboard.press("Escape");
    const packed = (words: string): string => `#f1=${deflateRawSync(words, { level: 9 }).toString("base64url")}`;
    for (const [link, words] of [
      ["#f1=%%%", "damaged"],
      [`#f1=${"A".repeat(40_000)}`, "more than 32768 characters"],
      [packed(" ".repeat(16 << 20)), "expands to more than 1 MiB"],
      [packed(JSON.stringify({ version: 2 })), "newer version"],
      [packed("[".repeat(200_000)), /damaged|nest|read/],
    ] as const) {
      await page.evaluate((hash) => (location.hash = hash), link);
      await expect(play.region("Score")).toContainText(words);
      await expect(play.region("Program")).toContainText("relu");
      await play.region("Score").getByRole("button", { name: "Dismiss" }).click();
    }
  });
});

test("a browser that keeps nothing says so, and the work goes on", async ({ page, play }) => {
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[64, 64]\nlast = tanh(x)\n");
  await expect(play.region("Program")).toContainText("not saved: the browser's storage is full or blocked");
  await expect(play.node(/^tanh last/)).toBeVisible();
});

test("the draft is kept over a reload, and beside a link that is opened", async ({ page, play }) => {
  const draft = () => page.evaluate(() => localStorage.getItem("fusion-playground.draft"));
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("opening a link leaves the draft alone, and leads back to it", async () => {
    const link = await play.share();
    await play.type("N = 16\nx: f32[N, N]\nmine = exp(x)\n");
    await expect.poll(draft).toContain("mine");
    await page.goto("about:blank");
    await page.goto(link);
    await expect(page.getByText("Yours is kept")).toBeVisible();
    await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("log");
    expect(await draft()).toContain("mine");
    await page.getByRole("button", { name: "Back to mine" }).click();
    await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("mine");
  });
  await test.step("a reload brings the last edit back", async () => {
    await play.type("x: f32[64, 64]\nlast = tanh(x)\n");
    await expect.poll(draft).toContain("last");
    await page.reload();
    await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("last");
  });
});

test("the graph is taken along as a picture: one SVG file that needs nothing else, or a PNG", async ({
  page,
  play,
}) => {
  await play.open();
  await expect(play.node(/^log y/)).toBeVisible();
  const coming = page.waitForEvent("download");
  await play.command("Save the graph as a picture, .svg");
  const file = await coming;
  expect(file.suggestedFilename()).toBe("graph.svg");
  const svg = await readFile(await file.path(), "utf8");
  // Read by a page of its own: this one makes no document of a text.
  const reader = await page.context().newPage();
  const drawn = await reader.evaluate((text) => {
    const picture = new DOMParser().parseFromString(text, "image/svg+xml");
    const words = [...picture.querySelectorAll("text")].map(({ textContent }) => textContent);
    return { root: picture.documentElement.nodeName, title: picture.querySelector("title")?.textContent, words };
  }, svg);
  await reader.close();
  expect(drawn.root).toBe("svg");
  expect(drawn.title).toBe("log(relu(x + b)), step 2 of 2");
  expect(drawn.words).toEqual(
    expect.arrayContaining(["x", "b", "y", "add", "relu", "log", "K1 add relu log", "48 MiB"]),
  );
  expect(svg).not.toMatch(/var\(|href=|url\(http/);
  const [width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(svg)!.slice(1).map(Number);
  const pixels = page.waitForEvent("download");
  await play.command("Save the graph as a picture, .png");
  const png = await readFile(await (await pixels).path());
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  for (const [at, side] of [
    [16, width!],
    [20, height!],
  ] as const)
    expect(Math.abs(png.readUInt32BE(at) - 2 * side)).toBeLessThanOrEqual(2);
  for (const name of ["race", "times", "roofline", "memory"]) {
    const chart = page.waitForEvent("download");
    await play.command(`Save the ${name} chart as a picture, .svg`);
    const text = await readFile(await (await chart).path(), "utf8");
    expect(text).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="960" height="400"/);
    expect(text).toContain("log(relu(x + b)), ");
    expect(text).not.toMatch(/var\(|NaN|undefined/);
  }
  const report = page.waitForEvent("download");
  await play.command("Save a report to print, .html");
  const html = await readFile(await (await report).path(), "utf8");
  expect(html).toContain("<h1>log(relu(x + b))</h1>");
  expect(html).toContain("K1 add relu log</text>");
  const printed = await page.context().newPage();
  await printed.setContent(html);
  const pdf = (await printed.pdf({ format: "A4" })).toString("latin1");
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  await printed.close();
});

test("the QR code under a link is that link, dark on light in both themes", async ({ page, play }) => {
  await play.open("./?example=log-relu");
  const link = await play.share();
  const wanted = encode(link, { ecc: "L", border: 4 });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await play.command("Share");
    await page.getByText("QR code of the link").click();
    const code = page.getByRole("img", { name: "QR code of the link" });
    await expect(code).toBeVisible();
    const seen = await code.evaluate((svg) => {
      const { width } = (svg as SVGSVGElement).viewBox.baseVal;
      const [light, dark] = [...svg.querySelectorAll("path")];
      const rows = Array.from({ length: width }, (_, y) =>
        Array.from({ length: width }, (__, x) => dark!.isPointInFill(new DOMPoint(x + 0.5, y + 0.5))),
      );
      return { rows, inks: [light!, dark!].map((path) => getComputedStyle(path).fill) };
    });
    expect(seen.rows).toEqual(wanted.data);
    const [light, dark] = seen.inks.map((ink) => ink.match(/\d+/g)!.reduce((sum, part) => sum + Number(part), 0));
    expect(light! - dark!).toBeGreaterThan(500);
    await page.keyboard.press("Escape");
  }
});
