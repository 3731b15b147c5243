/** @file Monaco's theme, made from the page's tokens, so that no colour is written twice. */
import type * as Monaco from "monaco-editor/editor";

/** Answers a token's value, `#5A35E0` for `accent`. */
export type TokenReader = (token: string) => string;

const THEME = "playground";

/** `#5A35E0` from any spelling of an opaque hex colour; Monaco takes no other. */
export function hexOf(value: string): string {
  const text = value.trim().toLowerCase();
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(text);
  return short ? `#${short[1]}${short[1]}${short[2]}${short[2]}${short[3]}${short[3]}` : text;
}

/** The whole theme for the tokens that are in force now. */
export function themeFrom(read: TokenReader, dark: boolean): Monaco.editor.IStandaloneThemeData {
  const token = (name: string): string => hexOf(read(name));
  const rule = (scope: string, name: string) => ({ token: scope, foreground: token(name).slice(1) });
  return {
    base: dark ? "vs-dark" : "vs",
    inherit: true,
    rules: [
      rule("", "ink"),
      rule("identifier", "ink"),
      rule("delimiter", "ink-2"),
      rule("operator", "ink"),
      rule("keyword", "syn-key"),
      rule("annotation", "syn-key"),
      rule("number", "syn-num"),
      rule("number.hex", "syn-num"),
      rule("number.float", "syn-num"),
      rule("string", "syn-num"),
      rule("function", "syn-fn"),
      rule("comment", "syn-com"),
      rule("type", "syn-type"),
      rule("variable.predefined", "syn-type"),
      rule("invalid", "no"),
    ],
    colors: Object.fromEntries(Object.entries(uiColours).map(([key, name]) => [key, token(name)])),
  };
}

/** Monaco's colour names and the token that each takes. */
const uiColours: Readonly<Record<string, string>> = {
  foreground: "ink",
  descriptionForeground: "ink-3",
  disabledForeground: "ink-3",
  errorForeground: "no",
  focusBorder: "accent",
  "editor.background": "surface",
  "editor.foreground": "ink",
  "editor.lineHighlightBackground": "sunken",
  "editor.selectionBackground": "accent-tint",
  "editor.inactiveSelectionBackground": "accent-tint",
  "editor.selectionHighlightBackground": "sunken",
  "editor.wordHighlightBackground": "sunken",
  "editor.wordHighlightStrongBackground": "sunken",
  "editor.wordHighlightTextBackground": "sunken",
  "editor.findMatchBackground": "warn-tint",
  "editor.findMatchHighlightBackground": "warn-tint",
  "editor.foldBackground": "surface",
  "editorCursor.foreground": "ink",
  "editorLineNumber.foreground": "ink-3",
  "editorLineNumber.activeForeground": "ink",
  "editorIndentGuide.background1": "line",
  "editorIndentGuide.activeBackground1": "line-strong",
  "editorWhitespace.foreground": "line-strong",
  "editorInlayHint.background": "sunken",
  "editorInlayHint.foreground": "ink-3",
  "editorInlayHint.typeBackground": "sunken",
  "editorInlayHint.typeForeground": "ink-3",
  "editorError.foreground": "no",
  "editorWarning.foreground": "warn",
  "editorInfo.foreground": "accent",
  "editorHint.foreground": "ink-3",
  "editorUnnecessaryCode.border": "surface",
  "editorBracketMatch.background": "sunken",
  "editorBracketMatch.border": "line-strong",
  "editorBracketHighlight.foreground1": "ink",
  "editorBracketHighlight.foreground2": "ink",
  "editorBracketHighlight.foreground3": "ink",
  "editorBracketHighlight.unexpectedBracket.foreground": "no",
  "editorWidget.background": "surface",
  "editorWidget.foreground": "ink",
  "editorWidget.border": "line-strong",
  "editorHoverWidget.background": "surface",
  "editorHoverWidget.foreground": "ink",
  "editorHoverWidget.border": "line-strong",
  "editorHoverWidget.statusBarBackground": "sunken",
  "editorHoverWidget.highlightForeground": "accent",
  "editorSuggestWidget.background": "surface",
  "editorSuggestWidget.foreground": "ink",
  "editorSuggestWidget.border": "line-strong",
  "editorSuggestWidget.selectedBackground": "accent-tint",
  "editorSuggestWidget.selectedForeground": "ink",
  "editorSuggestWidget.selectedIconForeground": "ink",
  "editorSuggestWidget.highlightForeground": "accent",
  "editorSuggestWidget.focusHighlightForeground": "accent",
  "list.hoverBackground": "sunken",
  "list.hoverForeground": "ink",
  "list.activeSelectionBackground": "accent-tint",
  "list.activeSelectionForeground": "ink",
  "list.focusBackground": "accent-tint",
  "list.focusForeground": "ink",
  "list.highlightForeground": "accent",
  "input.background": "sunken",
  "input.foreground": "ink",
  "input.border": "line-strong",
  "input.placeholderForeground": "ink-3",
  "inputOption.activeBackground": "accent-tint",
  "inputOption.activeForeground": "ink",
  "inputOption.activeBorder": "accent",
  "button.background": "action",
  "button.foreground": "on-action",
  "textLink.foreground": "accent",
  "textLink.activeForeground": "accent",
  "textCodeBlock.background": "sunken",
  "textPreformat.foreground": "ink",
  "textPreformat.background": "sunken",
  "menu.background": "surface",
  "menu.foreground": "ink",
  "menu.selectionBackground": "accent-tint",
  "menu.selectionForeground": "ink",
  "menu.border": "line-strong",
  "menu.separatorBackground": "line",
  "widget.border": "line-strong",
  "widget.shadow": "line",
  "scrollbarSlider.background": "pipe-soft",
  "scrollbarSlider.hoverBackground": "pipe",
  "scrollbarSlider.activeBackground": "pipe",
  "editorOverviewRuler.border": "surface",
  "diffEditor.insertedTextBackground": "yes-tint",
  "diffEditor.removedTextBackground": "no-tint",
  "diffEditor.insertedLineBackground": "yes-tint",
  "diffEditor.removedLineBackground": "no-tint",
  "diffEditorGutter.insertedLineBackground": "yes-tint",
  "diffEditorGutter.removedLineBackground": "no-tint",
  "diffEditor.diagonalFill": "line",
  "diffEditor.unchangedRegionBackground": "sunken",
  "diffEditor.unchangedRegionForeground": "ink-3",
  "diffEditor.unchangedCodeBackground": "surface",
};

/** Applies the theme now and whenever the page's theme or contrast changes. */
export function followTheme(monaco: typeof Monaco): void {
  const root = document.documentElement;
  const apply = (): void => {
    const style = getComputedStyle(root);
    const read: TokenReader = (name) => style.getPropertyValue(`--${name}`);
    if (!hexOf(read("surface")).startsWith("#")) return; // tokens not there: Monaco's own theme stays
    monaco.editor.defineTheme(THEME, themeFrom(read, style.colorScheme.includes("dark")));
    monaco.editor.setTheme(THEME);
  };
  apply();
  new MutationObserver(apply).observe(root, { attributes: true, attributeFilter: ["data-theme", "class"] });
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
    matchMedia(query).addEventListener("change", apply);
  }
}
