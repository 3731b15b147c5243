/** @file One op at a time: its values on given data, its refusals, its parts. */
import { nodeId, type Attrs, type DType, type NodeId, type Shape, type TensorType } from "../src/fusion/ir";
import { findOp, opDef, withDefaults, type CompositeDef, type GraphBuilder } from "../src/fusion/ops";
import { runReference } from "../src/fusion/reference";
import { GraphMaker } from "./build";

export const of = (dtype: DType, ...shape: number[]): TensorType => ({ dtype, shape });
export const f32 = (...shape: number[]): TensorType => of("f32", ...shape);

/** Values of one op on given data. */
export function valueOf(
  op: string,
  operands: readonly (readonly [Shape, readonly number[], DType?])[],
  attrs: Attrs = {},
): { shape: Shape; dtype: DType; data: number[] } {
  const maker = new GraphMaker();
  const inputs = new Map<NodeId, ArrayLike<number>>();
  const ids = operands.map(([shape, data, dtype = "f32"], i) => {
    const id = maker.input(`v${i}`, shape, dtype);
    inputs.set(id, data);
    return id;
  });
  const def = findOp(op)!;
  const out = def.kind === "composite" ? maker.call("out", op, ids, attrs) : maker.op("out", op, ids, attrs);
  const { type, data } = runReference(maker.done(out), inputs).get(out)!;
  return { shape: type.shape, dtype: type.dtype, data: [...data] };
}
/** 0 … n − 1. */
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** The message of a refused type rule. */
export function refusal(
  op: string,
  inputs: readonly TensorType[],
  attrs: Attrs = {},
  names?: readonly string[],
): string {
  const def = findOp(op)!;
  const found = def.infer(inputs, withDefaults(def, attrs), names);
  return found.ok ? "accepted" : found.text;
}

/** The primitives of a composite, in order, without its literals. */
export function partsOf(name: string, types: readonly (TensorType | null)[], attrs: Attrs = {}): string {
  const def = findOp(name) as CompositeDef;
  const made: TensorType[] = [];
  const parts: string[] = [];
  const add = (type: TensorType): NodeId => nodeId(String(made.push(type) - 1));
  const builder: GraphBuilder = {
    typeOf: (id) => made[Number(id)]!,
    scalar: (_value, dtype = "f32") => add({ dtype, shape: [] }),
    op(_part, op, inputs, given = {}) {
      parts.push(op);
      const type = opDef(op).infer(
        inputs.map((id) => made[Number(id)]!),
        withDefaults(opDef(op), given),
      );
      if (!type.ok) throw new Error(type.text);
      return add(type.value);
    },
  };
  def.build(
    builder,
    types.map((type) => type && add(type)),
    withDefaults(def, attrs),
  );
  return parts.join(" ");
}
