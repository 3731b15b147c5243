/** @file ONNX → typed language. An op without a rule is opened if it is a function, otherwise reported by name and count. */
import type { DType, TensorType } from "../../fusion";
import { Emitter, isPossible, type Value } from "./emit";
import { type OnnxAttribute, type OnnxGraph, type OnnxModel, type OnnxNode, type OnnxValue, readModel } from "./model";
import { NodeContext, type Rule } from "./rule";
import { rules } from "./rules";
import { dataTypeName, type Format, FORMATS, type HostTensor, tensorData } from "./tensor";
import { toWhole } from "./whole-kinds";

/** Names that a node reads, those that graphs inside it read from outside and those that it is asked to differentiate included. */
function namesRead({ op, inputs, attributes }: OnnxNode): string[] {
  const graphs = [...attributes.values()].flatMap(({ g }) => g ?? []);
  const free = graphs.flatMap(({ nodes, outputs, inputs: own, initializers }) => {
    const read = [...nodes.flatMap(namesRead), ...outputs.map(({ name }) => name)];
    const made = new Set(
      [...own, ...initializers].map(({ name }) => name).concat(nodes.flatMap((node) => node.outputs)),
    );
    return read.filter((name) => !made.has(name));
  });
  const asked = op === "Gradient" ? (attributes.get("y")?.s ?? "") : "";
  return [...inputs, ...free, ...(asked === "" ? [] : [asked])];
}

/** Producers before their readers: the format asks for it, not every file obeys. Nodes of a cycle are left out. */
function inOrder(nodes: readonly OnnxNode[]): OnnxNode[] {
  const made = new Map(nodes.flatMap((node, i) => node.outputs.map((name) => [name, i] as const)));
  made.delete(""); // what is left out is no value
  const needs = nodes.map((node) => new Set(namesRead(node).flatMap((name) => made.get(name) ?? [])));
  const readers = nodes.map((): number[] => []);
  needs.forEach((producers, i) => producers.forEach((producer) => readers[producer]!.push(i)));
  const waiting = needs.map((producers) => producers.size);
  const done: number[] = [];
  const ready = nodes.flatMap((_, i) => (waiting[i] === 0 ? [i] : [])).toReversed();
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    done.push(at);
    for (const reader of readers[at]!.toReversed()) if (--waiting[reader]! === 0) ready.push(reader);
  }
  return done.map((i) => nodes[i]!);
}

/** Ops that move elements or pick one: runtimes with few ops on f16 do these on f16 itself, and others in f32. */
const MOVES: ReadonlySet<string> = new Set([
  "Clip",
  "Concat",
  "Expand",
  "Flatten",
  "Gather",
  "GatherND",
  "Identity",
  "Max",
  "Min",
  "Reshape",
  "Slice",
  "Split",
  "Squeeze",
  "Transpose",
  "Unsqueeze",
]);
/** Others that read and write f16. */
const READS: ReadonlySet<string> = new Set(["Cast", "LayerNormalization", "SkipLayerNormalization"]);

/** Tells ops that work on f16 from those for which it is widened. */
class Halves {
  private readonly makers: ReadonlyMap<string, string>;
  private readonly readers = new Map<string, string[]>();
  private readonly results: ReadonlySet<string>;

  constructor({ nodes, outputs }: OnnxGraph) {
    this.makers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node.op] as const)));
    for (const { op, inputs } of nodes)
      for (const name of inputs) {
        const known = this.readers.get(name);
        if (known) known.push(op);
        else this.readers.set(name, [op]);
      }
    this.results = new Set(outputs.map(({ name }) => name));
  }

  /** Whether a node rounds those of its operands that are f16 in the model, `halves`: not where all around it is widened. */
  rounds({ op, outputs }: OnnxNode, halves: readonly string[]): boolean {
    if (!MOVES.has(op) || halves.length === 0) return false;
    const wide = (other: string | undefined): boolean => other !== undefined && !MOVES.has(other) && !READS.has(other);
    const before = halves.every((name) => wide(this.makers.get(name)));
    const after = outputs.every((name) => !this.results.has(name) && (this.readers.get(name) ?? []).every(wide));
    return !(before && after);
  }
}

/** Weights and constants of one model may take this much memory. */
const CAP_BYTES = 512 * 1024 * 1024;

/** How a file begins that stands for another one, which Git keeps elsewhere. */
const POINTER = new TextEncoder().encode("version https://git-lfs");

/** Nodes that are written out at most, those of loops and functions in every iteration and call. */
const MAX_NODES = 200_000;

