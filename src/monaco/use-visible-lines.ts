/** @file Where an editor's lines are on the screen, for what is drawn beside them. */
import { useEffect, useReducer } from "react";
import type { monaco } from "./setup";

export interface VisibleLines {
  /** 1-based line and its top in px from the editor's top edge; folded lines are left out. */
  readonly lines: readonly { readonly line: number; readonly top: number }[];
  readonly lineHeight: number;
  /** Height of the whole text in px. */
  readonly contentHeight: number;
  /** Where the text begins, px from the left edge. */
  readonly contentLeft: number;
  /** 1-based line of the caret. */
  readonly current: number;
}

const NOTHING: VisibleLines = { lines: [], lineHeight: 22, contentHeight: 0, contentLeft: 0, current: 0 };

function measure(editor: monaco.editor.IStandaloneCodeEditor, lineHeight: number): VisibleLines {
  const scroll = editor.getScrollTop();
  const lines = editor.getVisibleRanges().flatMap((range) => {
    const found = [];
    for (let line = range.startLineNumber; line <= range.endLineNumber; line++) {
      found.push({ line, top: editor.getTopForLineNumber(line) - scroll });
    }
    return found;
  });
  const current = editor.getPosition()?.lineNumber ?? 0;
  const { contentLeft } = editor.getLayoutInfo();
  return { lines, lineHeight, contentHeight: editor.getContentHeight(), contentLeft, current };
}

/** Follows scrolling, folding, resizing and typing. */
export function useVisibleLines(editor: monaco.editor.IStandaloneCodeEditor | null, lineHeight: number): VisibleLines {
  const [, measureAgain] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (!editor) return;
    const following = [
      editor.onDidScrollChange(measureAgain),
      editor.onDidLayoutChange(measureAgain),
      editor.onDidContentSizeChange(measureAgain),
      editor.onDidChangeModelContent(measureAgain),
      editor.onDidChangeHiddenAreas(measureAgain),
      editor.onDidChangeCursorPosition(measureAgain),
    ];
    // The editor may have been laid out before anyone listened.
    const frame = requestAnimationFrame(measureAgain);
    return () => {
      cancelAnimationFrame(frame);
      following.forEach((each) => each.dispose());
    };
  }, [editor]);
  return editor ? measure(editor, lineHeight) : NOTHING;
}
