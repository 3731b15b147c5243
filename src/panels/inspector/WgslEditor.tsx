/** @file Read-only Monaco with the lines linked to ops, both ways. Loaded lazily: it brings Monaco. */
import { useEffect, useMemo, useState } from "react";
import type { Graph, Kernel } from "../../fusion";
import { playground, selectKernelColours, usePlayground } from "../../state";
import { monaco, useCodeEditor, useVisibleLines } from "../../monaco";
import { kernelColour, lineNotes, linesOfNode, preludeSentence, preludesOf } from "../model/kernels";
import { refusedAt } from "../model/refused";
import { OriginLabels, type LineEnd } from "./OriginLabels";
import { useRefusedLine } from "./use-refused-line";
import { foldPreludes } from "./wgsl-folding";

interface Props {
  readonly kernel: Kernel;
  readonly graph: Graph;
  readonly index: number;
}

const LINE_HEIGHT = 21;

const options = (): monaco.editor.IStandaloneEditorConstructionOptions => ({
  language: "wgsl",
  readOnly: true,
  domReadOnly: true,
  readOnlyMessage: { value: "Generated code. Change the program or its choices instead." },
  fontSize: 12,
  lineHeight: LINE_HEIGHT,
  letterSpacing: -0.12,
  padding: { top: 8, bottom: 8 },
  lineNumbersMinChars: 3,
  lineDecorationsWidth: 2,
  wordWrap: "on",
  // Numbers stay whole.
  wordWrapBreakAfterCharacters: " \t,({[",
  wordWrapBreakBeforeCharacters: "",
  wrappingIndent: "indent",
  glyphMargin: false,
  folding: true,
  foldingImportsByDefault: true,
  showFoldingControls: "mouseover",
  renderLineHighlight: "none",
  occurrencesHighlight: "off",
  links: false,
  contextmenu: false,
  ariaLabel: "WGSL",
});

type Editor = monaco.editor.IStandaloneCodeEditor;

/** Tints: a bar for lines of the selected op, a band for those of the op under the pointer. */
function useLinkedLines(editor: Editor | null, { kernel, graph }: Props, colour: number): ReadonlySet<number> {
  const hovered = usePlayground((state) => state.hovered);
  const selected = usePlayground((state) => (state.selection.kind === "node" ? state.selection.id : null));
  const linked = useMemo(
    () => new Set(linesOfNode(kernel, graph, hovered ?? selected)),
    [kernel, graph, hovered, selected],
  );
  useEffect(() => {
    if (!editor) return;
    const decorations = kernel.lines.flatMap((nodes, i) => {
      if (nodes.length === 0) return [];
      const lit = linked.has(i + 1) ? " linked" : "";
      const classes = { className: `wgsl-line k${colour}${lit}`, marginClassName: `wgsl-margin k${colour}${lit}` };
      return [{ range: new monaco.Range(i + 1, 1, i + 1, 1), options: { isWholeLine: true, ...classes } }];
    });
    const shown = editor.createDecorationsCollection(decorations);
    return () => shown.clear();
  }, [editor, kernel, colour, linked]);
  useEffect(() => {
    const [first] = linked;
    if (!editor || first === undefined) return;
    const show = (): void => {
      if (!editor.hasWidgetFocus()) editor.revealLineInCenterIfOutsideViewport(first);
    };
    show();
    // Folding and wrapping settle a little after a kernel opens, and move the line.
    const later = (): void => void setTimeout(show, 120);
    const moves = [editor.onDidChangeHiddenAreas, editor.onDidContentSizeChange, editor.onDidLayoutChange];
    const settling = moves.map((on) => on(later));
    const timer = setTimeout(show, 200);
    return () => {
      clearTimeout(timer);
      settling.forEach((each) => each.dispose());
    };
  }, [editor, linked]);
  return linked;
}

/** Line → op: the pointer over a line and the caret in it light the op up on the graph and in the text. */
function useLineHover(editor: Editor | null, kernel: Kernel): void {
  useEffect(() => {
    if (!editor) return;
    const { actions } = playground.getState();
    const nodeAt = (line: number | undefined) => (line === undefined ? null : (kernel.lines[line - 1]?.[0] ?? null));
    const following = [
      editor.onMouseMove(({ target }) => actions.hover(nodeAt(target.position?.lineNumber))),
      editor.onMouseLeave(() => actions.hover(null)),
      editor.onMouseDown(({ target }) => {
        const id = nodeAt(target.position?.lineNumber);
        if (id) actions.select({ kind: "node", id });
      }),
    ];
    return () => following.forEach((each) => each.dispose());
  }, [editor, kernel]);
}

/** Where the last row of a line ends, px from the editor's upper left corner; null while it is not drawn. */
function endOf(editor: Editor | null, line: number): LineEnd | null {
  const model = editor?.getModel();
  if (!editor || !model || line > model.getLineCount()) return null;
  return editor.getScrolledVisiblePosition({ lineNumber: line, column: model.getLineMaxColumn(line) });
}

export function WgslEditor(props: Props) {
  const { kernel, graph } = props;
  const run = usePlayground((state) => state.run);
  const refused = useMemo(() => refusedAt(kernel, run), [kernel, run]);
  const colour = kernelColour(usePlayground(selectKernelColours), kernel, props.index);
  const [host, setHost] = useState<HTMLElement | null>(null);
  const editor = useCodeEditor(host, options);
  useEffect(() => {
    if (!editor) return;
    const model = editor.getModel();
    model?.setValue(kernel.wgsl.trimEnd());
    editor.updateOptions({ ariaLabel: `WGSL of ${kernel.id}, read-only. Press Control M to let Tab leave.` });
    return foldPreludes(editor);
  }, [editor, kernel]);
  const linked = useLinkedLines(editor, props, colour);
  useLineHover(editor, kernel);
  useRefusedLine(editor, refused);
  const visible = useVisibleLines(editor, LINE_HEIGHT);
  const notes = useMemo(() => {
    const preludes = preludesOf(kernel.wgsl);
    const folded = preludes.map((each) => ({ line: each.first, label: preludeSentence(kernel, each), nodes: [] }));
    return { lines: lineNotes(kernel, graph), folded };
  }, [kernel, graph]);
  return (
    <div className="wgsl" data-refused={refused !== null}>
      {refused && (
        <p className="wgsl-refusal" role="status">
          Refused by the GPU&apos;s compiler at line {refused.line}, column {refused.column}.
        </p>
      )}
      <div className="wgsl-host nokey" ref={setHost} />
      <OriginLabels
        colour={colour}
        visible={visible}
        notes={notes.lines}
        folded={notes.folded}
        linked={linked}
        width={editor?.getLayoutInfo().width ?? 0}
        endOf={(line) => endOf(editor, line)}
      />
    </div>
  );
}
