/** @file Opens a file that the person chose or dropped: a saved document, the text of a program, or an ONNX model. */
import { decodeFile, limits } from "../document";
import { showBytes } from "../fusion";
import { playground, withoutLesson } from "../state";

/** Kinds of file for a file picker. */
export const READABLE = ".json,.py,.txt,.onnx";

/** Models carry their weights; more than this is not read. */
const MODEL_BYTES = 64 << 20;

/** Opens a program that is no example. What was open before is kept as earlier work. */
function openProgram(text: string): void {
  const { actions, document } = playground.getState();
  actions.openDocument({ text, positions: {}, options: document.options, example: null }, null, "link");
}

function openText(name: string, text: string): string | null {
  const { actions } = playground.getState();
  if (!name.endsWith(".json")) {
    openProgram(text);
  } else {
    const opened = decodeFile(text);
    if (!opened.ok) return `${name} can't be opened. ${opened.text}`;
    const { document: read, decision, view } = opened.value.state;
    actions.openDocument(read, decision, "link", view && withoutLesson(view));
  }
  actions.openDialog("none");
  return null;
}

/** Null for bytes that are no text: NUL in them, or invalid UTF-8. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return bytes.includes(0) ? null : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

let latest: File | null = null;

/** Null when it is open or being read, or another file was chosen meanwhile; otherwise why not. What was open before is kept as earlier work. */
export async function openFile(file: File): Promise<string | null> {
  latest = file;
  const model = /\.onnx$/i.test(file.name);
  const most = model ? MODEL_BYTES : limits.fileBytes;
  if (file.size > most) return `${file.name} is larger than ${showBytes(most)}.`;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (latest !== file) return null;
  if (!model) {
    const text = textOf(bytes);
    if (text === null) return `${file.name} is not a program. Open a .py, .txt or .json file, or an ONNX model.`;
    return openText(file.name, text);
  }
  void playground.getState().actions.importModel(file.name, bytes);
  return null;
}

/** Opens a file that came to the page as a whole; a notice says why one can't be opened. */
export async function takeFile(file: File): Promise<void> {
  const refusal = await openFile(file);
  if (refusal) playground.setState({ notice: { tone: "no", text: refusal } });
}

/** Asks which file to open. */
export function chooseFile(): void {
  const input = Object.assign(document.createElement("input"), { type: "file", accept: READABLE });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) void takeFile(file);
  });
  input.click();
}
