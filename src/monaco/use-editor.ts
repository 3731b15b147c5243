/** @file Editors as hooks: made when their element is there, disposed with it (also under StrictMode's second mount). */
import { useEffect, useRef, useState } from "react";
import { monaco } from "./setup";

const SHARED: monaco.editor.IStandaloneEditorConstructionOptions = {
  automaticLayout: true,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  overviewRulerLanes: 0,
  overviewRulerBorder: false,
  hideCursorInOverviewRuler: true,
  fixedOverflowWidgets: true,
  renderLineHighlight: "all",
  renderLineHighlightOnlyWhenFocus: false,
  guides: { indentation: false },
  stickyScroll: { enabled: false },
  bracketPairColorization: { enabled: false },
  unicodeHighlight: { ambiguousCharacters: false },
  scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
  padding: { top: 0, bottom: 0 },
};

/** Fonts must be named outright: Monaco measures them outside the page's variables. */
function sharedOptions(): monaco.editor.IStandaloneEditorConstructionOptions {
  const mono = getComputedStyle(document.documentElement).getPropertyValue("--mono").trim();
  return { ...SHARED, fontFamily: mono || "ui-monospace, monospace" };
}

/**
 * A code editor inside `host`; null until it is there. `options` are read once, change them with `updateOptions`.
 * The editor's own model is disposed with it.
 */
export function useCodeEditor(
  host: HTMLElement | null,
  options: () => monaco.editor.IStandaloneEditorConstructionOptions,
): monaco.editor.IStandaloneCodeEditor | null {
  const [editor, setEditor] = useState<monaco.editor.IStandaloneCodeEditor | null>(null);
  const initial = useRef(options);
  useEffect(() => {
    if (!host) return;
    const made = monaco.editor.create(host, { ...sharedOptions(), ...initial.current() });
    setEditor(made);
    return () => {
      const model = made.getModel();
      made.dispose();
      model?.dispose();
      setEditor(null);
    };
  }, [host]);
  return editor;
}

/**
 * A read-only diff of two texts inside `host`. What compares them is disposed before both models are: a comparison that
 * still runs is cancelled then, and does not fail for want of them.
 */
export function useDiffEditor(
  host: HTMLElement | null,
  texts: { readonly language: string; readonly original: string; readonly modified: string },
  labels: { readonly original: string; readonly modified: string },
): void {
  const { language, original, modified } = texts;
  useEffect(() => {
    if (!host) return;
    const made = monaco.editor.createDiffEditor(host, {
      ...sharedOptions(),
      readOnly: true,
      originalEditable: false,
      renderSideBySide: true,
      fontSize: 12,
      lineHeight: 21,
      originalAriaLabel: labels.original,
      modifiedAriaLabel: labels.modified,
    });
    const models = {
      original: monaco.editor.createModel(original, language),
      modified: monaco.editor.createModel(modified, language),
    };
    const comparison = made.createViewModel(models);
    made.setModel(comparison);
    made.getOriginalEditor().updateOptions({ ariaLabel: labels.original });
    made.getModifiedEditor().updateOptions({ ariaLabel: labels.modified });
    return () => {
      made.dispose();
      comparison.dispose();
      models.original.dispose();
      models.modified.dispose();
    };
  }, [host, language, original, modified, labels.original, labels.modified]);
}
