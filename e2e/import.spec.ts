/** @file An ONNX model dropped on the page becomes the program. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect, test } from "./fixtures";
import type { Page } from "@playwright/test";

type Write = (writer: BinaryWriter) => void;
const message = (write: Write): Uint8Array => {
  const writer = new BinaryWriter();
  write(writer);
  return writer.finish();
};
const text = (w: BinaryWriter, field: number, value: string) => w.tag(field, WireType.LengthDelimited).string(value);
const part = (w: BinaryWriter, field: number, write: Write) =>
  w.tag(field, WireType.LengthDelimited).bytes(message(write));
const whole = (w: BinaryWriter, field: number, value: number) => w.tag(field, WireType.Varint).int64(value);

/** One node: operator, what it reads, what it makes. */
const node =
  (op: string, reads: readonly string[], makes: string): Write =>
  (w) => {
    for (const name of reads) text(w, 1, name);
    text(w, 2, makes);
    text(w, 4, op);
  };
/** An f32 tensor whose first dimension is called `batch`. */
const value =
  (name: string, extent: number): Write =>
  (w) => {
    text(w, 1, name);
    part(w, 2, (type) =>
      part(type, 1, (tensor) => {
        whole(tensor, 1, 1);
        part(tensor, 2, (shape) => {
          part(shape, 1, (dim) => text(dim, 2, "batch"));
          part(shape, 1, (dim) => whole(dim, 1, extent));
        });
      }),
    );
  };

/** Sixty-four numbers that the file holds. */
const weight: Write = (w) => {
  whole(w, 1, 64);
  whole(w, 2, 1);
  text(w, 8, "scale");
  w.tag(9, WireType.LengthDelimited).bytes(new Uint8Array(Float32Array.from({ length: 64 }, (_, i) => i).buffer));
};

/** The same as a weight whose numbers stand in another file. */
const away: Write = (w) => {
  whole(w, 1, 64);
  whole(w, 2, 1);
  text(w, 8, "scale");
  whole(w, 14, 1);
};

/** x[batch, 64] times a weight of another file, through an op that nobody knows, whose type is stated, and a softmax. */
const riddle = message((w) => {
  part(w, 7, (graph) => {
    part(graph, 1, node("Mul", ["x", "scale"], "h"));
    part(graph, 1, node("Riddle", ["h"], "r"));
    part(graph, 1, node("Softmax", ["r"], "y"));
    part(graph, 5, away);
    part(graph, 11, value("x", 64));
    part(graph, 12, value("y", 64));
    part(graph, 13, value("r", 64));
  });
  part(w, 8, (opset) => whole(opset, 2, 17));
});

/** x[batch, 64] through relu and softmax, with `weighted` times a weight; with `strange`, an op that the language does not have. */
const model = (strange: boolean, weighted = false): Uint8Array =>
  message((w) => {
    whole(w, 1, 8);
    part(w, 7, (graph) => {
      part(graph, 1, weighted ? node("Mul", ["x", "scale"], "h") : node("Relu", ["x"], "h"));
      if (weighted) part(graph, 5, weight);
      part(graph, 1, node("Softmax", ["h"], "y"));
      if (strange) part(graph, 1, node("StringNormalizer", ["h"], "q"));
      text(graph, 2, "g");
      part(graph, 11, value("x", 64));
      part(graph, 12, value("y", 64));
      if (strange) part(graph, 12, value("q", 64));
    });
    part(w, 8, (opset) => whole(opset, 2, 17));
  });

async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const files = await page.evaluateHandle(
    ([given, called]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(given)], called));
      return transfer;
    },
    [[...bytes], name] as const,
  );
  await page.dispatchEvent("body", "drop", { dataTransfer: files });
}

