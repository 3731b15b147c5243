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

/** The editor's way to hide lines, which its published types leave out; each source has lines of its own. */
interface Hiding {
  setHiddenAreas?: (ranges: readonly monaco.IRange[], source: string) => void;
}

const hide = (editor: monaco.editor.IStandaloneCodeEditor, ranges: readonly monaco.IRange[]): void =>
  (editor as Hiding).setHiddenAreas?.(ranges, "opening");

/** Folds what stands before the kernel now; answers how to stop. */
export function foldPreludes(editor: monaco.editor.IStandaloneCodeEditor): () => void {
  register();
  const preludes = preludesOf(editor.getValue());
  if (preludes.length === 0) return () => {};
  // The editor's own folds come after the first paint: until then the same lines are hidden as they will be.
  hide(
    editor,
    preludes
      .filter(({ first, last }) => last > first)
      .map(({ first, last }) => new monaco.Range(first + 1, 1, last, 1)),
  );
  const timer = setTimeout(() => {
    const selectionLines = preludes.map(({ first }) => first - 1);
    editor.trigger("open", "editor.fold", { levels: 1, selectionLines });
    hide(editor, []);
  }, 50);
  return () => {
    clearTimeout(timer);
    hide(editor, []);
  };
}
