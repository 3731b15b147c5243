/** @file Names and phrases that were replaced and must not come back: old → what is said now. test/glossary.test.ts reads it. */

/** Identifiers, matched as whole words in any file. Files are listed by the name that imports use. */
export const oldIdentifiers: Readonly<Record<string, string>> = {
  // state, shell, panels, document
  Deeds: "SliceContext",
  deeds: "actions",
  deed: "action",
  StatusDeed: "StatusAction",
  Tones: "KernelColours",
  tones: "colours",
  tonesAt: "coloursAt",
  selectTones: "selectKernelColours",
  toneStyle: "colourStyle",
  Vault: "WeightStorage",
  vault: "weightStorage",
  worldWith: "environmentWith",
  nodeWorld: "nodeEnvironment",
  lateModule: "lazyModule",
  LateCanvas: "LazyCanvas",
  firstPicture: "firstPaint",
  afterFirstPicture: "afterFirstPaint",
  writtenCounts: "sourceCounts",
  Desk: "PaneGrid",
  DeskPlan: "GridPlan",
  DeskPane: "GridPane",
  Arrangements: "PageLayouts",
  MarkMenu: "LogoMenu",
  takeTypedAhead: "takeKeyBuffer",
  typeAhead: "bufferKey",
  useArrangement: "usePageLayout",
  useRunPlace: "useRunView",
  machineSlice: "runSlice",
  keptDraft: "storedDraft",
  keptWorks: "storedWorks",
  keptPreferences: "storedPreferences",
  weightsKeeper: "weightsStore",
  // verdicts
  wayOut: "remedy",
  atTheBoard: "explain",
};

/** Files by their old path without ending, below src/. */
export const oldFiles: Readonly<Record<string, string>> = {
  "state/tones": "state/kernel-colours",
  "state/vault": "state/weight-storage",
  "state/laying-out": "state/layout-sync",
  "state/looking-slice": "state/view-slice",
  "state/world": "state/environment",
  "state/late-module": "state/lazy-module",
  "state/first-picture": "state/first-paint",
  "state/machine-slice": "state/run-slice",
  "state/slice": "state/slice-context",
  "editor/LateCanvas": "editor/LazyCanvas",
  "document/written": "document/source-counts",
  "panels/Words": "panels/InlineCode",
  "shell/Desk": "shell/PaneGrid",
  "shell/Arrangements": "shell/PageLayouts",
  "shell/use-arrangement": "shell/use-page-layout",
  "shell/MarkMenu": "shell/LogoMenu",
  "shell/typed-ahead": "shell/key-buffer",
  "shell/use-run-place": "shell/use-run-view",
  "cli/world": "cli/environment",
  "cli/words": "cli/format",
  "editor/text/words": "editor/text/format",
  "editor/canvas/model/words": "editor/canvas/model/format",
};

/** Phrases of comments, docs and sentences, matched without regard to case; a line break counts as a space. */
export const oldPhrases: Readonly<Record<string, string>> = {
  "at the board": "explain",
  "outside world": "environment",
};
