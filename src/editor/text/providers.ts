/** @file Hands the compiler's answers about the text to Monaco: completion, hover, signatures, hints, names and fixes. */
import {
  completionsAt,
  definitionAt,
  hoverAt,
  renameEdits,
  signatureAt,
  symbolAt,
  type Completion,
  type Span,
  type TextEdit,
} from "../../fusion";
import { FUSION_LANGUAGE, monaco } from "../../monaco";
import { playground, selectFusion, selectPlan } from "../../state";
import { kernelSentence } from "./kernel-of";
import { parsedText } from "./parsed";
import { fittingHints, typeHints } from "./type-hints";

type Model = monaco.editor.ITextModel;

/** Longer texts get no hints: reading them at every pause would be felt. */
const MAX_HINTED_LINES = 2000;
const APPLY_FIX = "playground.applyFix";

const ask = (model: Model, position: monaco.Position) =>
  ({ parsed: parsedText(model.getValue()), offset: model.getOffsetAt(position) }) as const;

const rangeOf = (model: Model, { from, to }: Span): monaco.Range =>
  monaco.Range.fromPositions(model.getPositionAt(from), model.getPositionAt(to));

function iconOf(kind: Completion["kind"]): monaco.languages.CompletionItemKind {
  const { CompletionItemKind: icons } = monaco.languages;
  const byKind: Record<Completion["kind"], monaco.languages.CompletionItemKind> = {
    op: icons.Function,
    composite: icons.Module,
    value: icons.Variable,
    constant: icons.Constant,
    def: icons.Method,
    argument: icons.Property,
    member: icons.Field,
    keyword: icons.Keyword,
    type: icons.Class,
    source: icons.Value,
  };
  return byKind[kind];
}

const completion: monaco.languages.CompletionItemProvider = {
  triggerCharacters: [".", ":"],
  provideCompletionItems(model, position) {
    const { parsed, offset } = ask(model, position);
    const suggestions = completionsAt(parsed, offset).map((each, i) => ({
      label: { label: each.label, description: each.detail },
      kind: iconOf(each.kind),
      insertText: each.insert,
      insertTextRules: each.snippet ? monaco.languages.CompletionItemInsertTextRule.InsertAsSnippet : undefined,
      documentation: { value: each.doc },
      range: rangeOf(model, each.span),
      sortText: String(i).padStart(5, "0"),
    }));
    return { suggestions };
  },
};

const hover: monaco.languages.HoverProvider = {
  provideHover(model, position) {
    const { parsed, offset } = ask(model, position);
    const found = hoverAt(parsed, offset);
    if (!found) return null;
    const state = playground.getState();
    const [plan, fusion] = [selectPlan(state), selectFusion(state)];
    const kernel = found.node && plan && fusion ? kernelSentence(plan, fusion.graph, found.node) : "";
    const contents = [found.markdown, kernel].filter(Boolean).map((value) => ({ value }));
    return { range: rangeOf(model, found.span), contents };
  },
};

const signature: monaco.languages.SignatureHelpProvider = {
  signatureHelpTriggerCharacters: ["(", ","],
  provideSignatureHelp(model, position) {
    const { parsed, offset } = ask(model, position);
    const found = signatureAt(parsed, offset);
    if (!found) return null;
    const parameters = found.params.map(({ from, to, doc }) => ({
      label: [from, to] as [number, number],
      documentation: doc,
    }));
    const signatures = [{ label: found.label, documentation: { value: found.doc }, parameters }];
    const value = { signatures, activeSignature: 0, activeParameter: Math.max(0, found.active) };
    return { value, dispose: () => undefined };
  },
};

/** Columns of the editor that shows the text. */
function columnsFor(model: Model): number {
  const editor = monaco.editor.getEditors().find((each) => each.getModel() === model);
  if (!editor) return Infinity;
  const { typicalHalfwidthCharacterWidth: width } = editor.getOption(monaco.editor.EditorOption.fontInfo);
  return Math.floor(editor.getLayoutInfo().contentWidth / width);
}

