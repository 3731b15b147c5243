/** @file The WGSL of a kernel as a person writes it. Loaded lazily: it brings Monaco. */
import { useEffect, useState } from "react";
import { bindsOf } from "../../document";
import type { Kernel } from "../../fusion";
import { playground } from "../../state";
import { monaco, useCodeEditor } from "../../monaco";
import type { HandStatus } from "../model/kernel/by-hand";

type Editor = monaco.editor.IStandaloneCodeEditor;

const OWNER = "by-hand";

const options = (): monaco.editor.IStandaloneEditorConstructionOptions => ({
  language: "wgsl",
  fontSize: 12,
  lineHeight: 21,
  letterSpacing: -0.12,
  padding: { top: 8, bottom: 8 },
  lineNumbersMinChars: 3,
  lineDecorationsWidth: 6,
  wordWrap: "on",
  wrappingIndent: "indent",
  glyphMargin: false,
  folding: false,
  tabSize: 2,
  links: false,
  contextmenu: false,
  quickSuggestions: false,
  ariaLabel: "WGSL",
});

/** Typing goes out, other changes come in; there is one history for text, graph and kernels. */
function useText(editor: Editor | null, kernel: Kernel): void {
  const binds = bindsOf(kernel);
  useEffect(() => {
    const model = editor?.getModel();
    if (!editor || !model) return;
    model.setEOL(monaco.editor.EndOfLineSequence.LF);
    const { actions } = playground.getState();
    let incoming = false;
    const receive = (text: string | undefined): void => {
      if (text === undefined || text === model.getValue()) return;
      incoming = true;
      model.pushEditOperations([], [{ range: model.getFullModelRange(), text }], () => null);
      incoming = false;
    };
    receive(playground.getState().document.byHand?.[binds]);
    void actions.checkKernel(kernel, false);
    const typing = model.onDidChangeContent(() => {
      if (incoming) return;
      actions.writeKernel(kernel, model.getValue());
      void actions.checkKernel(kernel, true);
    });
    const stop = playground.subscribe(({ document }, before) => {
      if (document.byHand !== before.document.byHand) receive(document.byHand?.[binds]);
    });
    return () => {
      typing.dispose();
      stop();
    };
    // The text is found by what the kernel binds, whatever plan it comes from.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [editor, binds]);
}

function useKeys(editor: Editor | null): void {
  useEffect(() => {
    if (!editor) return;
    const { actions } = playground.getState();
    const { CtrlCmd, Shift } = monaco.KeyMod;
    const { KeyZ, KeyY } = monaco.KeyCode;
    const add = (id: string, label: string, keybindings: number[], run: () => void) =>
      editor.addAction({ id: `by-hand.${id}`, label, keybindings, run });
    const added = [
      add("undo", "Undo", [CtrlCmd | KeyZ], () => actions.undo()),
      add("redo", "Redo", [CtrlCmd | Shift | KeyZ, CtrlCmd | KeyY], () => actions.redo()),
    ];
    return () => added.forEach((each) => each.dispose());
  }, [editor]);
}

function useMarks(editor: Editor | null, faults: HandStatus["faults"]): void {
  useEffect(() => {
    const model = editor?.getModel();
    if (!model) return;
    const markers = faults
      .filter(({ line }) => line <= model.getLineCount())
      .map(({ line, column, text }) => ({
        severity: monaco.MarkerSeverity.Error,
        message: text,
        startLineNumber: line,
        startColumn: Math.min(column, Math.max(1, model.getLineMaxColumn(line) - 1)),
        endLineNumber: line,
        endColumn: model.getLineMaxColumn(line),
      }));
    monaco.editor.setModelMarkers(model, OWNER, markers);
    const lines = editor!.createDecorationsCollection(
      markers.map(({ startLineNumber: line }) => ({
        range: new monaco.Range(line, 1, line, 1),
        options: { isWholeLine: true, className: "wgsl-refused", marginClassName: "wgsl-refused" },
      })),
    );
    return () => lines.clear();
  }, [editor, faults]);
}

interface Props {
  readonly kernel: Kernel;
  readonly faults: HandStatus["faults"];
  /** Counts up each time the first fault is to be shown. */
  readonly asked: number;
}

export function HandEditor({ kernel, faults, asked }: Props) {
  const [host, setHost] = useState<HTMLElement | null>(null);
  const editor = useCodeEditor(host, options);
  useEffect(() => {
    editor?.updateOptions({ ariaLabel: `WGSL of ${kernel.id}, edited by hand. Press Control M to let Tab leave.` });
  }, [editor, kernel.id]);
  useText(editor, kernel);
  useKeys(editor);
  useMarks(editor, faults);
  useEffect(() => {
    const [first] = faults;
    if (!editor || !first || asked === 0) return;
    editor.setPosition({ lineNumber: first.line, column: first.column });
    editor.revealLineInCenter(first.line);
    editor.focus();
    // Only when asked.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [asked, editor]);
  return <div className="wgsl-host nokey" ref={setHost} />;
}