/** Functions and graphs inside one another. */
const MAX_DEPTH = 16;

export interface ImportOptions {
  /** Numbers for inputs that decide shapes or attributes: they are known while importing. */
  readonly known?: ReadonlyMap<string, HostTensor>;
  /** Extents for symbolic dimensions, by name, and shapes for inputs that state none. */
  readonly dims?: ReadonlyMap<string, number>;
  readonly shapes?: ReadonlyMap<string, readonly number[]>;
  /** Numbers instead of those of initialisers that are listed as inputs too. */
  readonly overrides?: ReadonlyMap<string, HostTensor>;
  /** f16 stays in memory where it comes in, goes out or is only moved, and all arithmetic is f32, as runtimes without f16 arithmetic do. */
  readonly wideHalves?: boolean;
}

export interface UnsupportedOp {
  readonly op: string;
  readonly count: number;
  readonly why: string;
  /** For so many of them the file states what they give: it comes in as inputs, and what reads it is understood. */
  readonly given: number;
}

export interface ImportedModel {
  readonly text: string;
  /** ONNX input name → name in the text; inputs nobody reads are absent. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Names of the model's inputs in their order, initialisers left out. */
  readonly inputOrder: readonly string[];
  /** Sizes of inputs that the model names, and leaves open. */
  readonly openDims: readonly string[];
  /** Inputs that have an initialiser, which other numbers may replace. */
  readonly overridable: readonly string[];
  /** ONNX output name → name in the text, or its numbers when it is known already. */
  readonly outputs: ReadonlyMap<
    string,
    {
      readonly name: string | null;
      readonly host: HostTensor | null;
      readonly dtype: DType;
      readonly shape: readonly number[];
    }
  >;
  /** Numbers of weights and constants, by name in the text. */
  readonly data: ReadonlyMap<string, HostTensor>;
  readonly unsupported: readonly UnsupportedOp[];
  /** Ops that draw numbers: the same ones in every run here, and others than any other generator's. */
  readonly draws: number;
  /** Weights whose numbers stand in another file, which is never opened: parameters without numbers. */
  readonly elsewhere: readonly string[];
  /** Inputs whose numbers decide shapes or attributes: give them as `known` and import again. */
  readonly wanted: readonly string[];
  /** What must be said before it can be imported: symbolic dimensions without an extent, inputs without a shape. */
  readonly missing: readonly { readonly input: string; readonly dim: string | null }[];
}

export type Imported =
  { readonly ok: true; readonly value: ImportedModel } | { readonly ok: false; readonly text: string };

/** Numbers that were given for an input, in the dtype and the shape that the model declares where they fit. */
function asDeclared(known: HostTensor, format: Format | undefined, dims: OnnxValue["dims"]): HostTensor {
  const declared = dims?.map((dim) => (typeof dim === "number" && dim >= 0 ? dim : 1));
  const fits = declared?.reduce((size, extent) => size * extent, 1) === known.data.length;
  const { dtype = known.dtype, whole } = format ?? {};
  const data = whole ? known.data.map((value) => toWhole(whole, value)) : known.data;
  return { ...known, data, dims: declared && fits ? declared : known.dims, dtype, ...(whole ? { whole } : {}) };
}

/** Reads a model and writes its graph in the typed language. Never throws on bad bytes. */
export function importOnnx(bytes: Uint8Array, options: ImportOptions = {}): Imported {
  if (bytes.byteLength > CAP_BYTES)
    return { ok: false, text: `This file has ${bytes.byteLength} bytes; up to ${CAP_BYTES} can be read.` };
  if (POINTER.every((code, i) => bytes[i] === code))
    return {
      ok: false,
      text: "This is no model but a pointer of Git LFS to one: get the file itself with git lfs pull.",
    };
  let model: OnnxModel;
  try {
    model = readModel(bytes);
  } catch (error) {
    return {
      ok: false,
      text: `This file is not an ONNX model, or it is damaged (${error instanceof Error ? error.message : String(error)}).`,
    };
  }
  if (model.graph.outputs.length === 0)
    return { ok: false, text: "This model gives no results: there is nothing to compute." };
  return { ok: true, value: importModel(model, options) };
}

/** The same for a model that is read already. */
export const importModel = (model: OnnxModel, options: ImportOptions = {}): ImportedModel =>
  new ModelReader(model, options).read();

type Scope = Map<string, Value>;

/** What nodes go by: attributes of the function that they stand in, and the versions of their ops. */
interface Frame {
  readonly attributes: ReadonlyMap<string, OnnxAttribute>;
  readonly opsets: ReadonlyMap<string, number>;
}

