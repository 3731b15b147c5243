/** @file What of a kernel's text the page must know before it runs: entry point, workgroup, dispatch, bindings. */
import { closing, next, type Token } from "./scan";

export interface TextBinding {
  readonly binding: number;
  readonly group: number;
  readonly access: "read" | "read_write" | "uniform";
  readonly name: string;
  /** Offset in the text. */
  readonly at: number;
}

export interface TextFunction {
  readonly name: string;
  /** Of the `@compute` kind. */
  readonly entry: boolean;
  /** Each extent as written: a number or the name of a constant. */
  readonly workgroupSize: readonly string[];
  /** Token indices of its body's brackets. */
  readonly open: number;
  readonly close: number;
  readonly at: number;
}

export interface KernelShape {
  readonly functions: readonly TextFunction[];
  readonly bindings: readonly TextBinding[];
  /** Whole-number constants of the module. */
  readonly constants: ReadonlyMap<string, number>;
  /** Bytes of `var<workgroup>` arrays, as far as their types say; null where they don't. */
  readonly workgroupBytes: number | null;
}

/** `64u`, `0x40`, or a constant's name as a number; null for anything else. */
export function wholeNumber(text: string | undefined, constants: ReadonlyMap<string, number>): number | null {
  if (text === undefined) return null;
  if (constants.has(text)) return constants.get(text)!;
  const digits = /^(0[xX][0-9a-fA-F]+|\d+)[iu]?$/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

const SCALAR_BYTES: Readonly<Record<string, number>> = { f32: 4, i32: 4, u32: 4, f16: 2, bool: 4 };

/** Bytes of a type as it is written, from `from` on; null where it isn't plain. */
function bytesOf(tokens: readonly Token[], from: number, constants: ReadonlyMap<string, number>): number | null {
  const [name, inner] = [tokens[from]!.text, tokens[from + 1]?.text === "<" ? from + 2 : null];
  if (SCALAR_BYTES[name] !== undefined) return SCALAR_BYTES[name];
  if (name === "atomic") return 4;
  const vector = /^vec([234])([fiuh])?$/.exec(name);
  if (vector) {
    const lanes = vector[1] === "2" ? 2 : 4;
    const scalar = vector[2] ? (vector[2] === "h" ? 2 : 4) : inner === null ? null : bytesOf(tokens, inner, constants);
    return scalar === null ? null : lanes * scalar;
  }
  if (name !== "array" || inner === null) return null;
  const each = bytesOf(tokens, inner, constants);
  let at = inner;
  for (let depth = 0; at < tokens.length && (depth > 0 || tokens[at]!.text !== ","); at++)
    depth += tokens[at]!.text === "<" ? 1 : tokens[at]!.text === ">" ? -1 : 0;
  const count = wholeNumber(tokens[at + 1]?.text, constants);
  return each === null || count === null ? null : each * count;
}

/** Reads the shape off the tokens; what is not there is simply missing from it. */
export function shapeOf(tokens: readonly Token[]): KernelShape {
  const constants = new Map<string, number>();
  const functions: TextFunction[] = [];
  const bindings: TextBinding[] = [];
  let workgroupBytes: number | null = 0;
  let attributes = new Map<string, readonly string[]>();
  for (let at = 0; at < tokens.length; at++) {
    const { text, start } = tokens[at]!;
    if (text === "@") {
      const end = tokens[at + 2]?.text === "(" ? closing(tokens, at + 2) : at + 1;
      const given = tokens.slice(at + 3, end).map((token) => token.text);
      attributes.set(
        tokens[at + 1]?.text ?? "",
        given.filter((each) => each !== ","),
      );
      at = end;
      continue;
    }
    if (text === "const") {
      const name = tokens[at + 1]?.text ?? "";
      const from = next(tokens, "=", at) + 1;
      const value = wholeNumber(tokens[from]?.text, constants);
      if (value !== null && tokens[from + 1]?.text === ";") constants.set(name, value);
    } else if (text === "var" && tokens[at + 1]?.text === "<") {
      const close = next(tokens, ">", at);
      const [space = "", access] = tokens
        .slice(at + 2, close)
        .flatMap((token) => (token.text === "," ? [] : [token.text]));
      const [name, type] = [tokens[close + 1]?.text ?? "", close + 3];
      if (space === "workgroup" && type < tokens.length) {
        const bytes = bytesOf(tokens, type, constants);
        workgroupBytes = bytes === null || workgroupBytes === null ? null : workgroupBytes + bytes;
      }
      const number = wholeNumber(attributes.get("binding")?.[0], constants);
      const group = wholeNumber(attributes.get("group")?.[0], constants);
      if (number !== null && group !== null) {
        const how = space === "uniform" ? "uniform" : access === "read_write" ? "read_write" : "read";
        bindings.push({ binding: number, group, access: how, name, at: start });
      }
    } else if (text === "fn") {
      const open = next(tokens, "{", at);
      const close = open < tokens.length ? closing(tokens, open) : tokens.length;
      const workgroupSize = attributes.get("workgroup_size") ?? [];
      functions.push({
        name: tokens[at + 1]?.text ?? "",
        entry: attributes.has("compute"),
        workgroupSize,
        open,
        close,
        at: start,
      });
      at = close;
    }
    attributes = new Map();
  }
  return { functions, bindings, constants, workgroupBytes };
}

/** `// workgroups: 2048 × 1 × 1`: how many workgroups to launch; null where no comment says. */
export function workgroupsIn(text: string): readonly [number, number, number] | null {
  const found = /^[ \t]*\/\/[ \t]*workgroups?:[ \t]*(\d+)(?:[ \t]*[×x,][ \t]*(\d+))?(?:[ \t]*[×x,][ \t]*(\d+))?/im.exec(
    text,
  );
  return found ? [Number(found[1]), Number(found[2] ?? 1), Number(found[3] ?? 1)] : null;
}
