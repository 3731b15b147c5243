/** @file From FILE to a program text with its options. */
import { applyTextEdits, defaultOptions, nodeId, parseProgram, PATIENCE } from "../fusion";
import type { Checked, CompileOptions, DeviceProfile, InputData, NodeId } from "../fusion";
import { decodeFile, decodeLink, isLink, readProfile } from "../document";
import type { Opened } from "../document";
import { importOnnx, typedData, type HostTensor } from "../import";
import type { Request } from "./args";
import type { Environment } from "./environment";

export interface Loaded {
  readonly text: string;
  readonly options: CompileOptions;
  /** What was left out while it was opened, in words. */
  readonly dropped: readonly string[];
  /** What was done to it so that it can be read. */
  readonly remarks: readonly string[];
  /** A model's own weights, by the names they have in the text. */
  readonly given: ReadonlyMap<NodeId, InputData>;
}

const NONE: Loaded["given"] = new Map();

const opened = (state: Checked<Opened>): Checked<Loaded> =>
  state.ok
    ? {
        ok: true,
        value: { ...pick(state.value.state.document), dropped: state.value.dropped, remarks: [], given: NONE },
      }
    : state;

const pick = ({ text, options }: Opened["state"]["document"]) => ({ text, options });

/** Numbers for an input: one is a scalar, several are a list. */
const hostOf = (numbers: readonly number[]): HostTensor => ({
  dtype: numbers.every(Number.isInteger) ? "i32" : "f32",
  dims: numbers.length === 1 ? [] : [numbers.length],
  data: Float64Array.from(numbers),
  wide: numbers.every(Number.isInteger),
});

function imported(
  file: string,
  bytes: Uint8Array,
  { dims: stated, bound }: Pick<Request, "dims" | "bound">,
): Checked<Loaded> {
  const dims = new Map([...stated].flatMap(([name, [first, ...more]]) => (more.length === 0 ? [[name, first!]] : [])));
  const known = new Map([...bound].map(([name, numbers]) => [name, hostOf(numbers)]));
  const read = importOnnx(bytes, { dims, shapes: stated, known });
  if (!read.ok) return { ok: false, code: "no-model", text: `${file}: ${read.text}` };
  const unknown = [...bound.keys()].find((name) => !read.value.inputOrder.includes(name));
  if (unknown !== undefined)
    return {
      ok: false,
      code: "no-input",
      text: `${file} has no input ${unknown}. It has ${read.value.inputOrder.join(", ")}.`,
    };
  const names = [...read.value.inputOrder, ...read.value.openDims];
  const open = [...stated.keys()].find((name) => !names.includes(name.replace(/\.\d+$/, "")));
  if (open !== undefined)
    return {
      ok: false,
      code: "no-input",
      text: `${file} has no size or input ${open}. It has ${names.join(", ")}.`,
    };
  const { text, missing, unsupported, wanted, data, elsewhere } = read.value;
  const [left] = missing;
  if (left) {
    const way = left.dim === null ? `--dim ${left.input}=1,3,224,224` : `--dim ${left.dim}=8`;
    return {
      ok: false,
      code: "open-extent",
      text: `${file} leaves ${left.dim ?? "the shape"} of ${left.input} open. Say it: ${way}`,
    };
  }
  const dropped = [
    ...unsupported.map(
      ({ op, count, why, given }) =>
        `${op} × ${count}, ${why}${given > 0 ? ` (what ${given === count ? "they give" : `${given} of them give`} comes in from outside)` : ""}`,
    ),
    ...elsewhere.map((name) => `the numbers of ${name}, which another file holds`),
    ...wanted.map((input) => `what depends on the numbers in ${input} (say them: --bind ${input}=…)`),
  ];
  const given = new Map([...data].map(([name, host]) => [nodeId(name), typedData(host)]));
  return { ok: true, value: { text, options: defaultOptions, dropped, remarks: [], given } };
}

