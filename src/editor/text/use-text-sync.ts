/** @file Keeps the editor's text and the document's the same, without an echo: typing goes out, other changes come in as edits. */
import { useEffect } from "react";
import { monaco } from "../../monaco";
import { playground } from "../../state";
import { smallestEdit } from "./smallest-edit";

type Editor = monaco.editor.IStandaloneCodeEditor;

/** Changes the model by the smallest edit that gives `text`; carets and folds stay. */
function takeIn(model: monaco.editor.ITextModel, text: string): void {
  const edit = smallestEdit(model.getValue(), text);
  if (!edit) return;
  const [start, end] = [model.getPositionAt(edit.span.from), model.getPositionAt(edit.span.to)];
  model.applyEdits([{ range: monaco.Range.fromPositions(start, end), text: edit.insert, forceMoveMarkers: true }]);
}

/** Selects the characters `from` to `to`, in sight, with the focus there. */
export function show(editor: Editor, from: number, to: number): void {
  const model = editor.getModel();
  if (!model) return;
  const range = monaco.Range.fromPositions(model.getPositionAt(from), model.getPositionAt(to));
  editor.setSelection(range);
  editor.revealRangeInCenterIfOutsideViewport(range);
  editor.focus();
}

export function useTextSync(editor: Editor | null): void {
  useEffect(() => {
    const model = editor?.getModel();
    if (!editor || !model) return;
    model.setEOL(monaco.editor.EndOfLineSequence.LF);
    let incoming = false;
    const receive = (text: string): void => {
      incoming = true;
      takeIn(model, text);
      incoming = false;
    };
    receive(playground.getState().document.text);
    const typing = model.onDidChangeContent(() => {
      if (!incoming) playground.getState().actions.typeText(model.getValue());
    });
    const stop = playground.subscribe((state, before) => {
      if (state.document.text !== before.document.text) receive(state.document.text);
      if (state.revealed && state.revealed !== before.revealed) show(editor, state.revealed.from, state.revealed.to);
    });
    return () => {
      typing.dispose();
      stop();
    };
  }, [editor]);
}
