/** @file Folds bindings and helper functions away when a kernel opens: one line says them all. */
import { monaco } from "../../monaco";
import { preludesOf } from "../model/kernels";

let registered = false;

/** Declared once for the language: what stands before the kernel, and every block in braces. */
function register(): void {
  if (registered) return;
  registered = true;
  monaco.languages.registerFoldingRangeProvider("wgsl", {
    provideFoldingRanges(model) {
      const { Imports: kind } = monaco.languages.FoldingRangeKind;
      const folds = preludesOf(model.getValue()).map(({ first, last }) => ({ start: first, end: last, kind }));
      return [...folds, ...blocks(model.getLinesContent())];
    },
  });
}

/** Lines from an opening brace to the line before its closing one. */
export function blocks(lines: readonly string[]): { start: number; end: number }[] {
  const open: number[] = [];
  const found: { start: number; end: number }[] = [];
  lines.forEach((line, i) => {
    for (const sign of line.replace(/\/\/.*/, "")) {
      if (sign === "{") open.push(i + 1);
      const start = sign === "}" ? open.pop() : undefined;
      if (start !== undefined && i > start) found.push({ start, end: i });
    }
  });
  return found;
}

/** Folds what stands before the kernel now; answers how to stop. */
export function foldPreludes(editor: monaco.editor.IStandaloneCodeEditor): () => void {
  register();
  const timer = setTimeout(() => {
    const selectionLines = preludesOf(editor.getValue()).map(({ first }) => first - 1);
    if (selectionLines.length > 0) editor.trigger("open", "editor.fold", { levels: 1, selectionLines });
  }, 50);
  return () => clearTimeout(timer);
}
