/** @file Keys that are the page's, not Monaco's: there is one history for text and graph. */
import { useEffect, useState } from "react";
import { monaco } from "../../monaco";
import { playground } from "../../state";

type Editor = monaco.editor.IStandaloneCodeEditor;

/** Whether somebody has typed since the editor got the focus: until then Tab goes on through the page. */
export function useTyped(editor: Editor | null): boolean {
  const [typed, setTyped] = useState(false);
  useEffect(() => {
    if (!editor) return;
    const following = [
      editor.onDidChangeModelContent(() => editor.hasTextFocus() && setTyped(true)),
      editor.onDidBlurEditorText(() => setTyped(false)),
    ];
    return () => following.forEach((each) => each.dispose());
  }, [editor]);
  useEffect(() => editor?.updateOptions({ tabFocusMode: !typed }), [editor, typed]);
  return typed;
}

export function useEditorKeys(editor: Editor | null): void {
  useEffect(() => {
    if (!editor) return;
    const { actions } = playground.getState();
    const { CtrlCmd, Shift } = monaco.KeyMod;
    const { KeyZ, KeyY } = monaco.KeyCode;
    const add = (id: string, label: string, keybindings: number[], run: () => void) =>
      editor.addAction({ id: `playground.${id}`, label, keybindings, run });
    const added = [
      add("undo", "Undo", [CtrlCmd | KeyZ], () => actions.undo()),
      add("redo", "Redo", [CtrlCmd | Shift | KeyZ, CtrlCmd | KeyY], () => actions.redo()),
    ];
    return () => added.forEach((each) => each.dispose());
  }, [editor]);
}
