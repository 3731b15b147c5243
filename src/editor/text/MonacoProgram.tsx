/** @file The program in Monaco. Loaded lazily: it brings the whole editor. */
import { useEffect, useMemo, useState, type CSSProperties } from "react";
import { FUSION_LANGUAGE, useCodeEditor, useVisibleLines, type monaco } from "../../monaco";
import { playground, usePlayground } from "../../state";
import { CostGutter } from "./CostGutter";
import { costBars, lineCosts, type CostBar } from "./line-cost";
import { fitHints, registerProviders } from "./providers";
import { useEditorKeys, useTyped } from "./use-editor-keys";
import { useLineLinks } from "./use-line-links";
import { useMarkers } from "./use-markers";
import { show, useTextSync } from "./use-text-sync";
import { useWrap } from "./use-wrap";

const LINE_HEIGHT = 22;
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
  ariaLabel: "Program text. Tab goes to the next part until you type; then press Control M first. F1 opens Find or do.",
});

const NO_BARS: ReadonlyMap<number, CostBar> = new Map();

interface Props {
  /** The field that this takes the place of; null once that has happened. */
  readonly plain: HTMLTextAreaElement | null;
  readonly onReady: () => void;
}

/** Typing goes on where it was: the plain field stays until the caret can be handed over. */
function useTakeOver(editor: monaco.editor.IStandaloneCodeEditor | null, { plain, onReady }: Props): void {
  useEffect(() => {
    if (!editor || !plain) return;
    if (document.activeElement === plain) show(editor, plain.selectionStart, plain.selectionEnd);
    onReady();
  }, [editor, plain, onReady]);
}

/** `nokey`: the graph takes Space and Delete from the whole page, except from elements that say so. */
export function MonacoProgram(props: Props) {
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
  const compilation = usePlayground((state) => state.derived.compilation);
  const bars = useMemo(() => (compilation ? costBars(lineCosts(compilation)) : NO_BARS), [compilation]);
  const shown = focused ? new Set([...lit, visible.current]) : lit;
  const height = { "--content-height": `${Math.max(visible.contentHeight, 3 * LINE_HEIGHT)}px` } as CSSProperties;
  return (
    <>
      <div className="cost-head" aria-hidden="true">
        <span>FLOP</span>
        <span>bytes</span>
        <small>{focused && typed ? "Tab indents. Ctrl M, then Tab: next part" : ""}</small>
      </div>
      <div className="program-code" style={height} onFocus={() => setFocused(true)} onBlur={() => setFocused(false)}>
        <CostGutter visible={visible} bars={bars} lit={shown} />
        <div className="program-host nokey" ref={setHost} />
      </div>
    </>
  );
}
