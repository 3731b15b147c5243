/** @file The summary as one HTML page to print or to send: the picture of the graph, then counts, kernels, times. */
import type { Compilation } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { summaryOf, type Block } from "./summary";

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const cells = (tag: "th" | "td", row: readonly string[]): string =>
  row
    .map((cell, i) => (i === 0 ? `<th scope="row">${escaped(cell)}</th>` : `<${tag}>${escaped(cell)}</${tag}>`))
    .join("");

function htmlOf(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `<h2>${escaped(block.text)}</h2>`;
    case "text":
      return `<p>${escaped(block.text)}</p>`;
    case "code":
      return `<pre>${escaped(block.text)}</pre>`;
    case "table":
      return `<table><thead><tr>${cells("th", block.head)}</tr></thead><tbody>${block.rows
        .map((row) => `<tr>${cells("td", row)}</tr>`)
        .join("")}</tbody></table>`;
    case "list":
      return `<ul>${block.items
        .map((item) => item.replace(/^\[([x ])\] /, (_, box: string) => (box === "x" ? "☑ " : "☐ ")))
        .map((item) => `<li>${escaped(item)}</li>`)
        .join("")}</ul>`;
  }
}

const STYLE = `
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; font: 14px/1.5 system-ui, sans-serif; color: #111; background: #fff }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1.1rem; margin: 1.25rem 0 .25rem }
pre { background: #f4f6f9; padding: .75rem; border-radius: 6px; white-space: pre-wrap; font-size: 12px }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums }
th, td { text-align: right; font-weight: 400; padding: .2rem .4rem; border-bottom: 1px solid #d8dee8; overflow-wrap: anywhere }
th:first-child { text-align: left } thead th { font-weight: 600 }
ul { margin: .25rem 0; padding-left: 1.25rem } figure { margin: 1rem 0 } figure svg { max-width: 100%; height: auto; max-height: 26rem }
@page { margin: 14mm }
@media print {
  body { margin: 0; max-width: none; font-size: 11px; line-height: 1.35 } h2, table, figure { break-inside: avoid } h2 { margin-top: .75rem }
  pre, table { font-size: inherit } div { display: flex; gap: 1rem } div > * { flex: 1; min-width: 0; margin: .5rem 0; align-self: start } figure svg { max-height: 20rem }
}
`;

/**
 * A page of its own, without script and without any request; null while there is no plan. `picture`: the graph as SVG,
 * with its own escaping. `link` leads back to the program.
 */
export function reportHtml(
  compilation: Compilation,
  run: FinishedRun | null,
  { title, picture, link }: { readonly title: string; readonly picture: string | null; readonly link: string | null },
): string | null {
  const blocks = summaryOf(compilation, run);
  if (!blocks) return null;
  const [program, ...rest] = blocks.map(htmlOf);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body>
<h1>${escaped(title)}</h1>
${link ? `<p><a href="${escaped(link)}">Open in the Fusion Playground</a></p>` : ""}
<div>
${program}
${picture ? `<figure>${picture}</figure>` : ""}
</div>
${rest.join("\n")}
</body>
</html>
`;
}
