/** @file What follows a product and only scales and shifts its outputs: links, and the scale and shift that they come to. */
import { algebraOf, isDivision, isNegation, isProduct, isSubtraction, isSum } from "../../ops";
import { node, sameShape, sizeOf, type Graph, type Node, type NodeId } from "../../ir";
import { isFreeView } from "../../kernel";
import { isChannelwise, intoChannels, type Channels } from "./channels";
import type { Constants } from "./constants";
import type { Recipe } from "./recipe";

/** One reader after the other, each of the one before. */
export interface Link {
  readonly id: NodeId;
  readonly kind: "view" | "scale" | "shift";
}

export interface AffineChain {
  readonly links: readonly Link[];
  /** A scale or shift that is known too late, where the chain broke for it. */
  readonly late: { readonly reader: NodeId; readonly operand: NodeId } | null;
}

/** What the search has to know. */
export interface Around {
  readonly graph: Graph;
  readonly constants: Constants;
  readonly readersOf: (id: NodeId) => ReadonlySet<NodeId>;
  readonly isOutput: (id: NodeId) => boolean;
}

const scales = ({ op }: Node): boolean => isProduct(algebraOf(op)) || isNegation(algebraOf(op));
const shifts = ({ op }: Node): boolean => isSum(algebraOf(op));

/** The longest chain behind `product` that ends with a scale or a shift. */
export function affineChain(around: Around, product: Node, channels: Channels): AffineChain {
  const { graph, constants, readersOf, isOutput } = around;
  const links: Link[] = [];
  let late: AffineChain["late"] = null;
  let value = product;
  for (;;) {
    const [only, ...others] = readersOf(value.id);
    if (only === undefined || others.length > 0 || isOutput(value.id)) break;
    const reader = node(graph, only);
    const kind = isFreeView(reader) ? "view" : scales(reader) ? "scale" : shifts(reader) ? "shift" : null;
    if (kind === null) break;
    const operand = kind === "view" ? null : operandOf(reader, value.id);
    if (kind !== "view") {
      if (!sameShape(reader.type.shape, value.type.shape) || reader.type.dtype !== "f32") break;
      if (algebraOf(reader.op).powers?.[reader.inputs.indexOf(value.id)] === -1) break;
      if (operand === value.id) break;
      const fits = operand === null || isChannelwise(channels, node(graph, operand).type.shape, value.type.shape);
      if (!fits) break;
      if (operand !== null && !constants.known(operand)) {
        late = kind === "scale" ? { reader: reader.id, operand } : scaledNext(around, reader, channels);
        break;
      }
    }
    links.push({ id: reader.id, kind });
    value = reader;
  }
  const last = links.findLastIndex(({ kind }) => kind !== "view");
  return { links: links.slice(0, last + 1), late };
}

/** Behind a shift that comes too late, as in a batch norm over statistics of the run: the scale, which comes too late with it. */
function scaledNext({ graph, constants, readersOf }: Around, shift: Node, channels: Channels): AffineChain["late"] {
  const [only, ...others] = readersOf(shift.id);
  const reader = only === undefined || others.length > 0 ? null : node(graph, only);
  const operand = reader && scales(reader) ? operandOf(reader, shift.id) : null;
  if (!reader || operand === null || operand === shift.id || constants.known(operand)) return null;
  return isChannelwise(channels, node(graph, operand).type.shape, shift.type.shape)
    ? { reader: reader.id, operand }
    : null;
}

/** The other operand of a scale or shift; null for `neg`. */
export function operandOf({ inputs }: Node, value: NodeId): NodeId | null {
  if (inputs.length < 2) return null;
  return inputs[0] === value ? inputs[1]! : inputs[0]!;
}

/** A number for each channel, or one for all of them, in a recipe. */
interface Term {
  readonly id: NodeId;
  /** Its value where literals alone went into it. */
  readonly literal: number | null;
}

/** value · scale + shift; null where nothing scales or shifts. */
export interface Affine {
  readonly scale: Term | null;
  readonly shift: Term | null;
}

/** The scale and the shift that the links of a chain come to. */
export function composed(
  around: Around,
  recipe: Recipe,
  product: Node,
  channels: Channels,
  links: readonly Link[],
): Affine {
  const { graph, constants } = around;
  const one = (value: number): Term => ({ id: recipe.literal(value), literal: value });
  const combine = (op: "add" | "sub" | "mul" | "div", a: Term, b: Term): Term => {
    if (a.literal === null || b.literal === null) return { id: recipe.op(op, [a.id, b.id]), literal: null };
    const results = {
      add: a.literal + b.literal,
      sub: a.literal - b.literal,
      mul: a.literal * b.literal,
      div: a.literal / b.literal,
    };
    return one(results[op]);
  };
  const termOf = (id: NodeId, at: Node): Term => {
    const literal = constants.literal(id);
    if (literal !== null) return one(literal);
    const taken = recipe.take(id);
    const wide = sizeOf(node(graph, id).type.shape) > 1;
    return {
      id: wide ? intoChannels(recipe, channels, taken, at.type.shape) : recipe.op("reshape", [taken], { shape: [] }),
      literal: null,
    };
  };
  let [scale, shift]: [Term | null, Term | null] = [null, null];
  let value = product.id;
  for (const { id, kind } of links) {
    const n = node(graph, id);
    const other = operandOf(n, value);
    const by = kind === "view" ? null : other === null ? one(-1) : termOf(other, n);
    if (by !== null && kind === "scale") {
      const op = isDivision(algebraOf(n.op)) ? "div" : "mul";
      scale = combine(op, scale ?? one(1), by);
      shift = shift && combine(op, shift, by);
    } else if (by !== null) {
      const algebra = algebraOf(n.op);
      const negated = algebra.terms?.[n.inputs.indexOf(value)] === -1;
      if (negated) scale = combine("mul", scale ?? one(1), one(-1));
      shift = negated
        ? shift
          ? combine("sub", by, shift)
          : by
        : combine(isSubtraction(algebra) ? "sub" : "add", shift ?? one(0), by);
    }
    value = id;
  }
  return { scale, shift };
}
