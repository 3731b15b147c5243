import { readFile } from "node:fs/promises";
import { expect, test } from "./fixtures";

test("a program leaves as a module that a bare page runs", async ({ page, play }) => {
  await play.open();
  const kernels = play.region("Kernels");
  await kernels.getByRole("button", { name: "Export…" }).click();
  const coming = page.waitForEvent("download");
  await kernels.getByRole("button", { name: "This plan as an ES module, .mjs" }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toBe("fused.mjs");
  const text = await readFile(await file.path(), "utf8");
  const [, extents] = /^ \*   x: f32\[(.*)\]$/m.exec(text)!;
  const size = extents!.split(", ").reduce((product, extent) => product * Number(extent), 1);

  const serve = (path: string, contentType: string, body: string) =>
    page.route(path, (route) => route.fulfill({ contentType, body }));
  await serve("**/bare/", "text/html", "<!doctype html><title>bare</title>");
  await serve("**/bare/fused.mjs", "text/javascript", text);
  await page.goto("./bare/");
  const got = await page.evaluate(async (length) => {
    const address = "./fused.mjs";
    const { create } = await import(new URL(address, location.href).href);
    const program = await create();
    const x = Float32Array.from({ length }, (_, i) => (i % 7) + 1);
    const outputs = await program.run({ x, b: x });
    const missing = await program.run({ x }).then(
      () => "",
      (refused: Error) => refused.message,
    );
    program.destroy();
    return { names: Object.keys(outputs), y: [...outputs.y.subarray(0, 14)], missing };
  }, size);
  expect(got.names).toEqual(["y"]);
  got.y.forEach((value, i) => expect(value).toBeCloseTo(Math.log(2 * ((i % 7) + 1)), 5));
  expect(got.missing).toMatch(/^The input b is missing: f32\[/);
});
