/** @file An ONNX model as plain data: nodes, attributes, initialisers, types. Meaning is given elsewhere. */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** One reader per field number; fields that are not listed are skipped. */
type Fields = Readonly<Record<number, (reader: BinaryReader, wire: WireType) => void>>;

/** Deepest nesting of messages (subgraphs in attributes) that is followed. */
const MAX_DEPTH = 100;

/** Reads one message of `bytes`; throws RangeError on truncated input (the caller turns it into a diagnostic). */
function readMessage(bytes: Uint8Array, fields: Fields): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    const read = fields[field];
    if (read) read(reader, wire);
    else reader.skip(wire, field);
  }
}

/** Sub-messages arrive as bytes, so nesting is the caller's recursion, bounded here. */
const nested =
  <T>(depth: number, read: (bytes: Uint8Array, depth: number) => T, take: (value: T) => void) =>
  (reader: BinaryReader): void => {
    if (depth >= MAX_DEPTH) throw new RangeError("messages are nested too deeply");
    take(read(reader.bytes(), depth + 1));
  };

const repeated =
  (one: (reader: BinaryReader) => number, take: (value: number) => void) =>
  (reader: BinaryReader, wire: WireType): void => {
    if (wire !== WireType.LengthDelimited) return take(one(reader));
    const end = reader.uint32() + reader.pos;
    while (reader.pos < end) take(one(reader));
  };

/** int64 narrowed to a safe integer: shapes, axes and indices never need more. */
const int64 = (reader: BinaryReader): number => Number(reader.int64());
const int32 = (reader: BinaryReader): number => reader.int32();
const float = (reader: BinaryReader): number => reader.float();
const double = (reader: BinaryReader): number => reader.double();

const ints = (take: (value: number) => void): ReturnType<typeof repeated> => repeated(int64, take);
const int32s = (take: (value: number) => void): ReturnType<typeof repeated> => repeated(int32, take);
const floats = (take: (value: number) => void): ReturnType<typeof repeated> => repeated(float, take);
const doubles = (take: (value: number) => void): ReturnType<typeof repeated> => repeated(double, take);

export interface OnnxTensor {
  readonly name: string;
  readonly dims: readonly number[];
  /** TensorProto.DataType number. */
  readonly dataType: number;
  readonly raw: Uint8Array | null;
  readonly numbers: readonly number[];
  /** Data in another file; never followed. */
  readonly external: boolean;
}

export interface OnnxAttribute {
  readonly name: string;
  readonly f?: number;
  readonly i?: number;
  readonly s?: string;
  readonly t?: OnnxTensor;
  readonly g?: OnnxGraph;
  readonly floats: readonly number[];
  readonly ints: readonly number[];
  readonly strings: readonly string[];
  /** Inside a function: the function's attribute that this one takes its value from. */
  readonly refersTo: string;
}

export interface OnnxNode {
  readonly op: string;
  readonly domain: string;
  /** Which of several functions of one name is called; empty where there is one. */
  readonly overload: string;
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, OnnxAttribute>;
}

export interface OnnxValue {
  readonly name: string;
  readonly dataType: number;
  /** A number, the name of a symbolic dimension, or null where nothing is said; null as a whole without a shape. */
  readonly dims: readonly (number | string | null)[] | null;
}

export interface OnnxGraph {
  readonly name: string;
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
  /** How many initialisers are stored as indices and values: they are not read. */
  readonly sparse: number;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  readonly valueInfo: readonly OnnxValue[];
}

export interface OnnxFunction {
  readonly name: string;
  readonly domain: string;
  readonly overload: string;
  /** What its own nodes mean, where it says so; otherwise the model's. */
  readonly opsets: ReadonlyMap<string, number>;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly nodes: readonly OnnxNode[];
  readonly defaults: ReadonlyMap<string, OnnxAttribute>;
}

export interface OnnxModel {
  readonly graph: OnnxGraph;
  readonly functions: readonly OnnxFunction[];
  readonly opsets: ReadonlyMap<string, number>;
}

/** Reads `model.onnx`. Throws RangeError or Error on bytes that are no protobuf; the caller words it for the user. */
export function readModel(bytes: Uint8Array): OnnxModel {
  let graph: OnnxGraph | null = null;
  const functions: OnnxFunction[] = [];
  const opsets = new Map<string, number>();
  readMessage(bytes, {
    7: nested(0, readGraph, (value) => (graph = value)),
    8: nested(0, readOpset, ([domain, version]) => opsets.set(domain, version)),
    25: nested(0, readFunction, (value) => functions.push(value)),
  });
  if (!graph) throw new RangeError("there is no graph in this file");
  return { graph, functions, opsets };
}

function readOpset(bytes: Uint8Array): [string, number] {
  let domain = "";
  let version = 1;
  readMessage(bytes, { 1: (r) => (domain = r.string()), 2: (r) => (version = int64(r)) });
  return [domain === "ai.onnx" ? "" : domain, version];
}

function readGraph(bytes: Uint8Array, depth: number): OnnxGraph {
  const nodes: OnnxNode[] = [];
  const initializers: OnnxTensor[] = [];
  const inputs: OnnxValue[] = [];
  const outputs: OnnxValue[] = [];
  const valueInfo: OnnxValue[] = [];
  let [name, sparse] = ["", 0];
  readMessage(bytes, {
    1: nested(depth, readNode, (value) => nodes.push(value)),
    2: (r) => (name = r.string()),
    15: nested(
      depth,
      (body) => body.length,
      () => sparse++,
    ),
    5: nested(depth, readTensor, (value) => initializers.push(value)),
    11: nested(depth, readValue, (value) => inputs.push(value)),
    12: nested(depth, readValue, (value) => outputs.push(value)),
    13: nested(depth, readValue, (value) => valueInfo.push(value)),
  });
  return { name, nodes, initializers, sparse, inputs, outputs, valueInfo };
}

