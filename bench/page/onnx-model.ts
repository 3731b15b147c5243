/** @file Writes an ONNX model: a graph of ops over named tensors, as the protobuf message that runtimes read. */
import { BinaryWriter } from "@bufbuild/protobuf/wire";

type Attribute = number | string | readonly number[];
export type Attributes = Readonly<Record<string, Attribute>>;
/** A tensor of the graph, by its name. */
export type Value = string;

const OPSET = 20;
const IR_VERSION = 9;
const WIRE = { varint: 0, bytes: 2, word: 5 } as const;
const TYPE = { float: 1, int64: 7 } as const;
const KIND = { float: 1, int: 2, string: 3, ints: 7 } as const;

type Write = (writer: BinaryWriter) => void;

const tagged = (writer: BinaryWriter, field: number, wire: number): BinaryWriter => writer.uint32((field << 3) | wire);
const text =
  (field: number, value: string): Write =>
  (to) =>
    void tagged(to, field, WIRE.bytes).string(value);
const int =
  (field: number, value: number): Write =>
  (to) =>
    void tagged(to, field, WIRE.varint).int64(value);
const float =
  (field: number, value: number): Write =>
  (to) =>
    void tagged(to, field, WIRE.word).float(value);
const message =
  (field: number, parts: readonly Write[]): Write =>
  (to) => {
    const inner = new BinaryWriter();
    for (const write of parts) write(inner);
    tagged(to, field, WIRE.bytes).bytes(inner.finish());
  };

const attribute = (name: string, value: Attribute): Write => {
  const own =
    typeof value === "string"
      ? [text(4, value), int(20, KIND.string)]
      : typeof value !== "number"
        ? [...value.map((each) => int(8, each)), int(20, KIND.ints)]
        : Number.isInteger(value)
          ? [int(3, value), int(20, KIND.int)]
          : [float(2, value), int(20, KIND.float)];
  return message(5, [text(1, name), ...own]);
};
const described = (field: number, name: string, shape: readonly number[]): Write =>
  message(field, [
    text(1, name),
    message(2, [
      message(1, [
        int(1, TYPE.float),
        message(
          2,
          shape.map((extent) => message(1, [int(1, extent)])),
        ),
      ]),
    ]),
  ]);

/** A model in the making: inputs, then ops, then which values are its results. Everything is f32 but axes and shapes. */
export class OnnxModel {
  /** Written at the end: an output's name is known later than what computes it. */
  readonly #parts: (() => Write)[] = [];
  readonly #outputs = new Map<Value, string>();
  #values = 0;

  input(name: string, shape: readonly number[]): Value {
    this.#parts.push(() => described(11, name, shape));
    return name;
  }

  /** A number that is part of the model. */
  number(value: number): Value {
    const name = this.#fresh();
    this.#parts.push(() => message(5, [int(2, TYPE.float), float(4, value), text(8, name)]));
    return name;
  }

  /** Whole numbers that are part of the model: axes, a shape. */
  whole(values: readonly number[]): Value {
    const name = this.#fresh();
    this.#parts.push(() =>
      message(5, [int(1, values.length), int(2, TYPE.int64), ...values.map((each) => int(7, each)), text(8, name)]),
    );
    return name;
  }

  /** An op of the standard's own domain, or of another one; its first result. */
  op(type: string, inputs: readonly Value[], attributes: Attributes = {}, domain = ""): Value {
    const result = this.#fresh();
    this.#parts.push(() =>
      message(1, [
        ...inputs.map((each) => text(1, this.#name(each))),
        text(2, this.#name(result)),
        text(4, type),
        ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
        ...(domain === "" ? [] : [text(7, domain)]),
      ]),
    );
    return result;
  }

  output(name: string, value: Value, shape: readonly number[]): void {
    this.#outputs.set(value, name);
    this.#parts.push(() => described(12, name, shape));
  }

  /** The whole ModelProto. */
  bytes(): Uint8Array {
    const writer = new BinaryWriter();
    int(1, IR_VERSION)(writer);
    message(7, [text(2, "program"), ...this.#parts.map((part) => part())])(writer);
    for (const [domain, version] of [
      ["", OPSET],
      ["com.microsoft", 1],
    ] as const)
      message(8, [text(1, domain), int(2, version)])(writer);
    return writer.finish();
  }

  #name(value: Value): string {
    return this.#outputs.get(value) ?? value;
  }

  #fresh(): Value {
    return `v${this.#values++}`;
  }
}
