/** @file Maker of composites: a name for a graph of primitives. Types follow from the parts, so a composite states none. */
import {
  nodeId,
  promote,
  type AttrValue,
  type Attrs,
  type Checked,
  type DType,
  type NodeId,
  type TensorType,
} from "../ir";
import type { CompositeDef, GraphBuilder, Names, OpDef, Param } from "./define";
import { primitive } from "./primitives";
import { fine, type Failed } from "./shapes";

/** Every attribute of `def`, defaults filled in. */
export function withDefaults(def: Pick<OpDef, "params">, given: Attrs): Attrs {
  const attrs: Record<string, AttrValue> = { ...given };
  for (const { names, kind, default: value } of def.params) {
    const name = names[0]!;
    if (kind !== "tensor" && kind !== "tensors" && attrs[name] === undefined && value !== undefined)
      attrs[name] = value;
  }
  return attrs;
}

/** The type of a composite's own constant: `dtype` where that can hold the value, else f32 (an epsilon beside whole numbers). */
export const scalarType = (value: number, dtype: DType): TensorType => ({
  dtype:
    dtype === "f32" || dtype === "f16" || value === (dtype === "bool" ? Number(value !== 0) : value | 0)
      ? dtype
      : "f32",
  shape: [],
});

/** The dtype of numbers without one of their own among these operands: that of written numbers, f16 beside nothing wider. */
export const weakDType = (operands: readonly DType[]): DType =>
  operands.length > 0 && operands.reduce(promote, "bool") === "f16" ? "f16" : "f32";

/** Builds types only; keeps the first refusal and goes on with any type. */
class DryRun implements GraphBuilder {
  private readonly made: { readonly type: TensorType; readonly name: string }[] = [];
  private readonly weak = new Set<NodeId>();
  refused: Failed | null = null;

  add(type: TensorType, name: string): NodeId {
    return nodeId(String(this.made.push({ type, name }) - 1));
  }
  typeOf(id: NodeId): TensorType {
    return this.made[Number(id)]!.type;
  }
  scalar(value: number, dtype?: DType): NodeId {
    const id = this.add(scalarType(value, dtype ?? "f32"), String(value));
    if (dtype === undefined) this.weak.add(id);
    return id;
  }
  op(part: string, name: string, inputs: readonly NodeId[], attrs: Attrs = {}): NodeId {
    const def = primitive(name);
    const dtype = weakDType(inputs.filter((id) => !this.weak.has(id)).map((id) => this.typeOf(id).dtype));
    for (const id of inputs)
      if (this.weak.delete(id)) this.made[Number(id)] = { ...this.made[Number(id)]!, type: { dtype, shape: [] } };
    const types = inputs.map((id) => this.typeOf(id));
    const found = def.infer(
      types,
      withDefaults(def, attrs),
      inputs.map((id) => this.made[Number(id)]!.name),
    );
    if (found.ok) return this.add(found.value, part);
    this.refused ??= found;
    return this.add(types[0] ?? { dtype: "f32", shape: [] }, part);
  }
}

export interface CompositeSpec extends Names, Pick<CompositeDef, "name" | "doc" | "build" | "nonDifferentiable"> {
  readonly params: readonly Param[];
  /** What the parts could not say as well. `names` has one entry a tensor. */
  readonly check?: (inputs: readonly (TensorType | null)[], attrs: Attrs, names: readonly string[]) => Failed | null;
}

/** A composite of primitives. */
export const composite = ({ check, ...spec }: CompositeSpec): CompositeDef => ({
  ...spec,
  kind: "composite",
  infer(inputs, attrs, names = spec.params.map((param) => param.names[0]!)): Checked<TensorType> {
    const bad = check?.(inputs, attrs, names);
    if (bad) return bad;
    const dry = new DryRun();
    const ids = inputs.map((type, i) => type && dry.add(type, names[i] ?? `operand ${i + 1}`));
    const result = spec.build(dry, ids, attrs);
    return dry.refused ?? fine(dry.typeOf(result));
  },
});

/** An optional tensor. */
export const optional = (names: readonly string[], doc: string): Param => ({
  names,
  kind: "tensor",
  default: null,
  doc,
});

/** The axis of a softmax-like composite: the last one unless stated. */
export const AXIS: Param = { names: ["axis", "dim"], kind: "axis", default: -1, doc: "The axis that is normalised." };

/** The attributes of a reduction whose result broadcasts back. */
export const along = (axes: AttrValue | undefined): Attrs => ({ axes: axes ?? null, keepdims: true });