/** A model, a share link (as FILE itself or as the file's contents), a saved document, or a program. */
export async function load(
  { file, dims, bound }: Pick<Request, "file" | "dims" | "bound">,
  environment: Environment,
): Promise<Checked<Loaded>> {
  const isModel = /\.onnx$/i.test(file);
  const [said] = isModel
    ? []
    : [...[...dims.keys()].map((name) => `--dim ${name}`), ...[...bound.keys()].map((name) => `--bind ${name}`)];
  if (said !== undefined)
    return {
      ok: false,
      code: "no-model",
      text: `${said} is for ONNX models; ${file} says its sizes and values itself, such as n = 8 or rate: i32[] = const([16000]).`,
    };
  if (isLink(file)) return opened(await decodeLink(file));
  let text: string;
  try {
    if (isModel) return imported(file, await environment.bytes(file), { dims, bound });
    text = await environment.read(file);
  } catch (refused) {
    return { ok: false, code: "unreadable", text: `${file} can't be read: ${(refused as Error).message}` };
  }
  if (file.endsWith(".json") || /^\s*\{/.test(text)) {
    const saved = opened(decodeFile(text));
    return saved.ok ? saved : { ...saved, text: `${file}: ${saved.text} ${expected(text)}` };
  }
  const first = text.trim();
  if (isLink(first) && !first.includes("\n")) return opened(await decodeLink(first));
  const written = readable(text);
  return { ok: true, value: { ...written, options: defaultOptions, dropped: [], given: NONE } };
}

/** What JSON that is no document may be, and what to give instead. */
const expected = (text: string): string =>
  /"cells"\s*:/.test(text) && /"nbformat"\s*:/.test(text)
    ? "It is a notebook: save its code as a .py file (Jupyter: File, Save and Export Notebook As, Executable Script)."
    : "A program is Python text; a .json file is a document saved by the playground.";

/** The device of a file: the numbers of a profile, or those that a saved document is planned with. */
export async function loadProfile(file: string, environment: Environment): Promise<Checked<DeviceProfile>> {
  let json: unknown;
  try {
    json = JSON.parse(await environment.read(file));
  } catch (refused) {
    return { ok: false, code: "unreadable", text: `${file} can't be read: ${(refused as Error).message}` };
  }
  const saved = decodeFile(JSON.stringify(json));
  const profile = saved.ok ? saved.value.state.document.options.profile : readProfile(json);
  if (profile) return { ok: true, value: profile };
  const text = `${file} holds no device. It is JSON with a name and numbers: bandwidth (bytes/s), peakFlops (FLOP/s), launchMicros, multiprocessors.`;
  return { ok: false, code: "no-profile", text };
}

/** Fixes without which a pasted text can't be planned, and what is said of them. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ["missing-data", "Data that is not here was taken from a data set that ships with the page."],
  ["source-without-type", "Data was declared with the types that it usually has."],
  ["class", "Classes were called with example sizes and inputs; those that the program does not fix are guesses."],
  ["missing-shape", "Inputs were given example shapes; sizes that the program does not fix are guesses."],
]);

/** So many mistakes of one kind are mended in a pasted text. */
const MOST_FIXES = 16;

/** Pasted classes and defs with the inputs that they need to be planned, and a word about it. */
function readable(pasted: string): Pick<Loaded, "text" | "remarks"> {
  let text = pasted;
  const remarks: string[] = [];
  const read = () => parseProgram(text, { patience: PATIENCE }).diagnostics;
  let found = read();
  for (const [wanted, remark] of NEEDED) {
    for (let fixed = 0; fixed < MOST_FIXES; fixed++) {
      const wrong = found.find(({ code, fixes }) => code === wanted && (fixes ?? []).length > 0);
      if (!wrong) break;
      text = applyTextEdits(text, wrong.fixes![0]!.edits);
      found = read();
      if (fixed === 0) remarks.push(remark);
    }
  }
  return { text, remarks };
}
