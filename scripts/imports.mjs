/** @file Who imports whom in src/, as the files are written. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { parseAst } from "vite";

const dialect = (file) => ({ lang: file.endsWith("x") ? "tsx" : "ts" });
/** The syntax tree of a file. */
export const treeOf = (file) => parseAst(readFileSync(file, "utf8"), dialect(file));

/** Every .ts and .tsx file of src/. */
export const sourceFiles = () =>
  readdirSync("src", { recursive: true })
    .map((f) => `src/${f.replaceAll("\\", "/")}`)
    .filter((f) => /\.tsx?$/.test(f));

/** Its static imports and re-exports, as written. */
export function* importsOf(file) {
  for (const n of treeOf(file).body) {
    if (!n.source) continue;
    const named = n.specifiers ?? [];
    const typeOnly =
      (n.importKind ?? n.exportKind) === "type" ||
      (named.length > 0 && named.every((s) => (s.importKind ?? s.exportKind) === "type"));
    yield { to: n.source.value, typeOnly };
  }
}

/** The file that a relative import means. */
export const resolve = (file, to) => {
  const base = normalize(join(dirname(file), to));
  return (
    [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, `${base}/index.tsx`].find(
      (p) => /\.tsx?$/.test(p) && existsSync(p),
    ) ?? base
  );
};
