/** @file The program in Monaco. Loaded lazily: it brings the whole editor. */
import { useEffect, useMemo, useState, type CSSProperties } from "react";
import { FUSION_LANGUAGE, useCodeEditor, useVisibleLines, monaco, type VisibleLines } from "../../monaco";
import { playground, selectPlanned, usePlayground } from "../../state";
import { costBars, lineCosts, type CostBar } from "./line-cost";
import { fitHints, registerProviders } from "./providers";
import { useLineLinks } from "./use-line-links";
import { show, useTextSync } from "./use-text-sync";
import { showBytes } from "../../fusion";

const LINE_HEIGHT = 22;
/** px that the text asks for, to the style. */
const CONTENT_HEIGHT = "--content-height";
registerProviders();

/** Hints are words about the code, so they are not set in its font. */
const pageFont = (): string => getComputedStyle(document.documentElement).getPropertyValue("--sans").trim();

const options = (): monaco.editor.IStandaloneEditorConstructionOptions => ({
  language: FUSION_LANGUAGE,
  value: playground.getState().document.text,
  fontSize: 13,
  lineHeight: LINE_HEIGHT,
  letterSpacing: -0.3,
  lineNumbersMinChars: 2,
  lineDecorationsWidth: 8,
  glyphMargin: false,
  wordWrap: "on",
  wrappingIndent: "indent",
  // No line is broken inside a number or a name.
  wordWrapBreakAfterCharacters: " \t})]?|/&,;",
  folding: false,
  renderLineHighlightOnlyWhenFocus: true,
  tabSize: 4,
  insertSpaces: true,
  wordBasedSuggestions: "off",
  snippetSuggestions: "inline",
  quickSuggestions: { other: true, comments: false, strings: false },
  inlayHints: { enabled: "on", fontSize: 12, padding: true, fontFamily: pageFont() },
  lightbulb: { enabled: "onCode" as monaco.editor.ShowLightbulbIconMode },
  hover: { delay: 250, above: false },
  ariaLabel:
    "Program text. Tab goes to the next part until you type; then press Control M first. Control K opens Find or do.",
});

const NO_BARS: ReadonlyMap<number, CostBar> = new Map();

interface MonacoProps {
  /** The field that this replaces; null once that has happened. */
  readonly plain: HTMLTextAreaElement | null;
  readonly onReady: () => void;
}

/** Typing goes on where it was: the plain field stays until the caret can be handed over. */
function useTakeOver(editor: monaco.editor.IStandaloneCodeEditor | null, { plain, onReady }: MonacoProps): void {
  useEffect(() => {
    if (!editor || !plain) return;
    if (document.activeElement === plain) show(editor, plain.selectionStart, plain.selectionEnd);
    onReady();
  }, [editor, plain, onReady]);
}

/** `nokey`: the graph takes Space and Delete from the whole page, except from elements that say so. */
export function MonacoProgram(props: MonacoProps) {
  const [host, setHost] = useState<HTMLElement | null>(null);
  const editor = useCodeEditor(host, options);
  const [focused, setFocused] = useState(false);
  useTextSync(editor);
  useWrap(editor);
  useEffect(() => {
    const watch = editor?.onDidLayoutChange(fitHints);
    return () => watch?.dispose();
  }, [editor]);
  useTakeOver(editor, props);
  useMarkers(editor);
  useEditorKeys(editor);
  const typed = useTyped(editor);
  const lit = useLineLinks(editor);
  const visible = useVisibleLines(editor, LINE_HEIGHT);
  // What was planned before a text that has no plan says nothing of its lines.
  const compilation = usePlayground((state) => (state.derived.status === "broken" ? null : selectPlanned(state)));
  const bars = useMemo(() => (compilation ? costBars(lineCosts(compilation)) : NO_BARS), [compilation]);
  // Nothing costs anything yet.
  const blank = usePlayground(({ document }) => document.text.trim() === "");
  const shown = focused ? new Set([...lit, visible.current]) : lit;
  const height = { [CONTENT_HEIGHT]: `${Math.max(visible.contentHeight, 3 * LINE_HEIGHT)}px` } as CSSProperties;
  return (
    <>
      <div className="cost-head" aria-hidden="true">
        {!blank && <span>FLOP</span>}
        {!blank && <span>bytes</span>}
        <small>{focused && typed ? "Tab indents. Ctrl M, then Tab: next part" : ""}</small>
      </div>
      <div className="program-code" style={height} onFocus={() => setFocused(true)} onBlur={() => setFocused(false)}>
        <CostGutter visible={visible} bars={bars} lit={shown} />
        <div className="program-host nokey" ref={setHost} />
      </div>
    </>
  );
}

