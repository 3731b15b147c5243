/** @file A page for each example, which a chat shows with its title, a sentence and the picture of both plans. */
import { compile, defaultOptions } from "../fusion";
import { examples, optionsFor, startExample, type Example } from "../lessons";
import { cardOf, CARD, inkOf, placedBy } from "../picture";

export interface SharePage {
  /** Of its folder below `share/`. */
  readonly id: string;
  readonly html: string;
  /** The picture, of `CARD`'s size: `card.png` beside the page. */
  readonly card: string;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** What a chat reads of a page: https://ogp.me */
export function chatTags(title: string, sentence: string, page: string, picture: string): string {
  const tags = {
    "og:type": "website",
    "og:site_name": "Fusion Playground",
    "og:title": title,
    "og:description": sentence,
    "og:url": page,
    "og:image": picture,
    "og:image:type": "image/png",
    "og:image:width": `${CARD.width}`,
    "og:image:height": `${CARD.height}`,
    "og:image:alt": `${title}: the naive and the fused plan beside each other`,
  };
  return [
    ...Object.entries(tags).map(([name, value]) => `<meta property="${name}" content="${escaped(value)}" />`),
    '<meta name="twitter:card" content="summary_large_image" />',
  ].join("\n    ");
}

/** Where the page of an example stands below the site's address. */
const sharePath = (id: string): string => `share/${id}/`;

/** The picture of the page itself: that of the example that it begins with. */
export const first = `${sharePath(startExample.id)}card.png`;

function htmlOf({ id, title, sentence }: Example, site: string): string {
  const page = site + sharePath(id);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'; style-src 'self'" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="${escaped(sentence)}" />
    ${chatTags(title, sentence, page, `${page}card.png`)}
    <link rel="icon" href="../../favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="../page.css" />
    <title>${escaped(title)} · Fusion Playground</title>
  </head>
  <body>
    <main>
      <h1>${escaped(title)}</h1>
      <p>${escaped(sentence)}</p>
      <a href="../../?example=${encodeURIComponent(id)}">
        <img src="card.png" width="${CARD.width}" height="${CARD.height}" alt="The naive and the fused plan of ${escaped(title)}" />
        <span>Open in Fusion Playground</span>
      </a>
    </main>
  </body>
</html>
`;
}

/**
 * The pages of these examples, one after the other: each is compiled as it opens in the page.
 * @param site address of the folder that the page is published in, with its slash
 * @param tokens text of tokens.css
 */
export function* sharePages(
  site: string,
  tokens: string,
  ids: readonly string[] = examples.map(({ id }) => id),
): Generator<SharePage> {
  const ink = inkOf(tokens, "light");
  for (const example of examples.filter(({ id }) => ids.includes(id))) {
    const { id, title, sentence, text } = example;
    const compilation = compile(text, optionsFor(example, defaultOptions, null, defaultOptions));
    const card = cardOf(compilation, { title, sentence, placed: placedBy(compilation) }, ink);
    if (card) yield { id, card, html: htmlOf(example, site) };
  }
}
