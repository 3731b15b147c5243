/** @file A model file becomes the program: read in the compile worker, open questions asked, gaps told. */
import { recordOf, type Document } from "../../document";
import { defaultOptions, showBytes } from "../../fusion";
import { findExample, optionsFor } from "../../lessons";
import { askBeside } from "../ask-beside";
import type { ImportAnswer } from "../../workers";
import type { SliceContext, Slice } from "./slice-context";
import type { Importing, OpenQuestion } from "../types";

type Imported = Extract<ImportAnswer, { ok: true }>["value"];

interface ModelFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the person has said so far. */
  readonly dims: Map<string, number>;
  readonly shapes: Map<string, readonly number[]>;
}

/** One question for each open dimension, however many inputs have it. */
export function questionsOf(missing: Imported["missing"]): OpenQuestion[] {
  const found = new Map<string, OpenQuestion>();
  for (const { input, dim } of missing) {
    const name = dim ?? input;
    const inputs = [...(found.get(name)?.inputs ?? []), input];
    found.set(name, { name, kind: dim === null ? "shape" : "dim", inputs });
  }
  return [...found.values()];
}

const tensors = (count: number): string => `${count} ${count === 1 ? "tensor" : "tensors"}`;

/** Where the numbers of the weights come from, in sentences to go on with; empty without weights. */
function numbersOf({ weights, elsewhere }: Imported, kept: boolean): string {
  const away =
    elsewhere.length === 0
      ? ""
      : ` The numbers of ${tensors(elsewhere.length)} are in another file, which is not read: runs use random numbers.`;
  const count = weights.size;
  if (count === 0) return away;
  let bytes = 0;
  for (const { data } of weights.values()) bytes += data.byteLength;
  const fate = kept ? "kept on this device" : "gone when the page is closed, since the browser would not keep them";
  return ` Runs use its own weights: ${tensors(count)}, ${showBytes(bytes)}, ${fate}.${away}`;
}

async function open(context: SliceContext, file: string, imported: Imported): Promise<void> {
  const { text, unsupported, wanted, weights, key } = imported;
  const { actions, document } = context.get();
  const options = optionsFor(null, document.options, findExample(document.example), defaultOptions);
  const ref = weights.size > 0 ? { weights: { file, key } } : {};
  const { importing } = context.get();
  const kept = weights.size > 0 && (await context.weights.keep(key, weights));
  // Keeping takes a while: closed, or another file came meanwhile.
  if (context.get().importing !== importing || context.get().dialog !== "import") return;
  const next: Document = { text, positions: recordOf(), options, example: null, ...ref };
  actions.openDocument(next, null, "example");
  const numbers = numbersOf(imported, kept);
  if (unsupported.length + wanted.length > 0) {
    context.set({ importing: { file, status: "partial", unsupported, wanted, numbers } });
    return;
  }
  context.set({ importing: null, dialog: "none", notice: { tone: "info", text: `${file} is open.${numbers}` } });
}

async function read(context: SliceContext, { name, bytes, dims, shapes }: ModelFile): Promise<void> {
  const importing: Importing = { file: name, status: "reading" };
  context.set({ importing, dialog: "import" });
  // Closed, or another file came meanwhile.
  const isOld = (): boolean => context.get().importing !== importing || context.get().dialog !== "import";
  const answer = await askBeside(context, { kind: "import", bytes, dims, shapes }, isOld);
  if (isOld()) return;
  const failed = (text: string): void => context.set({ importing: { file: name, status: "failed", text } });
  if (!answer.ok) return failed(answer.text);
  if (answer.value.kind !== "imported") return failed("The worker answered another question.");
  const { imported } = answer.value;
  if (!imported.ok) return failed(imported.text);
  const questions = questionsOf(imported.value.missing);
  if (questions.length > 0) context.set({ importing: { file: name, status: "asking", questions } });
  else await open(context, name, imported.value);
}

export const importSlice: Slice<"importModel" | "answerImport"> = (context) => {
  let file: ModelFile | null = null;
  return {
    importModel(name, bytes) {
      file = { name, bytes, dims: new Map(), shapes: new Map() };
      return read(context, file);
    },
    async answerImport(answers) {
      const { importing } = context.get();
      if (!file || importing?.status !== "asking") return;
      for (const { name, kind } of importing.questions) {
        const answer = answers.get(name);
        if (!answer) continue;
        if (kind === "shape") file.shapes.set(name, answer);
        else if (answer.length === 1) file.dims.set(name, answer[0]!);
      }
      await read(context, file);
    },
  };
};
