/** @file The program in Monaco. Loaded lazily: it brings the whole editor. */
import { useMemo, useState, type CSSProperties } from "react";
import { FUSION_LANGUAGE, useCodeEditor, useVisibleLines, type monaco } from "../../monaco";
import { playground, usePlayground } from "../../state";
import { CostGutter } from "./CostGutter";
import { costBars, lineCosts, type CostBar } from "./line-cost";
import { registerProviders } from "./providers";
import { useEditorKeys } from "./use-editor-keys";
import { useLineLinks } from "./use-line-links";
import { useMarkers } from "./use-markers";
import { useTextSync } from "./use-text-sync";

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
  ariaLabel: "Program text. Press Control M to let Tab leave the editor, F1 to find or do.",
});

const NO_BARS: ReadonlyMap<number, CostBar> = new Map();

/** `nokey`: the graph takes Space and Delete from the whole page, except from elements that say so. */
export function MonacoProgram() {
  const [host, setHost] = useState<HTMLElement | null>(null);
  const editor = useCodeEditor(host, options);
  const [focused, setFocused] = useState(false);
  useTextSync(editor);
  useMarkers(editor);
  useEditorKeys(editor);
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
        <small>{focused ? "Ctrl M frees Tab" : ""}</small>
      </div>
      <div className="program-code" style={height} onFocus={() => setFocused(true)} onBlur={() => setFocused(false)}>
        <CostGutter visible={visible} bars={bars} lit={shown} />
        <div className="program-host nokey" ref={setHost} />
      </div>
    </>
  );
}