test("a model is opened: its open dimension is asked for, what it can't say is named, what is none is refused", async ({
  play,
}) => {
  await play.open();
  await test.step("a model asks for its open dimension and becomes the program; undo brings the old one back", async () => {
    await drop(play.page, "net.onnx", model(false));
    const dialog = play.page.getByRole("dialog", { name: "Import net.onnx" });
    await dialog.getByRole("textbox", { name: "batch" }).fill("32");
    await play.page.keyboard.press("Enter");
    await expect(dialog).toBeHidden();
    await expect(play.editor).toContainText("f32[32, 64]");
    await expect(play.page.getByRole("banner").getByText("Untitled")).toBeVisible();
    await play.page.getByRole("button", { name: "Undo" }).click();
    await expect(play.editor).toContainText("log(relu(x + b))");
  });
  await test.step("ops without a counterpart are named and counted; a file that is no model is refused in words", async () => {
    await drop(play.page, "net.onnx", model(true));
    const dialog = play.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Open model" }).click();
    await expect(dialog).toContainText("StringNormalizer × 1");
    await dialog.getByRole("button", { name: "See the program" }).click();
    await expect(play.editor).toContainText("softmax");
    await drop(play.page, "other.onnx", new Uint8Array([255, 255, 255, 1, 2, 3]));
    await expect(dialog).toContainText("is not an ONNX model");
  });
  await test.step("an op that nobody knows is a boundary: what it gives comes in, and both sides are planned", async () => {
    await play.page.keyboard.press("Escape");
    await drop(play.page, "riddle.onnx", riddle);
    const dialog = play.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Open model" }).click();
    await expect(dialog).toContainText("without 1 of its ops. Its results are inputs instead.");
    await expect(dialog).toContainText(
      "The numbers of 1 tensor are in another file, which is not read: runs use random numbers.",
    );
    await expect(dialog).toContainText("Riddle × 1");
    await dialog.getByRole("button", { name: "See the program" }).click();
    await expect(play.editor).toContainText("return y, h");
    await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 2/ })).toBeVisible();
  });
});

test("a run takes the model's own weights, also after a reload; the link says that it has none", async ({ play }) => {
  await play.open();
  await drop(play.page, "net.onnx", model(false, true));
  const dialog = play.page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Open model" }).click();
  await expect(play.region("Score")).toContainText("Runs use its own weights: 1 tensor, 256 B, kept on this device.");
  await expect(play.page.getByRole("button", { name: "Program: net.onnx" })).toBeVisible();
  await play.page.reload();
  await expect(play.editor).toContainText("scale");
  await play.run.click();
  const measured = play.region("Measured");
  await expect(measured).toContainText("1 of 1 parameters have net.onnx's numbers", { timeout: 120_000 });
  await expect(measured.getByText("Same result.")).toBeVisible({ timeout: 120_000 });
  await play.page.getByRole("button", { name: "Share" }).click();
  await expect(dialog).toContainText("The weights of net.onnx are not in it");
});

test("three megabytes of weights: the page answers meanwhile, Escape leaves all as it was, and the rest is planned", async ({
  page,
  play,
}) => {
  const wide = message((w) => {
    part(w, 7, (graph) => {
      part(graph, 1, node("MatMul", ["x", "w"], "h"));
      part(graph, 1, node("Softmax", ["h"], "y"));
      part(graph, 5, (tensor) => {
        whole(tensor, 1, 64);
        whole(tensor, 1, 12_288);
        whole(tensor, 2, 1);
        text(tensor, 8, "w");
        tensor.tag(9, WireType.LengthDelimited).bytes(new Uint8Array(64 * 12_288 * 4));
      });
      part(graph, 11, value("x", 64));
      part(graph, 12, value("y", 12_288));
    });
    part(w, 8, (opset) => whole(opset, 2, 17));
  });
  expect(wide.length).toBeGreaterThan(3e6);
  await play.open();
  await expect(play.editor).toBeVisible();
  const chosen = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Open a file", exact: true }).click();
  await (await chosen).setFiles({ name: "wide.onnx", mimeType: "application/octet-stream", buffer: Buffer.from(wide) });
  const dialog = page.getByRole("dialog", { name: "Import wide.onnx" });
  await expect(dialog.getByRole("textbox", { name: "batch" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(play.editor).toContainText("log(relu(x + b))");

  await play.command("Share");
  const again = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Open a file…" }).click();
  await (await again).setFiles({ name: "wide.onnx", mimeType: "application/octet-stream", buffer: Buffer.from(wide) });
  await dialog.getByRole("textbox", { name: "batch" }).fill("8");
  // Twice is once.
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expect(play.region("Score")).toContainText("Runs use its own weights: 1 tensor, 3 MiB");
  await expect(play.editor).toContainText("12288");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(play.editor).toContainText("log(relu(x + b))");
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(play.editor).toContainText("12288");
  await expect(page.getByRole("button", { name: "Redo" })).toHaveAttribute("aria-disabled", "true");
});
