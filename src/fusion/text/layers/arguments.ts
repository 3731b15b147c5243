/** @file What the call that makes a layer says: its arguments by the names of the layer's parameters, defaults filled in. */
import type { Shape } from "../../ir";
import { truthOf } from "../values/constants";
import { type GivenArgument, NONE, numberValue, type Operand, type Value } from "../values/values";

/** `eps=1e-5` → its name and its default. */
function declared(param: string): { readonly name: string; readonly usual: Value | null } {
  const at = param.indexOf("=");
  if (at < 0) return { name: param, usual: null };
  const source = param.slice(at + 1);
  const name = param.slice(0, at);
  if (source === "None") return { name, usual: NONE };
  if (source === "True" || source === "False") return { name, usual: { kind: "bool", value: source === "True" } };
  if (source.startsWith("'")) return { name, usual: { kind: "string", value: source.slice(1, -1) } };
  return { name, usual: numberValue(Number(source), /^-?\d+$/.test(source)) };
}

const wholeOf = (value: Value | undefined): number | null =>
  value?.kind === "number" && Number.isInteger(value.value) ? value.value : null;

/** Other spellings of an argument that every library has. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["use_bias", "bias"],
  ["rate", "p"],
]);

export class LayerArguments {
  private readonly operands = new Map<string, Operand>();
  private readonly usual = new Map<string, Value>();
  /** Arguments that the layer has no name for, and those beyond its last. */
  readonly odd: readonly GivenArgument[];

  constructor(params: readonly string[], args: readonly GivenArgument[]) {
    const all = params.map(declared);
    for (const { name, usual } of all) if (usual) this.usual.set(name, usual);
    const names = new Set(all.map(({ name }) => name));
    const odd: GivenArgument[] = [];
    let next = 0;
    for (const arg of args) {
      const word = arg.name?.text;
      const name = word === undefined ? all[next++]?.name : names.has(word) ? word : SPELLINGS.get(word);
      if (name !== undefined && names.has(name)) this.operands.set(name, arg.operand);
      else odd.push(arg);
    }
    this.odd = odd;
  }

  /** Names in the layer's order. */
  *names(): Generator<string> {
    yield* new Set([...this.usual.keys(), ...this.operands.keys()]);
  }

  given(name: string): boolean {
    return this.operands.has(name);
  }

  operand(name: string): Operand | null {
    return this.operands.get(name) ?? null;
  }

  /** As given, or its default; undefined where it has none. */
  value(name: string): Value | undefined {
    return this.operands.get(name)?.value ?? this.usual.get(name);
  }

  whole(name: string): number | null {
    return wholeOf(this.value(name));
  }

  flag(name: string): boolean {
    const value = this.value(name);
    return value !== undefined && truthOf(value) !== false;
  }

  /** A tuple of whole numbers, or one number for all `count`. */
  sizes(name: string, count: number): Shape | null {
    const value = this.value(name);
    if (value?.kind === "sequence") {
      const sizes = value.items.map((item) => wholeOf(item.value));
      return sizes.includes(null) ? null : (sizes as number[]);
    }
    const size = wholeOf(value);
    return size === null ? null : Array.from({ length: count }, () => size);
  }
}
