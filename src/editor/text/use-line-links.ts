/** @file Lines and ops light each other up: the step's, the selected and the hovered op on the text, the pointed-at line on the graph. */
import { useEffect, useMemo } from "react";
import type { NodeId } from "../../fusion";
import { monaco } from "../../monaco";
import { playground, selectFusion, selectStep, usePlayground, type Selection } from "../../state";
import { parseEdgeId } from "../../fusion";
import { indexLines, linesOf, nodeAtOffset } from "./line-index";

type Editor = monaco.editor.IStandaloneCodeEditor;

function nodesOf(selection: Selection): NodeId[] {
  if (selection.kind === "node") return [selection.id];
  const ends = selection.kind === "edge" ? parseEdgeId(selection.id) : null;
  return ends ? [ends.producer, ends.consumer] : [];
}

/** 1-based lines to light up, and whether the pointer is why. */
function useLitLines(): ReadonlySet<number> {
  const latest = usePlayground((state) => state.derived.latest);
  const fusion = usePlayground(selectFusion);
  const hovered = usePlayground((state) => state.hovered);
  const selection = usePlayground((state) => state.selection);
  const step = usePlayground(selectStep);
  return useMemo(() => {
    if (!latest) return new Set<number>();
    const chosen = nodesOf(selection);
    const ids = hovered ? [hovered] : chosen.length > 0 ? chosen : (step?.nodes ?? []);
    const index = indexLines(latest.drawn, latest.text);
    return new Set(linesOf(index, latest.drawn, fusion?.graph ?? null, ids));
  }, [latest, fusion, hovered, selection, step]);
}

function nodeAt(editor: Editor, position: monaco.Position | null): NodeId | null {
  const { latest } = playground.getState().derived;
  const model = editor.getModel();
  if (!latest || !model || !position || latest.text !== model.getValue()) return null;
  return nodeAtOffset(indexLines(latest.drawn, latest.text), model.getOffsetAt(position));
}

/** What somebody stepped to or selected is in sight; what the pointer only passes leaves the text where it is. */
function reveal(editor: Editor, lit: ReadonlySet<number>): void {
  const { hovered, stepped, selection } = playground.getState();
  if (lit.size === 0 || hovered || editor.hasTextFocus() || !(stepped || selection.kind !== "none")) return;
  editor.revealLinesInCenterIfOutsideViewport(Math.min(...lit), Math.max(...lit));
}

/** Lit lines, also tinted in the editor; pointing at a line lights its op up elsewhere, pressing it selects the op. */
export function useLineLinks(editor: Editor | null): ReadonlySet<number> {
  const lit = useLitLines();
  useEffect(() => {
    if (!editor) return;
    const tint = { isWholeLine: true, className: "program-lit", marginClassName: "program-lit" };
    const shown = editor.createDecorationsCollection(
      [...lit].map((line) => ({ range: new monaco.Range(line, 1, line, 1), options: tint })),
    );
    reveal(editor, lit);
    return () => shown.clear();
  }, [editor, lit]);
  useEffect(() => {
    if (!editor) return;
    const { actions } = playground.getState();
    const following = [
      editor.onMouseMove(({ target }) => actions.hover(nodeAt(editor, target.position))),
      editor.onMouseLeave(() => actions.hover(null)),
      editor.onMouseUp(({ target }) => {
        const id = editor.getSelection()?.isEmpty() ? nodeAt(editor, target.position) : null;
        if (id) actions.select({ kind: "node", id });
      }),
    ];
    return () => following.forEach((each) => each.dispose());
  }, [editor]);
  return lit;
}