/** What a rule says. Damaged models hold anything: a rule that trips over one refuses its node. */
function answered(rule: Rule, context: NodeContext): Value | readonly Value[] {
  try {
    return rule(context);
  } catch (error) {
    return context.fail(error instanceof RangeError ? error.message : "operands or attributes that do not fit the op");
  }
}

class ModelReader {
  private readonly model: OnnxModel;
  private readonly options: ImportOptions;
  private readonly emit: Emitter;
  private readonly halves: Halves | null;
  private readonly elsewhere: string[] = [];
  private walked = 0;
  /** Names that some node of the main graph reads, types that the file states, and values that come in for want of a rule. */
  private readonly readers: ReadonlySet<string>;
  private readonly stated: ReadonlyMap<string, OnnxValue>;
  /** Names of all that the main graph is given and makes. */
  private readonly named: ReadonlySet<string>;
  private readonly outside = new Set<string>();
  /** Names in the text of what nodes without a rule read: it is returned for them. */
  private readonly handed = new Set<string>();
  private readonly refused = new Map<string, UnsupportedOp>();
  private readonly missing: { input: string; dim: string | null }[] = [];

  constructor(model: OnnxModel, options: ImportOptions) {
    this.model = model;
    this.options = options;
    this.emit = new Emitter(options.wideHalves === true);
    this.halves = options.wideHalves === true ? new Halves(model.graph) : null;
    const { nodes, valueInfo, outputs, inputs, initializers } = model.graph;
    this.named = new Set([
      ...nodes.flatMap((node) => node.outputs),
      ...[...inputs, ...initializers].map(({ name }) => name),
    ]);
    this.readers = new Set(nodes.flatMap(namesRead));
    this.stated = new Map([...valueInfo, ...outputs].map((value) => [value.name, value]));
  }

  read(): ImportedModel {
    const { graph } = this.model;
    const stated = new Set(graph.initializers.map(({ name }) => name));
    const scope: Scope = new Map();
    this.initializers(graph, scope);
    const inputs = this.inputs(graph, scope);
    if (this.missing.length === 0) this.nodes(graph, scope);
    const results = graph.outputs.flatMap(({ name, dataType }) => {
      const value = this.outside.has(name) ? undefined : scope.get(name);
      if (value?.items) this.refuse("sequence", "a list of values as a result");
      return value && !value.items
        ? [
            [
              name,
              this.emit.narrowed(name, value, FORMATS.get(dataType)?.dtype ?? (value.half ? "f16" : undefined)),
            ] as const,
          ]
        : [];
    });
    const outputs = new Map(
      results.map(([name, { name: ours, host, type }]) => [
        name,
        { name: ours, host: ours === null ? host : null, dtype: type.dtype, shape: type.shape },
      ]),
    );
    const returned = [...outputs.values()].flatMap(({ name }) => (name === null ? [] : [name]));
    const named = [...new Set([...returned, ...this.handed])];
    return {
      text: this.emit.text(named),
      inputs,
      openDims: graph.inputs.flatMap(({ dims }) => (dims ?? []).filter((dim) => typeof dim === "string")),
      inputOrder: graph.inputs.flatMap(({ name }) => (stated.has(name) ? [] : [name])),
      overridable: graph.inputs.flatMap(({ name }) => (stated.has(name) ? [name] : [])),
      outputs,
      data: this.emit.data,
      unsupported: [...this.refused.values()],
      draws: this.emit.draws,
      elsewhere: this.elsewhere,
      wanted: [...this.emit.wanted],
      missing: this.missing,
    };
  }

  private nodes(graph: OnnxGraph, scope: Scope): void {
    const frame: Frame = { attributes: new Map(), opsets: this.model.opsets };
    const order = inOrder(graph.nodes);
    const reached = new Set(order);
    for (const node of order) this.node(node, scope, frame, 0);
    for (const node of graph.nodes) if (!reached.has(node)) this.refuse(node.op, "it waits for its own result");
  }

