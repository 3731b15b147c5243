/**
 * @file A kernel as Triton, to be read beside its WGSL: one program computes a block of elements, or a row of them. Built from the graph,
 * since Triton names no threads; the arithmetic of each op is the one that WGSL prints. Nothing here runs it.
 */
import {
  isInput,
  isLiteral,
  node as nodeOf,
  sizeOf,
  topological,
  type Graph,
  type Kernel,
  type Node,
  type NodeId,
  nodeName,
} from "../../ir";
import { opDef, tritonFolds, tritonFunctions, type OpDef, type WgslType } from "../../ops";
import { NoText, type ForeignText } from "./cuda";

const HEADER = [
  "import triton",
  "import triton.language as tl",
  "from triton.language.extra import libdevice",
  "",
].join("\n");

const CASTS: Readonly<Record<string, string>> = { f32: "tl.float32", i32: "tl.int32", u32: "tl.uint32" };
const BITS: Readonly<Record<string, string>> = {
  "0x7f800000": 'float("inf")',
  "0xff800000": 'float("-inf")',
  "0x7fc00000": 'float("nan")',
};

const TOKEN =
  /0x[\da-fA-F]+u?|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[fui]?|[A-Za-z_][\w.]*|&&|\|\||[-+*/%&|^=!<>]=|<<|>>|\s+|[^\s\w]/g;

/** A WGSL expression as Python. */
function python(wgsl: string): string {
  const tokens = wgsl.match(TOKEN) ?? [];
  let at = 0;
  const until = (...ends: string[]): string => {
    let text = "";
    while (at < tokens.length && !ends.includes(tokens[at]!)) text += one();
    return text;
  };
  const one = (): string => {
    const token = tokens[at++]!;
    if (token === "(") {
      const inner = until(")");
      at++;
      return `(${inner})`;
    }
    if (token === "&&" || token === "||") return token[0]!;
    if (token === "!") return "~";
    if (/^\d|^\.\d/.test(token)) return token.replace(/[fui]$/, "");
    if (!/^[A-Za-z_]/.test(token) || tokens[at] !== "(")
      return token === "true" ? "True" : token === "false" ? "False" : token;
    at++;
    const args: string[] = [];
    while (at < tokens.length && tokens[at - 1] !== ")") {
      args.push(until(",", ")").trim());
      at++;
    }
    return called(token, args);
  };
  return until();
}

function called(name: string, args: readonly string[]): string {
  if (name === "select") return `tl.where(${args[2]}, ${args[1]}, ${args[0]})`;
  if (name === "from_bits" && BITS[args[0]!]) return BITS[args[0]!]!;
  // Already Python.
  if (/^(?:tl|libdevice)\./.test(name) || name === "float") return `${name}(${args.join(", ")})`;
  if (CASTS[name]) return `(${args[0]}).to(${CASTS[name]})`;
  const known = tritonFunctions[name];
  if (!known) throw new NoText(`\`${name}\` has no counterpart in this view.`);
  return `${known}(${args.join(", ")})`;
}

/** Literals and helper calls of a scalar op, as WGSL writes them. */
const scalarType = (op: OpDef): WgslType => ({
  type: "f32",
  num: (value) =>
    Number.isFinite(value)
      ? String(Math.fround(value) === value ? value : Number(Math.fround(value).toPrecision(9)))
      : `from_bits(${value > 0 ? "0x7f800000u" : value < 0 ? "0xff800000u" : "0x7fc00000u"})`,
  call: (helper, ...args) => {
    if (!tritonFunctions[helper] && helper !== "from_bits")
      throw new NoText(`\`${op.name}\` has no counterpart in this view.`);
    return `${helper}(${args.join(", ")})`;
  },
});

/** What a value is to one program: all of its block, one number a row, one number a column, or one number. */
type Reach = "block" | "row" | "column" | "one";

class Writer {
  readonly lines: string[] = [];
  readonly graph: Graph;
  readonly members: ReadonlySet<NodeId>;
  /** Rows and their width; null where a program computes a block of elements. */
  readonly rows: readonly [count: number, width: number] | null;
  readonly #names = new Map<NodeId, string>();
  readonly #taken = new Set(["tl", "triton", "libdevice", "row", "cols", "mask", "offs", "BLOCK"]);
  readonly #reaches = new Map<NodeId, Reach>();
  readonly elements: number;
  readonly pointers: string[] = [];

  constructor(graph: Graph, members: readonly Node[]) {
    this.graph = graph;
    this.members = new Set(members.map(({ id }) => id));
    this.elements = Math.max(...members.map(({ type }) => sizeOf(type.shape)));
    this.rows = rowsOf(graph, members);
  }

