import { cpSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { pageServer } from "../scripts/page-server.mjs";
import { expect, test, Playground } from "./fixtures";

// Two versions of the page, served one after the other: the assets of the first are gone when the second is there.

test.use({ serviceWorkers: "allow" });

const filesIn = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });

/** The same page with other names for its assets and another version of its offline copy. */
function nextVersion(of: string): string {
  const folder = mkdtempSync(join(tmpdir(), "playground-"));
  cpSync(of, folder, { recursive: true });
  const assets = filesIn(join(folder, "assets"));
  const renamed = assets.map((path) => {
    const [name, kind] = [basename(path), extname(path)];
    return [name, `${name.slice(0, -kind.length)}2${kind}`] as const;
  });
  const words = filesIn(folder).filter((path) => /\.(js|css|html|webmanifest)$/.test(path));
  for (const path of words) {
    let text = readFileSync(path, "utf8");
    for (const [from, to] of renamed) text = text.replaceAll(from, to);
    if (path.endsWith("sw.js")) text = text.replace(/const version = "/, "$&2");
    writeFileSync(path, text);
  }
  for (const [i, path] of assets.entries()) renameSync(path, join(folder, "assets", renamed[i]![1]));
  return folder;
}

const listening = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://localhost:${(server.address() as AddressInfo).port}/`));
  });

let folder = "dist";
let second = "";
let server: Server;
let address = "";
test.beforeAll(async () => {
  second = nextVersion("dist");
  server = pageServer(() => folder);
  address = await listening(server);
});
test.beforeEach(() => {
  folder = "dist";
});
test.afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(second, { recursive: true });
});

async function visit(play: Playground, at = address): Promise<void> {
  await play.page.goto(at);
  await expect(play.steps).toBeVisible();
  await play.page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await play.page.reload();
  await expect(play.steps).toBeVisible();
}
/** Which of the two versions the page came from. */
const version = ({ page }: Playground): Promise<string> =>
  page.evaluate(() =>
    document.querySelector<HTMLScriptElement>("script[src]")!.src.endsWith("2.js") ? "second" : "first",
  );

const newer = async ({ page }: Playground): Promise<void> => {
  folder = second;
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())!.update();
  });
};

test("Reload ends in the newer version, while a tab on the older one runs and shares on", async ({ play }) => {
  await visit(play);
  const other = new Playground(await play.page.context().newPage());
  await other.page.goto(address);
  await expect(other.steps).toBeVisible();
  await newer(play);
  await expect(play.region("Score")).toContainText("A newer version of the playground is ready.");
  await play.region("Score").getByRole("button", { name: "Reload" }).click();
  await expect.poll(() => version(play).catch(() => "between")).toBe("second");
  await expect(play.steps).toBeVisible();
  await expect(play.node(/^gelu/)).toBeVisible();

  expect(await version(other)).toBe("first");
  expect(await other.share()).toContain("#f1=");
  await other.run.click();
  await expect(other.region("Measured").getByText("Same result.")).toBeVisible({ timeout: 150_000 });
});

test("a page in a frame works after a visit", async ({ play }) => {
  await visit(play);
  const around = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end(
      `<iframe title="playground" width="700" height="500" src="${address}?embed=1&example=softmax"></iframe>`,
    );
  });
  await play.page.goto(await listening(around));
  const frame = play.page.frameLocator("iframe");
  await expect(frame.getByText(/^Step \d+ of/).first()).toBeVisible();
  around.closeAllConnections();
  around.close();
});
