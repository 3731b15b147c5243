import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { pageServer } from "../scripts/page-server.mjs";
import { expect, Playground, test } from "./fixtures";

// A newcomer: who was here before has preferences stored.
test.use({ viewport: { width: 360, height: 420 }, newcomer: true });

test("embedded, the page is counts, graph and steps; it keeps nothing and leads to the whole", async ({
  page,
  play,
}) => {
  await page.goto("./?embed=1&example=two-readers/store&step=naive");
  await expect(play.steps).toBeHidden();
  await expect(play.region("Steps")).toContainText("Naive plan.");
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 3, now 3/ })).toBeVisible();
  await expect(page.getByRole("banner")).toHaveCount(0);
  // Nothing runs until somebody asks.
  await expect(page.getByRole("button", { name: "Run" })).toBeVisible();
  await expect(page.getByText("The run is over", { exact: false })).toHaveCount(0);
  await play.region("Graph").click({ position: { x: 8, y: 8 } });
  await page.keyboard.press("j");
  await expect(play.steps).toContainText("Step 1 of");
  // Keys that open something over the page are the whole page's.
  await page.keyboard.press("?");
  await page.keyboard.press("v");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);

  const whole = page.getByRole("link", { name: "Open in playground" });
  await expect(whole).toHaveAttribute("href", /#f1=/);
  const coming = page.context().waitForEvent("page");
  await whole.click();
  const opened = await coming;
  await expect(opened.getByRole("button", { name: /^Example: One value, two readers: store t/ })).toBeAttached();
  await expect(opened.getByText(/^Step 1 of/).first()).toBeVisible();
});

test("Share offers the program as HTML for another page", async ({ page, play }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.command("Share");
  await page.getByText("Inside another page or a slide").click();
  const html = await page.getByRole("textbox", { name: "HTML to embed" }).inputValue();
  const address = /src="([^"]+)"/.exec(html)![1]!;
  await page.setViewportSize({ width: 720, height: 560 });
  await page.goto(address);
  await expect(play.steps).toContainText("Step 2 of 2");
  await expect(play.node(/^K1 add relu log, folded/)).toBeVisible();
});

test("in a frame of 360 by 420 of another origin: begins where it is asked to, runs on a click", async ({ page }) => {
  const frame = (address: string): string =>
    `<!doctype html><title>a slide</title><iframe src="${address}" title="Fusion Playground" width="360" height="420"></iframe>`;
  const own = pageServer(() => resolve("dist"));
  const other = createServer((request, response) => {
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end(request.url === "/" ? frame(`${base}?embed=1&example=log-relu&step=1&fit=whole`) : "");
  });
  const portOf = async (server: typeof own): Promise<number> => {
    await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
    return (server.address() as AddressInfo).port;
  };
  const base = `http://localhost:${await portOf(own)}/`;
  await page.setViewportSize({ width: 720, height: 560 });
  await page.goto(`http://slides.localhost:${await portOf(other)}/`);
  const inside = page.frameLocator("iframe");
  await expect(inside.getByText(/^Step 1 of 2/).first()).toBeVisible();
  // All of the graph is in the frame.
  const graph = inside.getByRole("region", { name: "Graph", exact: true });
  for (const name of [/^input x/, /^output y/])
    await expect(graph.getByRole("group", { name }).first()).toBeInViewport();
  await inside.getByRole("button", { name: "Next step" }).click();
  await expect(inside.getByText(/^Step 2 of 2/).first()).toBeVisible();
  await inside.getByRole("button", { name: "Run" }).click();
  await expect(inside.getByText(/The run is over: naive .*, fused .*Same result\./).last()).toBeVisible({
    timeout: 120_000,
  });
  const link = inside.getByRole("link", { name: "Open in playground" });
  await expect(link).toBeInViewport();
  const coming = page.context().waitForEvent("page");
  await link.click();
  await expect(new Playground(await coming).run).toBeVisible();
  for (const server of [own, other]) {
    server.closeAllConnections();
    server.close();
  }
});
