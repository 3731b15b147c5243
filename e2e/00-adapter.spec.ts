import { expect, test } from "./fixtures";

test("the browser has a WebGPU adapter", async ({ page, play }) => {
  await play.open();
  const name = await page.evaluate(async () => {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) return null;
    const { vendor, architecture, description } = adapter.info;
    return [vendor, architecture, description].filter(Boolean).join(" ") || "unnamed";
  });
  console.log(`adapter: ${name}`);
  expect(name, "no adapter: were the browser's WebGPU flags lost?").not.toBeNull();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
});
