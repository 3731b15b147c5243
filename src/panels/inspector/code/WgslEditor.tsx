/** @file Read-only Monaco with the lines linked to ops, both ways. Loaded lazily: it brings Monaco. */
import { useEffect, useMemo, useState } from "react";
import type { Graph, Kernel } from "../../../fusion";
import { playground, selectKernelColours, usePlayground } from "../../../state";
import { monaco, useCodeEditor, useVisibleLines, type VisibleLines } from "../../../monaco";
import {
  kernelColour,
  lineNotes,
  linesOfNode,
  preludeSentence,
  preludesOf,
  type LineNote,
} from "../../model/kernel/kernels";
import { refusedAt, type Refused } from "../../model/kernel/refused";

interface EditorProps {
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
function useLinkedLines(editor: Editor | null, { kernel, graph }: EditorProps, colour: number): ReadonlySet<number> {
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

export function WgslEditor(props: EditorProps) {
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

interface LabelsProps {
  /** 1 to 6: the kernel's colour, under the labels of linked lines. */
  readonly colour: number;
  readonly visible: VisibleLines;
  readonly notes: readonly LineNote[];
  /** Said at the first line of a fold while the others are hidden. */
  readonly folded: readonly LineNote[];
  readonly linked: ReadonlySet<number>;
  /** px of the whole editor. */
  readonly width: number;
  readonly endOf: (line: number) => LineEnd | null;
}

/** The end of a line's last row, px from the editor's upper left corner. */
interface LineEnd {
  readonly left: number;
  readonly top: number;
}

/** px that a letter of a 12 px label takes, generously, and what stays free around it. */
const [LETTER, AROUND] = [6.8, 26];

/** At the ends of the lines: which op a line came from, what leaves to memory, what is folded. */
function OriginLabels({ colour, visible, notes, folded, linked, width, endOf }: LabelsProps) {
  const byLine = new Map(notes.map((note) => [note.line, note]));
  const shown = new Set(visible.lines.map(({ line }) => line));
  const rows = (line: number, top: number): number => {
    const end = endOf(line);
    return end ? Math.max(1, Math.round((end.top - top) / visible.lineHeight) + 1) : 1;
  };
  const closed = folded.flatMap((fold) => {
    const at = shown.has(fold.line + 1) ? undefined : visible.lines.find(({ line }) => line === fold.line);
    return at ? [{ ...fold, top: at.top }] : [];
  });
  return (
    <div className="wgsl-labels" aria-hidden="true">
      {closed.map(({ line, top, label }) => (
        <span
          key={line}
          className="wgsl-fold"
          style={{ top, left: visible.contentLeft - 4, height: rows(line, top) * visible.lineHeight }}
        >
          <b>{label}</b>
        </span>
      ))}
      {visible.lines.map(({ line }) => {
        const note = byLine.get(line);
        const end = note ? endOf(line) : null;
        // Code goes before its label: a line without room for both keeps its coloured margin.
        const fits = note && end && end.left + note.label.length * LETTER + AROUND <= width;
        return fits ? (
          <em key={line} style={{ top: end.top }} className={linked.has(line) ? `linked k${colour}` : undefined}>
            {note.label}
          </em>
        ) : null;
      })}
    </div>
  );
}

/** The line that the GPU's compiler refused in the last run: shown, and underlined from where it points. */
function useRefusedLine(editor: monaco.editor.IStandaloneCodeEditor | null, refused: Refused | null): void {
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
function blocks(lines: readonly string[]): { start: number; end: number }[] {
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

/**
 * The editor's way to hide lines, which its published types leave out; each source has lines of its own. A new text shows
 * all lines, and the editor believes that those of the old one are hidden still: so it is told to look again.
 */
interface Hiding {
  setHiddenAreas?: (ranges: readonly monaco.IRange[], source: string, forceUpdate: boolean) => void;
}

const hide = (editor: monaco.editor.IStandaloneCodeEditor, ranges: readonly monaco.IRange[]): void =>
  (editor as Hiding).setHiddenAreas?.(ranges, "opening", true);

/** Folds what stands before the kernel now; answers how to stop. */
function foldPreludes(editor: monaco.editor.IStandaloneCodeEditor): () => void {
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
  let over = false;
  const fold = async (): Promise<void> => {
    const selectionLines = preludes.map(({ first }) => first - 1);
    // It waits for the folds of the whole text, which take a while: shown before, the lines would flash up.
    await editor.getAction("editor.fold")?.run({ levels: 1, selectionLines });
    if (!over) hide(editor, []);
  };
  const timer = setTimeout(() => void fold(), 50);
  return () => {
    over = true;
    clearTimeout(timer);
    hide(editor, []);
  };
}
