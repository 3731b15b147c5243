/** @file Marks what the GPU's compiler refused in the last run, in the code that is shown. */
import { useEffect } from "react";
import { monaco } from "../../monaco";
import type { Refused } from "../model/refused";

/** The line that the GPU's compiler refused in the last run: shown, and underlined from where it points. */
export function useRefusedLine(editor: monaco.editor.IStandaloneCodeEditor | null, refused: Refused | null): void {
  useEffect(() => {
    const model = editor?.getModel();
    if (!editor || !model || !refused || refused.line > model.getLineCount()) return;
    const { line, column, text } = refused;
    const whole = new monaco.Range(line, 1, line, 1);
    const rest = new monaco.Range(line, column, line, model.getLineMaxColumn(line));
    const shown = editor.createDecorationsCollection([
      { range: whole, options: { isWholeLine: true, className: "wgsl-refused", marginClassName: "wgsl-refused" } },
      { range: rest, options: { inlineClassName: "wgsl-refused-words", hoverMessage: { value: text } } },
    ]);
    editor.revealLineInCenterIfOutsideViewport(line);
    return () => shown.clear();
  }, [editor, refused]);
}
