/**
 * @file A printed kernel as CUDA C++, to be read beside its WGSL: word for word the same loads, stores and loops, and the same comments.
 * Nothing here runs it. Both languages share their expressions, so the text is translated, not generated again.
 */
import type { Kernel } from "../../ir";
import { cudaHeader } from "./cuda-header";

/** Why a kernel has no text in another language. */
export class NoText extends Error {}

const TYPES: Readonly<Record<string, string>> = {
  f32: "float",
  i32: "int",
  u32: "unsigned",
  bool: "bool",
  vec4f: "float4",
  vec4i: "int4",
  vec4u: "uint4",
  "vec4<bool>": "bool4",
  "vec4<f32>": "float4",
  "vec4<i32>": "int4",
  "vec4<u32>": "uint4",
  "atomic<i32>": "int",
  vec3u: "uint3",
  vec2f: "float2",
  vec2u: "uint2",
};

/** Functions of another name; those of the same name are CUDA's own or in the header. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  workgroupBarrier: "__syncthreads",
  inverseSqrt: "rsqrt",
  round: "rint",
  subgroupShuffleXor: "shuffle_xor",
  workgroupUniformLoad: "uniform_load",
  atomicAdd: "atomicAdd",
  atomicMax: "atomicMax",
  atomicLoad: "atomic_load",
  atomicStore: "atomic_store",
  "bitcast<u32>": "as_uint",
  "bitcast<i32>": "as_int",
  "bitcast<f32>": "as_float",
  "bitcast<vec4u>": "as_uint",
  "bitcast<vec4i>": "as_int",
  "bitcast<vec4f>": "as_float",
  "bitcast<vec4<u32>>": "as_uint",
  "bitcast<vec4<i32>>": "as_int",
  "bitcast<vec4<f32>>": "as_float",
};

const BUILTINS: Readonly<Record<string, string>> = {
  global_invocation_id: "blockIdx * blockDim + threadIdx",
  workgroup_id: "blockIdx",
  local_invocation_index: "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x",
  subgroup_size: "warpSize",
  subgroup_invocation_id: "threadIdx.x % warpSize",
};

/** Words that C++ or CUDA keeps for itself and WGSL leaves to a person. */
const RESERVED = new Set(
  (
    "alignas alignof and asm auto bool blockDim blockIdx bool4 case catch char class const constexpr default delete double " +
    "do dynamic_cast enum explicit export extern float float2 float4 friend goto gridDim inline int int4 long mutable " +
    "namespace new noexcept not nullptr operator or private protected public register restrict short signed sizeof static " +
    "template this threadIdx throw try typedef typeid typename uint2 uint3 uint4 union unsigned using virtual void " +
    "volatile warpSize wchar_t xor as_float as_int as_uint lane rint rsqrt shuffle_xor uniform_load atomicAdd atomicMax atomic_load atomic_store"
  ).split(" "),
);

const TOKEN =
  /\/\/[^\n]*|(?:bitcast<(?:vec4<\w+>|\w+)>)|vec4<\w+>|@\w+|[A-Za-z_]\w*|0x[\da-fA-F]+u?|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[fuih]?|->|\+\+|--|[-+*/%&|^=!<>]=|<<|>>|&&|\|\||\s+|[^\s\w]/g;

const isName = (token: string): boolean => /^[A-Za-z_]/.test(token);
const isBlank = (token: string | undefined): boolean => token !== undefined && /^\s+$/.test(token);

function typeOf(wgsl: string): string {
  const found = TYPES[wgsl];
  if (!found) throw new NoText(`\`${wgsl}\` has no counterpart in this view.`);
  return found;
}

/** A float literal is a double in C++ unless it says otherwise. */
const numberText = (token: string): string =>
  /^0x|^\d+[uih]?$/.test(token) ? token.replace(/i$/, "") : `${token.replace(/f$/, "")}f`;

