/** @file The bytes of a small ONNX model, for laws of damaged files. */
import { BinaryWriter } from "@bufbuild/protobuf/wire";

type Write = (writer: BinaryWriter) => void;

const message = (field: number, write: Write) => (writer: BinaryWriter) => {
  const inner = new BinaryWriter();
  write(inner);
  writer.uint32((field << 3) | 2).bytes(inner.finish());
};
const word = (field: number, text: string) => (writer: BinaryWriter) => {
  writer.uint32((field << 3) | 2).string(text);
};
const whole = (field: number, value: number) => (writer: BinaryWriter) => {
  writer.uint32(field << 3).int64(value);
};
const all =
  (...writes: Write[]): Write =>
  (writer) =>
    writes.forEach((write) => write(writer));

/** An f32 tensor of 4 × 4, named. */
const value = (name: string): Write => {
  const dim = message(1, whole(1, 4));
  return all(word(1, name), message(2, message(1, all(whole(1, 1), message(2, all(dim, dim))))));
};
const node = (op: string, inputs: readonly string[], output: string): Write =>
  message(1, all(...inputs.map((input) => word(1, input)), word(2, output), word(4, op)));

/**
 * `y = softmax(relu(x @ w) + w)`, with `w` stored as raw bytes.
 * @param called what stands in the file for each of its names: values, the graph, the nodes
 */
export function smallModel(called: (name: string) => string = (name) => name): Uint8Array {
  const raw = new Uint8Array(Float32Array.from({ length: 16 }, (_, i) => i / 16).buffer);
  const data: Write = (writer) => void writer.uint32((9 << 3) | 2).bytes(raw);
  const weights = message(5, all(whole(1, 4), whole(1, 4), whole(2, 1), word(8, called("w")), data));
  const nodes = [
    node("MatMul", [called("x"), called("w")], called("p")),
    node("Relu", [called("p")], called("r")),
    node("Add", [called("r"), called("w")], called("s")),
    node("Softmax", [called("s")], called("y")),
  ];
  const writer = new BinaryWriter();
  all(
    message(7, all(...nodes, weights, message(11, value(called("x"))), message(12, value(called("y"))))),
    message(8, whole(2, 21)),
  )(writer);
  return writer.finish();
}