/** Between two looks at whether the editor has the height that its text asks for, ms. */
const LOOK_MILLIS = 120;

/** Long lines wrap, unless more would get out of sight below than comes into sight: then the bar that scrolls to their ends shows. */
function useWrap(editor: monaco.editor.IStandaloneCodeEditor | null): void {
  useEffect(() => {
    const box = editor?.getContainerDomNode().parentElement;
    if (!editor || !box) return undefined;
    let timer = 0;
    // What stands around the text, problems and examples to begin with, comes and goes with what is planned for it.
    let known = "";
    const wrap = (wordWrap: "on" | "off"): void =>
      editor.updateOptions({ wordWrap, scrollbar: { horizontal: wordWrap === "off" ? "visible" : "auto" } });
    const look = (): void => {
      const wrapped = editor.getContentHeight();
      const asked = Number.parseFloat(box.style.getPropertyValue(CONTENT_HEIGHT));
      const unwrapped = (editor.getModel()?.getLineCount() ?? 0) * LINE_HEIGHT;
      const hidden = wrapped - box.clientHeight;
      if (asked < wrapped) check();
      else if (unwrapped <= box.clientHeight && hidden > (wrapped - unwrapped) / 2) wrap("off");
    };
    const check = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(look, LOOK_MILLIS);
    };
    const again = (): void => {
      wrap("on");
      check();
    };
    const following = [editor.onDidContentSizeChange(check), editor.onDidPaste(again)];
    const stop = playground.subscribe((state, before) => {
      const { text, example } = state.document;
      const planned = state.derived.latest !== before.derived.latest && text !== known && !editor.hasTextFocus();
      if (planned) known = text;
      if (planned || example !== before.document.example) again();
    });
    window.addEventListener("resize", again);
    check();
    return () => {
      clearTimeout(timer);
      window.removeEventListener("resize", again);
      following.forEach((each) => each.dispose());
      stop();
    };
  }, [editor]);
}

const OWNER = "fusion";

/** Underlines every mistake of the newest compilation. */
function useMarkers(editor: monaco.editor.IStandaloneCodeEditor | null): void {
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

type Editor = monaco.editor.IStandaloneCodeEditor;

/** Whether somebody has typed since the editor got the focus: until then Tab goes on through the page. */
function useTyped(editor: Editor | null): boolean {
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

/** Keys that are the page's, not Monaco's: there is one history for text and graph. */
function useEditorKeys(editor: Editor | null): void {
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

interface GutterProps {
  readonly visible: VisibleLines;
  readonly bars: ReadonlyMap<number, CostBar>;
  /** Lines that the current step, the selection or the pointer is about. */
  readonly lit: ReadonlySet<number>;
}

function Bars({ bar }: { readonly bar: CostBar }) {
  return (
    <>
      <i className="cost-flop" style={{ width: bar.flopWidth }} />
      <i className="cost-byte" style={{ width: bar.byteWidth }} />
    </>
  );
}

/** Beside the text: FLOPs as hollow bars, bytes as solid ones, each scaled to its own largest line. */
function CostGutter({ visible, bars, lit }: GutterProps) {
  return (
    <div className="cost-gutter" aria-hidden="true">
      {visible.lines.map(({ line, top }) => {
        const bar = bars.get(line);
        const title = bar ? `${showCount(bar.cost.flops)} FLOP, ${showBytes(bar.cost.bytes)} as written` : undefined;
        return (
          <span key={line} style={{ top }} className={lit.has(line) ? "lit" : undefined} title={title}>
            {bar && <Bars bar={bar} />}
          </span>
        );
      })}
    </div>
  );
}

/** Counts as the editor writes them. */
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

/** `12.6M` */
const showCount = (value: number): string => compact.format(value);
