/** @file Long lines go on below themselves, unless that pushes the last lines of the program out of sight. */
import { useEffect } from "react";
import type { monaco } from "../../monaco";
import { playground } from "../../state";

/** The editor has taken the height that its text asks for by then, ms. */
const LAID_OUT = 120;

export function useWrap(editor: monaco.editor.IStandaloneCodeEditor | null): void {
  useEffect(() => {
    if (!editor) return undefined;
    let timer = 0;
    const wrap = (wordWrap: "on" | "off"): void => editor.updateOptions({ wordWrap });
    const check = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        if (editor.getContentHeight() > editor.getLayoutInfo().height) wrap("off");
      }, LAID_OUT);
    };
    const again = (): void => {
      wrap("on");
      check();
    };
    const following = editor.onDidContentSizeChange(check);
    const stop = playground.subscribe((state, before) => {
      if (state.document.example !== before.document.example) again();
    });
    window.addEventListener("resize", again);
    check();
    return () => {
      clearTimeout(timer);
      window.removeEventListener("resize", again);
      following.dispose();
      stop();
    };
  }, [editor]);
}