  name(id: NodeId, label: string): string {
    const known = this.#names.get(id);
    if (known) return known;
    const base = label.replace(/\W+/g, "_").replace(/^(?=\d)/, "v_") || "v";
    let name = PYTHON.has(base) ? `${base}_` : base;
    for (let n = 2; this.#taken.has(name); n++) name = `${base}_${n}`;
    this.#taken.add(name);
    this.#names.set(id, name);
    return name;
  }

  reachOf({ id, type: { shape } }: Node): Reach {
    const known = this.#reaches.get(id);
    if (known) return known;
    const size = sizeOf(shape);
    if (size === 1) return "one";
    if (!this.rows) return "block";
    const [count, width] = this.rows;
    if (size === count * width && shape.at(-1) === width) return "block";
    if (size === count && (shape.at(-1) === 1 || shape.at(-1) !== width)) return "row";
    if (size === width && shape.at(-1) === width) return "column";
    throw new NoText(`A value of ${shape.join("×")} among rows of ${width} has no counterpart in this view.`);
  }

  /** Where an input's elements are, of a block or of a row. */
  #loaded(source: Node, reader: Node): string {
    const pointer = `${this.name(source.id, source.label)}_ptr`;
    if (!this.pointers.includes(pointer)) this.pointers.push(pointer);
    const reach = this.reachOf(source);
    if (reach === "one") return `tl.load(${pointer})`;
    if (this.rows) {
      if (reach === "row") return `tl.load(${pointer} + row)`;
      const start = reach === "block" ? `row * ${this.rows[1]} + cols` : "cols";
      return `tl.load(${pointer} + ${start}, mask=mask, other=0)`;
    }
    return `tl.load(${pointer} + ${broadcastIndex(source.type.shape, reader.type.shape)}, mask=mask, other=0)`;
  }

  /** The text of an operand; what is not computed here is loaded first. */
  operand(id: NodeId, reader: Node): string {
    const n = nodeOf(this.graph, id);
    if (isLiteral(n)) return String(n.attrs["value"]);
    if (this.members.has(id) || this.#names.has(id)) return this.name(id, n.label);
    let source = n;
    while (opDef(source.op).movement?.free) source = nodeOf(this.graph, source.inputs[0]!);
    if (!isInput(source) && opDef(source.op).kind === "movement" && n !== source)
      throw new NoText(`Reading \`${nodeName(n)}\` in another order has no counterpart in this view.`);
    const text = this.#loaded(n === source ? n : { ...n, id: source.id, label: source.label }, reader);
    const name = this.name(id, n.label);
    this.#reaches.set(id, this.reachOf(n));
    this.lines.push(`    ${name} = ${text}`);
    return name;
  }

  compute(n: Node): void {
    const def = opDef(n.op);
    const operands = n.inputs.map((input) => this.operand(input, n));
    const name = this.name(n.id, n.label);
    if (def.movement?.free) {
      this.lines.push(`    ${name} = ${operands[0]}`);
      return;
    }
    if (def.reduce) {
      this.lines.push(`    ${name} = ${this.#reduction(def, operands[0]!)}`);
      return;
    }
    if (!def.scalar || def.scalar.usesIndex) throw new NoText(`\`${def.name}\` has no counterpart in this view.`);
    // Where WGSL has to write a function of its operands out, Triton may have it.
    const own = Object.keys(n.attrs).length === 0 ? tritonFunctions[def.name] : undefined;
    const text = own ? `${own}(${operands.join(", ")})` : python(def.scalar.wgsl(operands, n.attrs, scalarType(def)));
    this.lines.push(`    ${name} = ${text}`);
  }

  #reduction(def: OpDef, operand: string): string {
    const [, width] = this.rows!;
    const reduce = def.reduce!;
    const t = scalarType(def);
    const mapped = reduce.map ? python(reduce.map.wgsl(operand, t)) : operand;
    const none = reduce.identity("f32");
    const full = Number.isInteger(Math.log2(width));
    const masked = full ? mapped : `tl.where(mask, ${mapped}, ${python(t.num(none))})`;
    const fold = tritonFolds[reduce.combine.js(2, 3)];
    if (!fold) throw new NoText(`\`${def.name}\` has no counterpart in this view.`);
    const folded = `tl.${reduce.arg ? "arg" : ""}${fold}(${masked}, axis=0)`;
    return reduce.finish ? python(reduce.finish.wgsl(folded, width, t)) : folded;
  }