function nameText(token: string, called: boolean): string {
  if (called && FUNCTIONS[token]) return FUNCTIONS[token];
  if (TYPES[token]) return called && /\d$/.test(typeOf(token)) ? `make_${typeOf(token)}` : typeOf(token);
  if (token.startsWith("bitcast")) throw new NoText(`\`${token}\` has no counterpart in this view.`);
  return RESERVED.has(token) ? `${token}_` : token;
}

/** Where the expression that a `[` at `at` is an index of begins: a name, or a call or an index with what it is applied to. */
function baseOf(tokens: readonly string[], at: number): number {
  let from = at - 1;
  while (tokens[from] === ")" || tokens[from] === "]") {
    let depth = 0;
    do {
      const token = tokens[from]!;
      depth += token === ")" || token === "]" ? 1 : token === "(" || token === "[" ? -1 : 0;
      from--;
    } while (depth > 0 && from >= 0);
  }
  return from;
}

function closing(tokens: readonly string[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    depth += tokens[at] === "[" ? 1 : tokens[at] === "]" ? -1 : 0;
    if (depth === 0) return at;
  }
  return tokens.length - 1;
}

/** The header's own function, not a name of the kernel's. */
const LANE = "@lane";

/** `cell[i][k]` and `f(x)[k]` take one of four numbers, which C++ does with a call: `lane(cell[i], k)`. */
function withLanes(tokens: readonly string[]): string[] {
  for (let at = 1; at < tokens.length; at++) {
    const before = tokens[at - 1]!;
    if (tokens[at] !== "[" || (before !== ")" && before !== "]")) continue;
    const [from, to] = [baseOf(tokens, at), closing(tokens, at)];
    const base = tokens.slice(from, at);
    return withLanes([
      ...tokens.slice(0, from),
      LANE,
      "(",
      ...base,
      ", ",
      ...tokens.slice(at + 1, to),
      ")",
      ...tokens.slice(to + 1),
    ]);
  }
  return [...tokens];
}

/** One piece of code without declarations. */
function expression(text: string): string {
  const tokens = withLanes(text.match(TOKEN) ?? []);
  return tokens
    .map((token, i) => {
      if (token === LANE) return "lane";
      if (token.startsWith("//") || isBlank(token)) return token;
      if (/^\.?\d/.test(token)) return numberText(token);
      if (!isName(token)) return token === "," && /^\s*[)]/.test(tokens.slice(i + 1).join("")) ? "" : token;
      const member = tokens[i - 1] === ".";
      if (member && !/^[xyzw]$/.test(token)) throw new NoText(`\`.${token}\` has no counterpart in this view.`);
      return member ? token : nameText(token, tokens[i + 1] === "(");
    })
    .join("");
}

const nameOf = (name: string): string => nameText(name, false);

