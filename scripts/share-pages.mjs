/** @file Pages that chats show with a picture, one for each example, in the built page's folder `share/`. */
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { cached } from "./bundle.mjs";
import { openPixels } from "./pixels.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const sources = ["src/cli", "src/fusion", "src/lessons", "src/picture", "src/document"];
const makers = async () => import(pathToFileURL(await cached("src/cli/share-pages.ts", "share-pages", sources)).href);

/** Writes the pages of these examples, of all where none are named, below `out`; `site` is the address that `out` is published at. */
export async function writeSharePages(out, site, ids) {
  const { sharePages } = await makers();
  const pixels = await openPixels(1);
  try {
    for (const { id, html, card } of sharePages(site, await readFile(here("../src/tokens.css"), "utf8"), ids)) {
      const folder = join(out, "share", id);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "index.html"), html);
      await writeFile(join(folder, "card.png"), await pixels.draw(card));
    }
    await copyFile(here("share-page.css"), join(out, "share", "page.css"));
  } finally {
    await pixels.close();
  }
}

/** The Vite plugin: pages for all examples where the build is told its address, and what a chat shows of the page itself. */
export function sharePages(site) {
  let out = "dist";
  if (!site) return null;
  if (!/^https?:\/\/.*\/$/.test(site))
    throw new Error(`PUBLIC_URL is an address that ends with a slash, as https://example.org/playground/; not ${site}`);
  return {
    name: "share-pages",
    apply: "build",
    configResolved(config) {
      out = config.build.outDir;
    },
    async transformIndexHtml(html) {
      const { chatTags, first } = await makers();
      const sentence = /name="description"\s+content="([^"]*)"/.exec(html)[1];
      return html.replace("<title>", `${chatTags("Fusion Playground", sentence, site, site + first)}\n    <title>`);
    },
    closeBundle: { order: "post", handler: () => writeSharePages(out, site) },
  };
}
