import { readFile } from "node:fs/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { smallModel } from "../test/laws/small-model";
import { expect, test } from "./fixtures";

/** Words that a page must never take for its own code. */
const payloads = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "<svg onload=alert(1)>",
  "javascript:alert(1)",
  "</text><foreignObject><iframe srcdoc='<script>alert(1)</script>'></iframe></foreignObject>",
  "</title><a href='javascript:alert(1)'>x</a>",
  "]]><script>alert(1)</script>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "' onmouseover='alert(1)",
  "<!--><style>@import '//evil.example'</style>-->",
];

/** The same, two or three in one text: each group begins with another. */
const grouped = [0, 3, 5, 8].map((from, i, starts) => payloads.slice(from, starts[i + 1]).join(" "));

/** Elements that only a payload would have brought. */
const STRANGE =
  "iframe[srcdoc], img[src='x'], [onerror], [onload], [onmouseover], a[href^='javascript'], body script:not([src]), foreignObject iframe";

const pack = (value: unknown): string => deflateRawSync(JSON.stringify(value)).toString("base64url");

test("ten payloads at every part of a link stay words", async ({ page, play }) => {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await play.open();
  await expect(play.steps).toBeVisible();
  const [, shared] = (await play.share()).split("#f1=");
  const state = JSON.parse(inflateRawSync(Buffer.from(shared!, "base64url")).toString());
  for (const words of grouped) {
    const { document } = state;
    const hostile = {
      ...state,
      document: {
        ...document,
        text: `# ${words}\nx: f32[8, 8]  # ${words}\ny = exp(x)\nz = y + 1\n`,
        example: words,
        positions: { [words]: { x: 1, y: 2 } },
        weights: { file: words, key: "0123456789abcdef" },
        byHand: { [words]: `// ${words}`, "x,z": `// ${words}\nfn ${words}() {}` },
        options: {
          ...document.options,
          disabledPasses: [words],
          order: [words],
          profile: { ...document.options.profile, name: words, base: words },
        },
      },
      decision: { pass: words, rule: words, nodes: [words], occurrence: 0, seq: 1, hash: "" },
      [words]: words,
    };
    await page.goto("about:blank");
    await page.goto(`./#f1=${pack(hostile)}`);
    await expect(play.editor).toContainText("exp(x)");
    await expect(play.steps).toBeVisible();
    await page.getByRole("tab", { name: "Traffic" }).click();
    await play.region("Kernels").getByRole("tabpanel").getByText("Rooflines", { exact: true }).click();
    await expect(play.region("Kernels")).toContainText("FLOP per byte");
    expect(await page.locator(STRANGE).count(), words).toBe(0);
  }
  expect(dialogs).toEqual([]);
});

test("ten payloads as names on the board and of files stay words", async ({ page, play }) => {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const laptop = (words: string) => ({
    standing: "ready",
    browser: words,
    system: words,
    adapter: words,
    features: [words],
  });
  const lines = payloads.map((words) => {
    const times = [{ title: words, naive: 100, fused: 50 }];
    const handed = { v: 1, name: words, when: 1_800_000_000_000, laptop: { ...laptop(words), roofs: null }, times };
    return `#board=${pack({ ...handed, course: { [words]: { furthest: 1, answers: {}, done: [], best: null } } })}`;
  });
  await page.goto(`./${lines[0]}`);
  const add = page.getByRole("region", { name: "Add results" });
  await add.getByRole("textbox").fill(lines.slice(1).join("\n"));
  await add.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("region", { name: "Class board" })).toContainText(payloads[0]!);
  expect(await page.locator(STRANGE).count()).toBe(0);

  await play.open();
  await expect(play.steps).toBeVisible();
  for (const words of [payloads[0]!, payloads[1]!]) {
    const chosen = page.waitForEvent("filechooser");
    await play.command("Share");
    await page.getByRole("button", { name: "Open a file…" }).click();
    await (
      await chosen
    ).setFiles({ name: `${words}.onnx`, mimeType: "application/octet-stream", buffer: Buffer.from("no model") });
    await expect(page.locator("body")).toContainText("is not an ONNX model");
    expect(await page.locator(STRANGE).count(), words).toBe(0);
    await page.keyboard.press("Escape");
  }
  expect(dialogs).toEqual([]);
});

test("ten payloads as names in a model, and in the pictures made of it, stay words", async ({ page, play }) => {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await play.open();
  await expect(play.steps).toBeVisible();
  for (const words of payloads) {
    const bytes = Buffer.from(smallModel((name) => `${name} ${words}`));
    const chosen = page.waitForEvent("filechooser");
    await play.command("Share");
    await page.getByRole("button", { name: "Open a file…" }).click();
    await (
      await chosen
    ).setFiles({ name: `${words.replaceAll("/", "")}.onnx`, mimeType: "application/octet-stream", buffer: bytes });
    await expect(play.editor).toContainText("softmax");
    await expect(play.steps).toBeVisible();
    expect(await page.locator(STRANGE).count(), words).toBe(0);
    const picture = page.waitForEvent("download");
    await play.command("Save the graph as a picture, .svg");
    const svg = await readFile(await (await picture).path(), "utf8");
    expect(svg).not.toMatch(/<(script|img|iframe|foreignObject|a)\b/);
  }
  expect(dialogs).toEqual([]);
});
