/** @file In which order nodes can be read. */
import type { OnnxNode } from "./model";

/** Names that a node reads, those that graphs inside it read from outside and those that it is asked to differentiate included. */
export function namesRead({ op, inputs, attributes }: OnnxNode): string[] {
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
export function inOrder(nodes: readonly OnnxNode[]): OnnxNode[] {
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
