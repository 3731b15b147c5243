/** @file Folds the binding declarations away when a kernel opens: one line says them all. */
import { monaco } from "../../monaco";
import { bindingLines } from "../model/kernels";

let registered = false;

/** Declared once for the language: the bindings, and every block in braces. */
function register(): void {
  if (registered) return;
  registered = true;
  monaco.languages.registerFoldingRangeProvider("wgsl", {
    provideFoldingRanges(model) {
      const bindings = bindingLines(model.getValue());
      const imports = monaco.languages.FoldingRangeKind.Imports;
      const folds = bindings ? [{ start: bindings.first, end: bindings.last, kind: imports }] : [];
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

/** Folds this editor's bindings now; answers how to stop. */
export function followBindingFolds(editor: monaco.editor.IStandaloneCodeEditor): () => void {
  register();
  const timer = setTimeout(() => {
    const bindings = bindingLines(editor.getValue());
    if (!bindings) return;
    editor.trigger("open", "editor.fold", { levels: 1, selectionLines: [bindings.first - 1] });
  }, 50);
  return () => clearTimeout(timer);
}
