/** @file Colours for the typed language: the subset of Python that it reads. What a text means is the compiler's business. */
import type * as Monaco from "monaco-editor/editor";

export const FUSION_LANGUAGE = "fusion-text";

const grammar: Monaco.languages.IMonarchLanguage = {
  defaultToken: "",
  tokenPostfix: ".fusion",
  unicode: true,
  // Python's own; its functions are ops here, and coloured as calls.
  keywords:
    "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
      " ",
    ),
  constants: ["True", "False", "None"],
  types: ["f32", "f16", "i32", "bool"],
  tokenizer: {
    root: [
      [/#.*$/, "comment"],
      [/"""/, "comment", "@docstring"],
      [/'''/, "comment", "@singleDocstring"],
      [/"[^"]*"|'[^']*'/, "string"],
      [/\.\.\./, "keyword.hole"],
      [/[0-9][0-9_]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?/, "number"],
      [
        /[\p{L}_][\p{L}\p{N}_]*(?=\s*\()/u,
        { cases: { "@keywords": "keyword", "@types": "type", "@default": "function" } },
      ],
      [
        /[\p{L}_][\p{L}\p{N}_]*/u,
        {
          cases: { "@keywords": "keyword", "@types": "type", "@constants": "number", "@default": "identifier" },
        },
      ],
      [/[()[\]]/, "@brackets"],
      [/[-+*/%@=<>!&|~:,.]/, "operator"],
    ],
    docstring: [
      [/"""/, "comment", "@pop"],
      [/[^"]+/, "comment"],
      [/"/, "comment"],
    ],
    singleDocstring: [
      [/'''/, "comment", "@pop"],
      [/[^']+/, "comment"],
      [/'/, "comment"],
    ],
  },
};

const editing: Monaco.languages.LanguageConfiguration = {
  comments: { lineComment: "#" },
  brackets: [
    ["[", "]"],
    ["(", ")"],
  ],
  autoClosingPairs: [
    { open: "[", close: "]" },
    { open: "(", close: ")" },
  ],
  surroundingPairs: [
    { open: "[", close: "]" },
    { open: "(", close: ")" },
  ],
  folding: { offSide: true },
};

/** Tells Monaco the language; call it once. */
export function registerFusionLanguage(monaco: typeof Monaco): void {
  monaco.languages.register({ id: FUSION_LANGUAGE, aliases: ["Fusion text"] });
  monaco.languages.setMonarchTokensProvider(FUSION_LANGUAGE, grammar);
  monaco.languages.setLanguageConfiguration(FUSION_LANGUAGE, {
    ...editing,
    onEnterRules: [
      {
        beforeText: /^\s*(?:class|def|for|if|elif|else|while|with|try|except|finally)\b.*:\s*$/,
        action: { indentAction: monaco.languages.IndentAction.Indent },
      },
    ],
  });
}
