/** @file What the inspector of a selected op shows and which of it may be edited. */
import { findNode, findOp, flopsOf, nodeName, showType, topName } from "../fusion";
import type { AttrValue, Block, Graph, GroupRef, Node, NodeId, WrittenAttr } from "../fusion";
import { pillTarget } from "../document";
import { waitingOf } from "./lines/gaps";
import { showBytes, showFigures } from "./format";
import type { Lives, Scene } from "./scene";

export interface AttrField {
  readonly name: string;
  /** What the text calls it. */
  readonly label: string;
  readonly value: string;
  readonly doc: string;
}

export interface Inspected {
  readonly id: NodeId;
  readonly title: string;
  /** The binding's name when it can be renamed. */
  readonly name: string | null;
  readonly formula: string;
  readonly teaches: string;
  readonly type: string;
  readonly isInput: boolean;
  readonly attrs: readonly AttrField[];
  readonly operands: readonly { readonly name: string; readonly from: string }[];
  /** Arithmetic that one element of its result takes, by its definition; 0 where that depends on more. */
  /** FLOP of the op per element. */
  readonly flops: number;
  /** Why it can't be edited here; null when it can. */
  readonly locked: string | null;
  /** Calls, loops and composites around it that can be folded, innermost first. */
  readonly folds: readonly { readonly id: string; readonly text: string }[];
}

/** Values as the language writes them: `-1`, `True`, `(0, 2)`. */
export function showAttr(value: AttrValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "object") return `(${value.join(", ")}${value.length === 1 ? "," : ""})`;
  return String(value);
}

/** Where a value lives and what computes it, in words: `K1 softmax`, `8 MiB in memory`. */
export function factsOf(scene: Scene, { id, isInput, flops }: Inspected): readonly (readonly [string, string])[] {
  const box = scene.nodes.find((node) => node.id === id || node.inside.includes(id));
  const kernel = scene.kernels.find(({ region }) => region === box?.kernel?.region);
  const value = box?.id === id ? homes[box.lives](showBytes(box.bytes)) : null;
  return [
    ...(kernel ? [["Kernel", `${kernel.name} ${kernel.title}`.trim()] as const] : []),
    ...(value ? [["Value", value] as const] : []),
    ...(flops > 0 && !isInput ? [["Arithmetic", `${showFigures(flops)} FLOP per element`] as const] : []),
  ];
}

const homes: Readonly<Record<Lives, (bytes: string) => string | null>> = {
  memory: (bytes) => `${bytes} in memory`,
  register: () => "in registers, no traffic",
  view: () => "a view: no kernel, no traffic",
  nowhere: () => null,
};

/** Attribute `attr` of a node as the text writes it; null where it doesn't. */
export type Written = (id: NodeId, attr: string) => WrittenAttr | null;

/** The call whose value node `id` is, while the scene draws it as one box; null where the node stands for itself. */
export function callDrawnAt({ nodes }: Scene, graph: Graph, id: NodeId): GroupRef | null {
  const box = nodes.find(({ inside, gates, lid }) => (lid || gates?.length) && inside.at(-1) === id);
  const call = box && findNode(graph, id)?.groups.find(({ kind }) => kind === "composite");
  return call?.id === id ? call : null;
}

/**
 * The node `id` of the graph, or the one behind an output pill; null when it is gone.
 * @param block the repeated block that it is in
 * @param call that is drawn as one box and whose value the node is: it is looked at, and not its last part
 */
export function inspect(
  graph: Graph,
  id: NodeId,
  written: Written = () => null,
  block: Block | null = null,
  call: GroupRef | null = null,
): Inspected | null {
  const node = findNode(graph, pillTarget(id) ?? id);
  if (!node) return null;
  const isInput = node.op === "input";
  const def = findOp(call?.label ?? node.op);
  const params = def?.params ?? [];
  return {
    id: node.id,
    title: isInput ? "input" : (call?.label ?? titleOf(node)),
    name: topName(node.id),
    formula: isInput ? "" : (def?.doc.formula ?? ""),
    teaches: isInput ? "" : (def?.doc.teaches ?? ""),
    type: waitingOf(graph).has(node.id) ? "not known yet" : showType(node.type),
    isInput,
    attrs: params
      .filter(({ kind, names }) => !isInput && kind !== "tensor" && kind !== "tensors" && names[0]! in node.attrs)
      .map(({ names, doc }) => {
        const name = names[0]!;
        const asWritten = written(node.id, name);
        return { name, label: asWritten?.name ?? name, value: asWritten?.value ?? showAttr(node.attrs[name]!), doc };
      }),
    operands: call ? [] : operandsOf(graph, node),
    flops: isInput || !def || def.kind === "composite" ? 0 : flopsOf(def),
    locked: call ? "Its arguments are edited in the text." : lockedBy(node),
    folds: [
      ...node.groups
        .filter((group) => group !== call)
        .toReversed()
        .map((group) => ({ id: group.id, text: `Fold ${group.label}` })),
      ...(block ? foldsOfBlock(block, node) : []),
    ],
  };
}

/** An iteration or a call is a group of its own already. */
function foldsOfBlock({ one, all, label, number, count }: Block, { groups }: Node): Inspected["folds"] {
  const known = groups.some((group) => group.id === one);
  const single = known ? [] : [{ id: one, text: `Fold ${label} ${number} of ${count}` }];
  return [...single, { id: all, text: `Fold ${label} × ${count}` }];
}

function operandsOf(graph: Graph, node: Node): Inspected["operands"] {
  const def = findOp(node.op);
  const names =
    def?.params.filter(({ kind }) => kind === "tensor" || kind === "tensors").map((param) => param.names[0]!) ?? [];
  return node.inputs.map((input, i) => {
    const from = findNode(graph, input);
    const text =
      !from || from.op === "hole"
        ? "..."
        : from.op === "const"
          ? showAttr(from.attrs["value"] ?? null)
          : topName(input) !== null
            ? input
            : nodeName(from);
    return { name: names[i] ?? `operand ${i + 1}`, from: text };
  });
}

/** `add`; of the last part of a call, which has the call's name, what it is itself: `div, the end of softmax`. */
function titleOf(node: Node): string {
  const call = node.groups.find(({ kind, recognised }) => kind === "composite" && !recognised);
  return call?.id === node.id ? `${node.op}, the end of ${call.label}` : nodeName(node);
}

/** A composite's parts follow from its call: the call is what can be edited. */
function lockedBy({ id, groups }: Node): string | null {
  const call = groups.find(({ kind }) => kind === "composite");
  if (!call) return null;
  return id === call.id
    ? `The last part of ${call.label}: its arguments are edited in the text.`
    : `A part of ${call.label} ${call.id}: edit the call in the text.`;
}
