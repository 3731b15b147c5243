/** @file The build plugin behind `npm run build:single`: script, styles, fonts, icon and workers in one HTML file. */
import { readFileSync } from "node:fs";

/** What an HTML parser could take for the end of a script. */
const inScript = (code) => code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const inJson = (text) => JSON.stringify(text).replaceAll("<", "\\u003c");

const START_WORKER = `const workerInPage = (name) => ({
  href: URL.createObjectURL(
    new Blob([JSON.parse(document.getElementById(name).textContent)], { type: "text/javascript" }),
  ),
});`;

/** The source of an asset, as text. */
const textOf = ({ source }) => (typeof source === "string" ? source : Buffer.from(source).toString("utf8"));

/**
 * Puts everything that the build made into its HTML and calls it `fileName`. Fails where a file is left that nothing
 * reads: it would be missing on the stick.
 */
export function singleFile(fileName) {
  return {
    name: "single-file",
    apply: "build",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const files = Object.values(bundle);
        const [page] = files.filter(({ fileName: name }) => name.endsWith(".html"));
        const chunks = files.filter(({ type }) => type === "chunk");
        if (chunks.length !== 1) this.error(`One chunk is expected, ${chunks.length} were made.`);
        const styles = files.filter(({ fileName: name }) => name.endsWith(".css"));
        const workers = files.filter(({ type, fileName: name }) => type === "asset" && name.endsWith(".js"));
        const left = files.filter((file) => ![page, ...chunks, ...styles, ...workers].includes(file));
        if (left.length > 0) this.error(`Not in the page: ${left.map((file) => file.fileName).join(", ")}.`);

        let code = chunks[0].code;
        const held = workers.map((worker) => {
          const name = worker.fileName.split("/").pop();
          const address = new RegExp(
            `new URL\\(([\`"'])(?:[^\`"']*/)?${name.replaceAll(".", "\\.")}\\1, *import\\.meta\\.url\\)`,
            "g",
          );
          const before = code;
          code = code.replace(address, () => `workerInPage(${JSON.stringify(name)})`);
          if (code === before) this.error(`Nothing starts ${name}.`);
          return `<script type="application/json" id="${name}">${inJson(textOf(worker))}</script>`;
        });
        const icon = `data:image/svg+xml;base64,${readFileSync("public/favicon.svg").toString("base64")}`;
        const html = textOf(page)
          .replace(/\s*<link rel="(?:manifest|stylesheet|modulepreload)"[^>]*>/g, "")
          .replace(/\s*<script type="module"[^>]*src=[^>]*><\/script>/g, "")
          .replace(/(<link rel="icon" href=")[^"]*/, (_all, start) => start + icon)
          .replace("</head>", () => `${styles.map((style) => `<style>${textOf(style)}</style>`).join("\n")}\n</head>`)
          .replace(
            "</body>",
            () => `${held.join("\n")}\n<script type="module">\n${START_WORKER}\n${inScript(code)}</script>\n</body>`,
          );
        for (const { fileName: name } of files) delete bundle[name];
        this.emitFile({ type: "asset", fileName, source: html });
      },
    },
  };
}