function readNode(bytes: Uint8Array, depth: number): OnnxNode {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = new Map<string, OnnxAttribute>();
  let [name, op, domain, overload] = ["", "", "", ""];
  readMessage(bytes, {
    1: (r) => inputs.push(r.string()),
    2: (r) => outputs.push(r.string()),
    3: (r) => (name = r.string()),
    4: (r) => (op = r.string()),
    5: nested(depth, readAttribute, (value) => attributes.set(value.name, value)),
    7: (r) => (domain = r.string()),
    8: (r) => (overload = r.string()),
  });
  return { op, domain: domain === "ai.onnx" ? "" : domain, overload, name, inputs, outputs, attributes };
}

function readAttribute(bytes: Uint8Array, depth: number): OnnxAttribute {
  const lists = { floats: [] as number[], ints: [] as number[], strings: [] as string[] };
  const one: { f?: number; i?: number; s?: string; t?: OnnxTensor; g?: OnnxGraph } = {};
  let [name, refersTo] = ["", ""];
  readMessage(bytes, {
    1: (r) => (name = r.string()),
    2: (r) => (one.f = float(r)),
    3: (r) => (one.i = int64(r)),
    4: (r) => (one.s = r.string()),
    5: nested(depth, readTensor, (value) => (one.t = value)),
    6: nested(depth, readGraph, (value) => (one.g = value)),
    7: floats((value) => lists.floats.push(value)),
    8: ints((value) => lists.ints.push(value)),
    9: (r) => lists.strings.push(r.string()),
    21: (r) => (refersTo = r.string()),
  });
  return { name, refersTo, ...lists, ...one };
}

/** A TensorProto: also the whole content of a `.pb` data file. */
export function readTensor(bytes: Uint8Array): OnnxTensor {
  const dims: number[] = [];
  const numbers: number[] = [];
  let [name, dataType, external] = ["", 0, false];
  let raw: Uint8Array | null = null;
  readMessage(bytes, {
    1: ints((value) => dims.push(value)),
    2: (r) => (dataType = int32(r)),
    4: floats((value) => numbers.push(value)),
    5: int32s((value) => numbers.push(value)),
    7: ints((value) => numbers.push(value)),
    8: (r) => (name = r.string()),
    9: (r) => (raw = r.bytes()),
    10: doubles((value) => numbers.push(value)),
    13: (r, wire) => {
      external = true;
      r.skip(wire, 13);
    },
    14: (r) => {
      const elsewhere = int32(r) === 1;
      external ||= elsewhere;
    },
  });
  return { name, dims, dataType, raw, numbers, external };
}

function readValue(bytes: Uint8Array, depth: number): OnnxValue {
  let name = "";
  let type: Pick<OnnxValue, "dataType" | "dims"> = { dataType: 0, dims: null };
  readMessage(bytes, { 1: (r) => (name = r.string()), 2: nested(depth, readType, (value) => (type = value)) });
  return { name, ...type };
}

/** Kinds of values that are no tensors, as numbers that no data type has. */
export const NO_TENSOR = { sequence: -1, map: -2, sparse: -3, optional: -4 } as const;

function readType(bytes: Uint8Array, depth: number): Pick<OnnxValue, "dataType" | "dims"> {
  let type: Pick<OnnxValue, "dataType" | "dims"> = { dataType: 0, dims: null };
  const other =
    (dataType: number) =>
    (reader: BinaryReader, wire: WireType): void => {
      type = { dataType, dims: [] };
      reader.skip(wire);
    };
  readMessage(bytes, {
    1: nested(depth, readTensorType, (value) => (type = value)),
    4: other(NO_TENSOR.sequence),
    5: other(NO_TENSOR.map),
    8: other(NO_TENSOR.sparse),
    9: other(NO_TENSOR.optional),
  });
  return type;
}

function readTensorType(bytes: Uint8Array, depth: number): Pick<OnnxValue, "dataType" | "dims"> {
  let dataType = 0;
  let dims: (number | string | null)[] | null = null;
  readMessage(bytes, { 1: (r) => (dataType = int32(r)), 2: nested(depth, readShape, (value) => (dims = value)) });
  return { dataType, dims };
}

function readShape(bytes: Uint8Array): (number | string | null)[] {
  const dims: (number | string | null)[] = [];
  readMessage(bytes, {
    1: nested(0, readDim, (value) => dims.push(value)),
  });
  return dims;
}

function readDim(bytes: Uint8Array): number | string | null {
  let dim: number | string | null = null;
  readMessage(bytes, { 1: (r) => (dim = int64(r)), 2: (r) => (dim = r.string()) });
  return dim === "" ? null : dim;
}

function readFunction(bytes: Uint8Array, depth: number): OnnxFunction {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const nodes: OnnxNode[] = [];
  const defaults = new Map<string, OnnxAttribute>();
  const opsets = new Map<string, number>();
  let [name, domain, overload] = ["", "", ""];
  readMessage(bytes, {
    1: (r) => (name = r.string()),
    4: (r) => inputs.push(r.string()),
    5: (r) => outputs.push(r.string()),
    7: nested(depth, readNode, (value) => nodes.push(value)),
    9: nested(depth, readOpset, ([of, version]) => opsets.set(of, version)),
    10: (r) => (domain = r.string()),
    11: nested(depth, readAttribute, (value) => defaults.set(value.name, value)),
    13: (r) => (overload = r.string()),
  });
  return { name, domain: domain === "ai.onnx" ? "" : domain, overload, opsets, inputs, outputs, nodes, defaults };
}
