/** @file What a chat shows of an example: a page of its own with a picture, and the links that lead there. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { pageServer } from "../scripts/page-server.mjs";
import { writeSharePages } from "../scripts/share-pages.mjs";
import { expect, test } from "./fixtures";

const SITE = "https://example.org/playground/";

let folder = "";
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "share-pages-"));
});
test.afterAll(() => rmSync(folder, { recursive: true }));

test("an example's page shows its picture, tells chats of it, and leads to the example", async ({ page, play }) => {
  for (const name of readdirSync("dist")) symlinkSync(resolve("dist", name), join(folder, name));
  await writeSharePages(folder, SITE, ["log-relu"]);
  const server = pageServer(() => folder);
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/share/log-relu/`);
  const picture = page.getByRole("img");
  const size = () => picture.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]);
  await expect.poll(size).toEqual([1200, 630]);
  const tag = (name: string) => page.locator(`meta[property="og:${name}"]`);
  await expect(tag("image")).toHaveAttribute("content", `${SITE}share/log-relu/card.png`);
  await expect(tag("url")).toHaveAttribute("content", `${SITE}share/log-relu/`);
  const title = await page.getByRole("heading").textContent();
  await expect(tag("title")).toHaveAttribute("content", title!);
  await page.getByRole("link", { name: "Open in Fusion Playground" }).click();
  await expect(play.node(/^log y/)).toBeVisible();
  server.closeAllConnections();
  server.close();
});

test("a build that knows its address shares links that lead there, and the page of an untouched example", async ({
  page,
  play,
}) => {
  execFileSync("npx", ["vite", "build", "--mode", "single", "--outDir", join(folder, "single"), "--logLevel", "warn"], {
    env: { ...process.env, PUBLIC_URL: SITE },
  });
  await play.open(`${pathToFileURL(join(folder, "single", "fusion-playground.html")).href}?example=log-relu`);
  await expect(play.steps).toBeVisible();
  await play.command("Share");
  const share = page.getByRole("dialog", { name: "Share" });
  await expect(share.getByRole("textbox", { name: "Link" })).toHaveValue(new RegExp(`^${SITE}#f1=`));
  await share.getByText("A page of this example with a picture").click();
  await expect(share.getByRole("textbox", { name: "Page of the example" })).toHaveValue(`${SITE}share/log-relu/`);
});