  private initializers(graph: OnnxGraph, scope: Scope): void {
    let bytes = 0;
    if (graph.sparse > 0) this.refuse("Initializer", "a sparse tensor");
    for (const tensor of graph.initializers) {
      const dtype = FORMATS.get(tensor.dataType)?.dtype;
      if (tensor.external && (dtype === "f32" || dtype === "f16") && isPossible(tensor.dims)) {
        this.elsewhere.push(tensor.name);
        const input = this.emit.input(tensor.name, { dtype, shape: tensor.dims }, "param");
        scope.set(tensor.name, this.emit.widened(tensor.name, input));
        continue;
      }
      const data = tensorData(tensor, CAP_BYTES - bytes);
      if (!data.ok) {
        this.refuse(
          FORMATS.has(tensor.dataType) ? "Initializer" : dataTypeName(tensor.dataType),
          FORMATS.has(tensor.dataType) ? data.why : "dtype",
        );
        continue;
      }
      bytes += data.bytes;
      const value = this.emit.host(this.options.overrides?.get(tensor.name) ?? data.value);
      // Weights are data of a run; small integers steer shapes and stay known.
      const float = value.type.dtype === "f32" || value.type.dtype === "f16";
      scope.set(tensor.name, float ? this.weight(tensor.name, value) : value);
    }
  }

  /** A weight is folded only while it is small; otherwise it is a parameter of the text with its numbers attached. */
  private weight(name: string, value: Value): Value {
    if ((value.host!.size ?? value.host!.data.length) <= 1) return value;
    const input = this.emit.input(name, value.type, "param");
    this.emit.data.set(input.name!, value.host!);
    return this.emit.widened(name, input);
  }

  private inputs(graph: OnnxGraph, scope: Scope): Map<string, string> {
    const names = new Map<string, string>();
    for (const { name, dataType, dims } of graph.inputs) {
      if (scope.has(name)) continue;
      const known = this.options.known?.get(name);
      const format = FORMATS.get(dataType);
      if (known) {
        scope.set(name, this.emit.host(asDeclared(known, format, dims)));
        continue;
      }
      const given = this.options.shapes?.get(name) ?? dims;
      if (!format) this.refuse(dataTypeName(dataType), "dtype");
      if (!given) {
        this.missing.push({ input: name, dim: null });
        continue;
      }
      const shape = this.extentsOf(name, given);
      given.forEach(
        (dim, axis) =>
          shape[axis] === undefined &&
          this.missing.push({ input: name, dim: typeof dim === "string" ? dim : `${name}.${axis}` }),
      );
      const extents = shape.map((extent) => extent ?? 1);
      if (!isPossible(extents)) {
        this.refuse("input", `${name} is ${extents.join("×")}: no device holds that many elements`);
        continue;
      }
      const type = { dtype: format?.dtype ?? "f32", shape: extents };
      const value = this.emit.input(name, type, "input", format?.whole ? `${format.whole} in the model` : "");
      names.set(name, value.name!);
      scope.set(name, { ...this.emit.widened(name, value), ...(format?.whole ? { whole: format.whole } : {}) });
    }
    return names;
  }

  /** Extents that are stated or said; undefined where neither is. */
  private extentsOf(name: string, dims: NonNullable<OnnxValue["dims"]>): (number | undefined)[] {
    return dims.map((dim, axis) =>
      typeof dim === "number" && dim >= 0
        ? dim
        : this.options.dims?.get(typeof dim === "string" ? dim : `${name}.${axis}`),
    );
  }

  private refuse(op: string, why: string, given = 0): void {
    const known = this.refused.get(op);
    this.refused.set(op, {
      op,
      why: known?.why ?? why,
      count: (known?.count ?? 0) + 1,
      given: (known?.given ?? 0) + given,
    });
  }

  /** A node that is not understood. What it gives comes in from outside where its type is stated, so that its readers can be planned. */
  private refuseNode(op: string, why: string, node: OnnxNode, scope: Scope, depth: number): void {
    const read = depth === 0 ? node.outputs.filter((name) => this.readers.has(name)) : [];
    const types = read.map((name) => this.typeOf(name));
    const known = types.every((type) => type !== null);
    for (const name of depth === 0 ? node.inputs : []) {
      const ours = scope.get(name)?.name ?? null;
      if (ours !== null && this.emit.computed.has(ours)) this.handed.add(ours);
    }
    if (known) {
      read.forEach((name, i) => {
        const value = this.emit.input(name, types[i]!, "input", `what ${node.op} gives`);
        this.outside.add(name);
        scope.set(name, this.emit.widened(name, value));
      });
    }
    this.refuse(op, why, known && read.length > 0 ? 1 : 0);
  }

  /** The type that the file states for a value between its inputs and its results. */
  private typeOf(name: string): TensorType | null {
    const stated = this.stated.get(name);
    const format = stated && FORMATS.get(stated.dataType);
    const shape = stated?.dims && this.extentsOf(name, stated.dims);
    if (!format || !shape || !shape.every((extent) => extent !== undefined) || !isPossible(shape)) return null;
    return { dtype: format.dtype, shape };
  }

