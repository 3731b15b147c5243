/** @file Underlines every mistake of the newest compilation. */
import { useEffect } from "react";
import { monaco } from "../../monaco";
import { usePlayground } from "../../state";

const OWNER = "fusion";

export function useMarkers(editor: monaco.editor.IStandaloneCodeEditor | null): void {
  const latest = usePlayground((state) => state.derived.latest);
  useEffect(() => {
    const model = editor?.getModel();
    if (!model || !latest || latest.text !== model.getValue()) return;
    const severities = {
      error: monaco.MarkerSeverity.Error,
      warning: monaco.MarkerSeverity.Warning,
      info: monaco.MarkerSeverity.Info,
    };
    const markers = latest.diagnostics.map(({ span, severity, text, code }) => {
      const start = model.getPositionAt(span.from);
      // An empty span (something is missing here) still needs a letter to underline.
      const end = model.getPositionAt(Math.max(span.to, span.from + 1));
      return {
        severity: severities[severity],
        message: text.replaceAll("`", ""),
        code,
        startLineNumber: start.lineNumber,
        startColumn: start.column,
        endLineNumber: end.lineNumber,
        endColumn: end.column,
      };
    });
    monaco.editor.setModelMarkers(model, OWNER, markers);
  }, [editor, latest]);
}
