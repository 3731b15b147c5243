/** @file What is asked of a function of JAX, written as a program: its results, its derivatives, or a batch of it. */
import { sizeOf, type DType, type Shape, type TensorType } from "../../fusion";
import type { Emitter, Value } from "../onnx/emit";
import type { ImportedModel } from "../onnx/import-model";
import type { HostTensor } from "../onnx/tensor";
import type { Typed } from "./jaxpr";

export type JaxQuestion =
  /** Its results: `y0` …. */
  | { readonly kind: "results" }
  /** Those (f32 and f16), what cotangents `g0` … of them are worth to its operands (`vjp0` …), and what tangents `t0` … of those change in them (`jvp0` …). */
  | { readonly kind: "derivatives" }
  /** Its results for a batch: the axis of each operand that numbers the examples, null where all share it. */
  | { readonly kind: "batch"; readonly axes: readonly (number | null)[]; readonly inputs: readonly Typed[] };

export type Outputs = Map<string, ImportedModel["outputs"] extends ReadonlyMap<string, infer T> ? T : never>;

/** A function as it was read: values that go in and come out, and lines in `emit` between them. */
export interface Read {
  readonly emit: Emitter;
  readonly operands: readonly Value[];
  readonly results: readonly Value[];
  /** Declares one more input of the program. */
  readonly input: (hint: string, type: TensorType) => Value;
}

export const isFloat = (dtype: DType): boolean => dtype === "f32" || dtype === "f16";
const namesOf = (values: readonly Value[]): string[] => values.map(({ name }) => name!);
const listed = (names: readonly string[]): string => `(${names.join(", ")}${names.length === 1 ? "," : ""})`;
const zeros = (shape: Shape): HostTensor => ({
  dtype: "f32",
  dims: shape,
  data: new Float64Array(sizeOf(shape)),
  wide: false,
});

/** Lines that give each of `keys` a name, from a call that answers one value or, if there are more, a list. */
function unpacked(
  emit: Emitter,
  call: (target: string) => string,
  keys: readonly string[],
  list = keys.length > 1,
): { readonly names: readonly string[]; readonly lines: readonly string[] } {
  const names = keys.map((key) => emit.fresh(key));
  if (!list) return { names, lines: [call(names[0]!)] };
  const all = emit.fresh("all");
  return { names, lines: [call(all), ...names.map((name, i) => `${name} = ${all}[${i}]`)] };
}

/** The program of an answer; notes in `outputs` what it returns. What is known already needs no program. */
export function programOf(read: Read, question: JaxQuestion, outputs: Outputs): string {
  switch (question.kind) {
    case "results":
      return plain(read, outputs);
    case "derivatives":
      return derivatives(read, outputs);
    case "batch":
      return batch(read, question, outputs);
  }
}

function plain({ emit, results }: Read, outputs: Outputs): string {
  results.forEach(({ name, host, type }, i) =>
    outputs.set(`y${i}`, { name, host: name === null ? host : null, ...type }),
  );
  return emit.text([...new Set(namesOf(results.filter(({ name }) => name !== null)))]);
}

function derivatives({ emit, operands, results, input }: Read, outputs: Outputs): string {
  const by = operands.flatMap((value, i) => (isFloat(value.type.dtype) ? [{ value, i }] : []));
  const floats = results.flatMap((value, i) => (isFloat(value.type.dtype) ? [{ value, i }] : []));
  const open = floats.filter(({ value }) => value.name !== null);
  for (const { value, i } of floats.filter(({ value: { name } }) => name === null)) {
    outputs.set(`y${i}`, { name: null, host: value.host, ...value.type });
    outputs.set(`jvp${i}`, { name: null, host: zeros(value.type.shape), ...value.type });
  }
  if (open.length === 0 || by.length === 0) {
    for (const { value, i } of by) outputs.set(`vjp${i}`, { name: null, host: zeros(value.type.shape), ...value.type });
    return "";
  }
  const cotangents = open.map(({ value, i }) => input(`g${i}`, value.type));
  const tangents = by.map(({ value, i }) => input(`t${i}`, value.type));
  const given = namesOf(by.map(({ value }) => value));
  const [pull, again] = [emit.fresh("pull"), emit.fresh("again")];
  const primal = unpacked(
    emit,
    (to) => `${to}, ${pull} = vjp(f, ${given.join(", ")})`,
    open.map(({ i }) => `y${i}`),
  );
  const back = unpacked(
    emit,
    (to) => `${to} = ${pull}(${namesOf(cotangents).join(", ")})`,
    by.map(({ i }) => `vjp${i}`),
    true,
  );
  const forth = unpacked(
    emit,
    (to) => `${again}, ${to} = jvp(f, ${listed(given)}, ${listed(namesOf(tangents))})`,
    open.map(({ i }) => `jvp${i}`),
  );
  open.forEach(({ value: { type }, i }, at) => {
    outputs.set(`y${i}`, { name: primal.names[at]!, host: null, ...type });
    outputs.set(`jvp${i}`, { name: forth.names[at]!, host: null, ...type });
  });
  by.forEach(({ value: { type }, i }, at) => outputs.set(`vjp${i}`, { name: back.names[at]!, host: null, ...type }));
  const returned = [...primal.names, ...back.names, ...forth.names];
  const after = [...primal.lines, ...back.lines, ...forth.lines, `return ${returned.join(", ")}`];
  return emit.textOfFunction("f", given, namesOf(open.map(({ value }) => value)), after);
}

function batch(
  { emit, operands, results }: Read,
  { axes, inputs }: JaxQuestion & { kind: "batch" },
  outputs: Outputs,
): string {
  const walked = axes.findIndex((axis) => axis !== null);
  const { shape } = inputs[walked]!;
  const count = shape.at(axes[walked]!)!;
  const typed = ({ type }: Value): TensorType => ({ dtype: type.dtype, shape: [count, ...type.shape] });
  const open = results.flatMap((value, i) => (value.name === null ? [] : [{ value, i }]));
  for (const [i, value] of results.entries()) {
    if (value.name !== null) continue;
    const size = sizeOf(value.type.shape);
    const data = Float64Array.from({ length: count * size }, (_, at) => value.host!.data[at % size]!);
    outputs.set(`y${i}`, {
      name: null,
      host: { ...value.host!, dims: [count, ...value.type.shape], data },
      ...typed(value),
    });
  }
  if (open.length === 0) return "";
  const given = namesOf(operands);
  const inAxes = listed(axes.map((axis) => (axis === null ? "None" : String(axis))));
  const made = unpacked(
    emit,
    (to) => `${to} = vmap(f, in_axes=${inAxes})(${given.join(", ")})`,
    open.map(({ i }) => `y${i}`),
  );
  open.forEach(({ value, i }, at) => outputs.set(`y${i}`, { name: made.names[at]!, host: null, ...typed(value) }));
  const after = [...made.lines, `return ${made.names.join(", ")}`];
  return emit.textOfFunction("f", given, namesOf(open.map(({ value }) => value)), after);
}