  store(n: Node): void {
    const name = this.name(n.id, n.label);
    const pointer = `${name}_ptr`;
    this.pointers.push(pointer);
    const reach = this.reachOf(n);
    if (!this.rows) this.lines.push(`    tl.store(${pointer} + offs, ${name}, mask=mask)`);
    else if (reach === "block")
      this.lines.push(`    tl.store(${pointer} + row * ${this.rows[1]} + cols, ${name}, mask=mask)`);
    else if (reach === "row") this.lines.push(`    tl.store(${pointer} + row, ${name})`);
    else throw new NoText("A result of this shape has no counterpart in this view.");
  }
}

const PYTHON = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda None nonlocal not or pass raise return True False try while with yield".split(
    " ",
  ),
);

/** Rows that every reduction of the kernel walks, along the last axis. */
function rowsOf(graph: Graph, members: readonly Node[]): readonly [number, number] | null {
  let rows: readonly [number, number] | null = null;
  for (const n of members) {
    const def = opDef(n.op);
    if (!def.reduce) continue;
    const { shape } = nodeOf(graph, n.inputs[0]!).type;
    const axes = def.reduce.axes(n.attrs, shape);
    const width = shape.at(-1) ?? 1;
    if (axes.length !== 1 || axes[0] !== shape.length - 1)
      throw new NoText("A reduction over other axes than the last has no counterpart in this view.");
    const found = [sizeOf(shape) / width, width] as const;
    if (rows && (rows[0] !== found[0] || rows[1] !== found[1]))
      throw new NoText("Rows of two lengths in one kernel have no counterpart in this view.");
    rows = found;
  }
  return rows;
}

/** Index into `shape` of element `offs` of `wide`, which it is broadcast to. */
function broadcastIndex(shape: readonly number[], wide: readonly number[]): string {
  if (sizeOf(shape) === sizeOf(wide)) return "offs";
  const parts: string[] = [];
  let [inner, stride] = [1, 1];
  for (let back = 1; back <= wide.length; back++) {
    const [extent, own] = [wide.at(-back)!, shape.at(-back) ?? 1];
    if (own === extent && own > 1) {
      const div = inner === 1 ? "offs" : `offs // ${inner}`;
      const last = inner * extent === sizeOf(wide);
      const index = last
        ? inner === 1
          ? div
          : `(${div})`
        : `${inner === 1 ? "" : "("}${div}${inner === 1 ? "" : ")"} % ${extent}`;
      parts.unshift(stride === 1 ? index : `(${index}) * ${stride}`);
    }
    inner *= extent;
    stride *= own;
  }
  return parts.length === 1 ? `(${parts[0]})` : `(${parts.join(" + ")})`;
}

/** Elements of a block where no row says how many. */
const BLOCK = 1024;

/**
 * A kernel that goes through elements or rows as Triton; the reason where it uses what this view has no words for.
 * @param graph the state that `kernel` was planned of
 */
export function tritonText(graph: Graph, kernel: Kernel): ForeignText | string {
  try {
    const wanted = new Set(kernel.nodes);
    const members = topological(graph)
      .filter((id) => wanted.has(id))
      .map((id) => nodeOf(graph, id));
    if (members.some(({ op }) => !/^(?:map|reduce|movement)/.test(kindOf(op))))
      throw new NoText("Only kernels that go through elements or rows are shown in Triton.");
    const writer = new Writer(graph, members);
    for (const n of members) writer.compute(n);
    for (const { value } of kernel.writes) writer.store(nodeOf(graph, value));
    const { rows, elements } = writer;
    const width = rows ? 2 ** Math.ceil(Math.log2(rows[1])) : BLOCK;
    const head = rows
      ? ["    row = tl.program_id(0)", "    cols = tl.arange(0, BLOCK)", `    mask = cols < ${rows[1]}`]
      : ["    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)", `    mask = offs < ${elements}`];
    const programs = rows ? rows[0] : Math.ceil(elements / BLOCK);
    return {
      header: HEADER,
      text: [
        `# ${rows ? `One program a row of ${rows[1]}` : `One program a block of ${BLOCK} elements`}: grid = (${programs},), BLOCK = ${width}`,
        "@triton.jit",
        `def ${kernel.name}(${[...writer.pointers, "BLOCK: tl.constexpr"].join(", ")}):`,
        ...head,
        ...writer.lines,
        "",
      ].join("\n"),
    };
  } catch (error) {
    if (error instanceof NoText) return error.message;
    throw error;
  }
}

/** `map`, `reduce`, `movement` or another word for what is not shown. */
function kindOf(op: string): string {
  const def = opDef(op);
  if (def.kind === "opaque" || def.loop) return "other";
  return def.scalar ? "map" : def.reduce ? "reduce" : def.movement?.free ? "movement" : "other";
}