/** A statement as a line begins it; the rest of a long one follows as an expression. */
function statement(line: string): string {
  const [, indent, rest] = /^(\s*)(.*)$/s.exec(line)!;
  const array = /^var (\w+): array<(.+), (\d+)>;$/.exec(rest!);
  if (array) return `${indent}${typeOf(array[2]!)} ${nameOf(array[1]!)}[${array[3]}] = {};`;
  const typed = /^(let|var) (\w+): ([\w<>]+) =(.*)$/s.exec(rest!);
  if (typed)
    return `${indent}${typed[1] === "let" ? "const " : ""}${typeOf(typed[3]!)} ${nameOf(typed[2]!)} =${expression(typed[4]!)}`;
  const plain = /^(let|var) (\w+) =(.*)$/s.exec(rest!);
  if (plain)
    return `${indent}${plain[1] === "let" ? "const auto" : "auto"} ${nameOf(plain[2]!)} =${expression(plain[3]!)}`;
  const loop = /^for \(var (\w+)( =.*)$/s.exec(rest!);
  if (loop) return `${indent}for (auto ${nameOf(loop[1]!)}${expression(loop[2]!)}`;
  return `${indent}${expression(rest!)}`;
}

const parameters = (text: string): string[] =>
  text
    .split(/,\s*(?![^<]*>)/)
    .map((each) => each.trim())
    .filter((each) => each !== "");

function helperHead([, name, given, result]: RegExpExecArray): string {
  const params = parameters(given!).map((each) => {
    const [param, type] = each.split(/:\s*/);
    return `${typeOf(type!)} ${nameOf(param!)}`;
  });
  return `__device__ ${result ? typeOf(result) : "void"} ${nameOf(name!)}(${params.join(", ")}) {`;
}

/** `const uint3 gid = blockIdx * blockDim + threadIdx;` */
function builtinLine(given: string): string {
  const [, builtin, name, type] = /^@builtin\((\w+)\) (\w+): (\w+)$/.exec(given) ?? [];
  const text = builtin && BUILTINS[builtin];
  if (!text) throw new NoText(`\`${given}\` has no counterpart in this view.`);
  return `  const ${typeOf(type!)} ${name} = ${text};`;
}

interface Bound {
  readonly name: string;
  readonly type: string;
  readonly written: boolean;
}

/** Statements that are broken over several lines, each as one text; blank lines and comments stay as they are. */
function* logicalLines(wgsl: string): Generator<string> {
  let open = "";
  for (const line of wgsl.split("\n")) {
    open = open === "" ? line : `${open}\n${line}`;
    const code = open.replace(/\/\/[^\n]*/g, "").trimEnd();
    if (code !== "" && !/[;{}]$/.test(code) && !code.trimStart().startsWith("@compute")) continue;
    yield open;
    open = "";
  }
  if (open !== "") yield open;
}

export interface ForeignText {
  readonly text: string;
  /** What the text needs beside it, and is the same for every kernel. */
  readonly header: string;
}

/**
 * A printed kernel as CUDA C++; null with the reason where it uses what this view has no words for.
 * The text includes nothing but `header`; one block computes what one workgroup does.
 */
export function cudaText({ wgsl, workgroupSize }: Pick<Kernel, "wgsl" | "workgroupSize">): ForeignText | string {
  const bound: Bound[] = [];
  const lines: string[] = [];
  try {
    for (const line of logicalLines(wgsl)) {
      if (line.startsWith("enable ")) {
        if (/\bf16\b/.test(line)) throw new NoText("Halves have no counterpart in this view.");
        continue;
      }
      const buffer = /^@group\(0\) @binding\(\d+\) var<([\w, ]+)> (\w+): array<(.+), \d+>;$/.exec(line);
      const shared = /^var<workgroup> (\w+): array<(.+), (\d+)>;$/.exec(line);
      const number = /^var<workgroup> (\w+): (?:atomic<(\w+)>|(\w+));$/.exec(line);
      const helper = /^fn (\w+)\(([^@]*)\)(?: -> ([\w<>]+))? \{$/s.exec(line);
      const entry = /^fn (\w+)\((.*)\) \{$/s.exec(line);
      if (buffer) {
        const [, access, name, type] = buffer;
        bound.push({ name: nameOf(name!), type: typeOf(type!), written: access!.includes("write") });
      } else if (shared) lines.push(`__shared__ ${typeOf(shared[2]!)} ${nameOf(shared[1]!)}[${shared[3]}];`);
      else if (number) lines.push(`__shared__ ${typeOf(number[2] ?? number[3]!)} ${nameOf(number[1]!)};`);
      else if (helper) lines.push(helperHead(helper));
      else if (entry) {
        const given = bound.map(
          ({ name, type, written }) => `${written ? "" : "const "}${type}* ${written ? "" : "__restrict__ "}${name}`,
        );
        const threads = workgroupSize.reduce((product, each) => product * each, 1);
        lines.push(
          `__global__ void __launch_bounds__(${threads}) ${nameOf(entry[1]!)}(${given.join(", ")}) {`,
          ...parameters(entry[2]!).map(builtinLine),
        );
      } else if (line.startsWith("@compute") || (line.startsWith("@group") && !buffer)) {
        if (!line.startsWith("@compute")) throw new NoText("A binding of this kind has no counterpart in this view.");
      } else lines.push(statement(line));
    }
  } catch (error) {
    if (error instanceof NoText) return error.message;
    throw error;
  }
  return { text: lines.join("\n"), header: cudaHeader };
}