const relaid = new monaco.Emitter<void>();
/** The editor has another width: other hints fit. */
export const fitHints = (): void => relaid.fire();

const hints: monaco.languages.InlayHintsProvider = {
  onDidChangeInlayHints: relaid.event,
  provideInlayHints(model, range) {
    if (model.getLineCount() > MAX_HINTED_LINES) return null;
    const [from, to] = [model.getOffsetAt(range.getStartPosition()), model.getOffsetAt(range.getEndPosition())];
    const text = model.getValue();
    const all = typeHints(parsedText(text), { from, to });
    const found = fittingHints(all, text, columnsFor(model)).map(({ offset, label, tooltip }) => ({
      position: model.getPositionAt(offset),
      label,
      tooltip,
      kind: monaco.languages.InlayHintKind.Type,
      paddingLeft: true,
    }));
    return { hints: found, dispose: () => undefined };
  },
};

const definition: monaco.languages.DefinitionProvider = {
  provideDefinition(model, position) {
    const { parsed, offset } = ask(model, position);
    const span = definitionAt(parsed, offset);
    return span && { uri: model.uri, range: rangeOf(model, span) };
  },
};

/** The store renames: positions, pins and the text change in one undo step. Null when it did, else why not. */
async function renameAt(text: string, offset: number, name: string): Promise<string | null> {
  const parsed = parsedText(text);
  const { actions } = playground.getState();
  const node = symbolAt(parsed, offset)?.symbol.node ?? null;
  if (node !== null) return actions.renameNode(node, name);
  const edited = renameEdits(parsed, offset, name);
  if (!edited.ok) return edited.text;
  actions.applyEdits(edited.edits, "text");
  return null;
}

const rename: monaco.languages.RenameProvider = {
  async provideRenameEdits(model, position, newName) {
    const refused = await renameAt(model.getValue(), model.getOffsetAt(position), newName);
    return refused === null ? { edits: [] } : { edits: [], rejectReason: refused };
  },
  resolveRenameLocation(model, position) {
    const { parsed, offset } = ask(model, position);
    const span = symbolAt(parsed, offset)?.span;
    if (span) return { range: rangeOf(model, span), text: model.getValue().slice(span.from, span.to) };
    const range = monaco.Range.fromPositions(position);
    return { range, text: "", rejectReason: "There is no name here that could be changed." };
  },
};

const fixes: monaco.languages.CodeActionProvider = {
  provideCodeActions(model, range) {
    const { latest } = playground.getState().derived;
    if (!latest || latest.text !== model.getValue()) return null;
    const actions = latest.diagnostics.flatMap(({ span, fixes: found = [] }) => {
      if (!monaco.Range.areIntersectingOrTouching(rangeOf(model, span), range)) return [];
      return found.map(({ title, edits }, i) => ({
        title,
        kind: "quickfix",
        isPreferred: i === 0,
        command: { id: APPLY_FIX, title, arguments: [edits] },
      }));
    });
    return { actions, dispose: () => undefined };
  },
};

let registered = false;

/** Once for the page: the language has one editor. */
export function registerProviders(): void {
  if (registered) return;
  registered = true;
  const { languages } = monaco;
  languages.registerCompletionItemProvider(FUSION_LANGUAGE, completion);
  languages.registerHoverProvider(FUSION_LANGUAGE, hover);
  languages.registerSignatureHelpProvider(FUSION_LANGUAGE, signature);
  languages.registerInlayHintsProvider(FUSION_LANGUAGE, hints);
  languages.registerDefinitionProvider(FUSION_LANGUAGE, definition);
  languages.registerRenameProvider(FUSION_LANGUAGE, rename);
  languages.registerCodeActionProvider(FUSION_LANGUAGE, fixes);
  monaco.editor.registerCommand(APPLY_FIX, (_, edits: readonly TextEdit[]) =>
    playground.getState().actions.applyEdits(edits, "text"),
  );
}