  private node(node: OnnxNode, scope: Scope, frame: Frame, depth: number): void {
    if (++this.walked > MAX_NODES)
      return this.walked === MAX_NODES + 1
        ? this.refuse(node.op, `more than ${MAX_NODES} nodes once loops and functions are written out`)
        : undefined;
    const inputs = this.operands(node, scope);
    // An operand that was refused takes its readers with it; they are not counted again.
    if (inputs.includes(undefined)) return depth === 0 ? this.tellGhost(node) : undefined;
    const attributes = new Map(
      [...node.attributes].flatMap(([name, attribute]) => {
        const meant = attribute.refersTo === "" ? attribute : frame.attributes.get(attribute.refersTo);
        return meant ? [[name, meant] as const] : [];
      }),
    );
    const rule = rules.get(`${node.domain}:${node.op}`);
    if (!rule) return this.call(node, inputs as (Value | null)[], { ...frame, attributes }, scope, depth);
    const opset = frame.opsets.get(node.domain) ?? frame.opsets.get("") ?? 1;
    const hint = node.outputs[0] ?? node.op;
    const context = new NodeContext({
      emit: this.emit,
      node,
      opset,
      inputs: inputs as (Value | null)[],
      attributes,
      hint,
      run: (graph, args) => this.inner(graph, args, scope, frame, depth),
      find: (name) => scope.get(name) ?? null,
    });
    const before = this.emit.length;
    const made = answered(rule, context);
    const [odd] = context.unread();
    const why = this.emit.takeFailure() ?? (odd === undefined ? null : `its attribute ${odd}, which is not known here`);
    if (why !== null) this.emit.backTo(before);
    if (why !== null) return this.refuseNode(node.op, why, node, scope, depth);
    const values = Array.isArray(made) ? (made as readonly Value[]) : [made as Value];
    node.outputs.forEach((name, i) => {
      if (name !== "" && values[i]) scope.set(name, values[i]);
      else if (name !== "") this.refuse(node.op, `its output ${i + 1}`);
    });
  }

  /** A node of the main graph reads a name that stands for nothing. */
  private tellGhost({ op, inputs }: OnnxNode): void {
    const ghost = inputs.find((name) => name !== "" && !this.named.has(name));
    if (ghost !== undefined) this.refuse(op, `it reads ${ghost}, which nothing gives`);
  }

  /** What a node is given; undefined where it was refused. */
  private operands(node: OnnxNode, scope: Scope): (Value | null | undefined)[] {
    const given = node.inputs.map((name) => (name === "" ? null : scope.get(name)));
    const halves = node.inputs.filter((_, i) => given[i]?.half);
    if (!this.halves?.rounds(node, halves)) return given;
    return given.map((value) => (value?.half ? { ...this.emit.settled(node.op, value), half: true } : value));
  }

  /** A graph inside a node: it sees what stands outside. */
  private inner(graph: OnnxGraph, args: readonly Value[], outer: Scope, frame: Frame, depth: number): readonly Value[] {
    const scope: Scope = new Map(outer);
    if (depth > MAX_DEPTH) return [];
    this.initializers(graph, scope);
    graph.inputs.forEach(({ name }, i) => args[i] && scope.set(name, args[i]));
    for (const step of inOrder(graph.nodes)) this.node(step, scope, frame, depth + 1);
    return graph.outputs.flatMap(({ name }) => scope.get(name) ?? []);
  }

  /** A node whose op is a function of the model: its body instead of it. */
  private call(
    node: OnnxNode,
    inputs: readonly (Value | null)[],
    { attributes, opsets }: Frame,
    scope: Scope,
    depth: number,
  ): void {
    const body = this.model.functions.find(
      ({ name, domain, overload }) => name === node.op && domain === node.domain && overload === node.overload,
    );
    if (!body || depth > MAX_DEPTH)
      return this.refuseNode(
        node.domain === "" ? node.op : `${node.domain}.${node.op}`,
        body ? "functions nested too deeply" : "no rule",
        node,
        scope,
        depth,
      );
    const inner: Scope = new Map();
    body.inputs.forEach((name, i) => inputs[i] && inner.set(name, inputs[i]));
    const frame: Frame = {
      attributes: new Map([...body.defaults, ...attributes]),
      opsets: new Map([...opsets, ...body.opsets]),
    };
    for (const step of inOrder(body.nodes)) this.node(step, inner, frame, depth + 1);
    node.outputs.forEach((name, i) => {
      const value = inner.get(body.outputs[i] ?? "");
      if (name !== "" && value) scope.set(name, value);
    });
  }
}
