/** @file What the stories stand on: a browser with WebGPU, and a profile that forgets each story. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";

/** A picture of the page's origin, with its headers and without the page; it has no icon, for which the browser asks. */
async function openPicture(page: Page, watch: { readonly expected: RegExp[] }): Promise<void> {
  watch.expected.push(/404/);
  await page.goto("./favicon.svg");
}

/** Where something of an earlier story is found. */
const findLeft = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const found: Record<string, boolean> = {
      "local storage": localStorage.length > 0,
      "session storage": sessionStorage.length > 0,
      cookies: document.cookie !== "",
      caches: (await caches.keys()).length > 0,
      databases: (await indexedDB.databases()).length > 0,
      files: !(await (await navigator.storage.getDirectory()).entries().next()).done,
      "service workers": (await navigator.serviceWorker.getRegistrations()).length > 0,
      permissions:
        (await navigator.permissions.query({ name: "clipboard-read" as PermissionName })).state === "granted",
    };
    return Object.keys(found).filter((where) => found[where]);
  });

test("the browser has a WebGPU adapter, and a place for all that a page may store", async ({
  page,
  context,
  watch,
}) => {
  await context.grantPermissions(["clipboard-read"]);
  await openPicture(page, watch);
  const name = await page.evaluate(async () => {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) return null;
    const { vendor, architecture, description } = adapter.info;
    return [vendor, architecture, description].filter(Boolean).join(" ") || "unnamed";
  });
  console.log(`adapter: ${name}`);
  expect(name, "no adapter: were the browser's WebGPU flags lost?").not.toBeNull();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);

  await page.evaluate(async () => {
    localStorage.setItem("left", "1");
    sessionStorage.setItem("left", "1");
    document.cookie = "left=1; max-age=3600";
    await caches.open("left");
    await new Promise((resolve, reject) => {
      const request = indexedDB.open("left");
      request.addEventListener("success", resolve);
      request.addEventListener("error", reject);
    });
    await (await navigator.storage.getDirectory()).getFileHandle("left", { create: true });
  });
  await page.route("**", (route) => route.abort());
  await context.route("**", (route) => route.abort());
  await context.setOffline(true);
  await context.newPage();
  expect(await findLeft(page)).toHaveLength(7);
});

test("the next story finds nothing of it", async ({ page, context, watch }) => {
  expect(context.pages()).toHaveLength(1);
  await openPicture(page, watch);
  // What the fixtures put there: somebody was here before.
  await page.evaluate(() => localStorage.removeItem("fusion-playground.preferences"));
  expect(await findLeft(page)).toEqual([]);
});
