import { readFile } from "node:fs/promises";
import { strFromU8, unzipSync } from "fflate";
import { expect, test } from "./fixtures";

test("the module's numbers are the page's, to the bit", async ({ page, play }) => {
  // The page's own buffers outlive its run, so that they can be read.
  await page.addInitScript(() => {
    const buffers: { readonly device: GPUDevice; readonly buffer: GPUBuffer }[] = [];
    const made = Reflect.get(GPUDevice.prototype, "createBuffer") as (of: GPUBufferDescriptor) => GPUBuffer;
    const create = (device: GPUDevice, of: GPUBufferDescriptor): GPUBuffer => made.call(device, of);
    GPUDevice.prototype.createBuffer = function (this: GPUDevice, of) {
      const buffer = create(this, of);
      if (of.label && (of.usage & GPUBufferUsage.COPY_SRC) !== 0) {
        buffer.destroy = () => undefined;
        buffers.push({ device: this, buffer });
      }
      return buffer;
    };
    Object.assign(window, {
      async bufferBits() {
        const read = buffers.map(async ({ device, buffer }) => {
          const { size, label } = buffer;
          const staging = create(device, { size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
          const encoder = device.createCommandEncoder();
          encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
          device.queue.submit([encoder.finish()]);
          await staging.mapAsync(GPUMapMode.READ);
          return { label, bits: [...new Uint32Array(staging.getMappedRange())] };
        });
        return Promise.all(read);
      },
    });
  });
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[64, 48]\nb: f32[48]\n\ny = gelu(3 * x + b) * tanh(x)\n");
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive \d+, now 1/ })).toBeVisible();
  await play.run.click();
  const measured = play.region("Measured");
  await expect(measured.getByText(/^Same result/)).toBeVisible({ timeout: 120_000 });
  const found = await page.evaluate(() =>
    (window as unknown as { bufferBits(): Promise<readonly { label: string; bits: number[] }[]> }).bufferBits(),
  );
  const kernels = play.region("Kernels");
  await kernels.getByRole("button", { name: "Export…" }).click();
  const coming = page.waitForEvent("download");
  await kernels.getByRole("button", { name: "This plan as an ES module, .mjs" }).click();
  const text = await readFile(await (await coming).path(), "utf8");
  await page.route("**/bare/", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  await page.route("**/bare/fused.mjs", (route) => route.fulfill({ contentType: "text/javascript", body: text }));
  await page.goto("./bare/");
  const inputs = ["x", "b"].map((name) => found.find(({ label }) => label === name)!.bits);
  const own = await page.evaluate(async ([x, b]) => {
    const { create } = await import(new URL("./fused.mjs", location.href).href);
    const program = await create();
    const floats = (bits: number[]): Float32Array => new Float32Array(Uint32Array.from(bits).buffer);
    const { y } = await program.run({ x: floats(x!), b: floats(b!).subarray(0, 48) });
    program.destroy();
    return [...new Uint32Array(y.buffer, y.byteOffset, y.length)];
  }, inputs);
  expect(own.length).toBe(64 * 48);
  const slots = found.filter(({ label, bits }) => label.startsWith("slot") && bits.length >= own.length);
  // Its result lies in one of the buffers that both plans share.
  expect(slots.some(({ bits }) => own.every((value, i) => bits[i] === value))).toBe(true);
});

test("all WGSL files leave in one archive, every text compiles; a program leaves as a module that a bare page runs", async ({
  page,
  play,
}) => {
  await play.open("./?example=layer-norm");
  await expect(play.steps).toBeVisible();
  await test.step("all WGSL files leave in one archive: what the page shows, and every text compiles", async () => {
    const kernels = play.region("Kernels");
    await kernels.getByRole("button", { name: "Export…" }).click();
    const coming = page.waitForEvent("download");
    await kernels.getByRole("button", { name: "All WGSL files, .zip" }).click();
    const file = await coming;
    expect(file.suggestedFilename()).toBe("kernels.zip");
    const archive = unzipSync(new Uint8Array(await readFile(await file.path())));
    const { "plan.json": json, ...texts } = Object.fromEntries(
      Object.entries(archive).map(([name, bytes]) => [name, strFromU8(bytes)]),
    );
    const plan = JSON.parse(json!) as { totals: { kernels: number }; kernels: readonly { file: string }[] };
    expect(Object.keys(texts).toSorted()).toEqual(plan.kernels.map((kernel) => kernel.file).toSorted());
    await expect(
      play.region("Score").getByRole("img", { name: new RegExp(`^Kernels: naive \\d+, now ${plan.totals.kernels}`) }),
    ).toBeVisible();
    const faults = await page.evaluate(async (sources) => {
      const device = await (await navigator.gpu.requestAdapter())!.requestDevice();
      const said = await Promise.all(
        sources.map(async (code) => (await device.createShaderModule({ code }).getCompilationInfo()).messages),
      );
      device.destroy();
      return said.flat().map(({ message }) => message);
    }, Object.values(texts));
    expect(faults).toEqual([]);
  });
  await test.step("a program leaves as a module that a bare page runs", async () => {
    await play.example("log(relu(x + b))");
    await page.getByRole("radio", { name: "S", exact: true }).click();
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
});
