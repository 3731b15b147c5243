/** @file Reading a part of the program to see what it is: what that leaves behind can be discarded. */
import type { NodeId } from "../ir";
import type { Interpreter, Optimizing } from "./interpreter";
import { forgetGrown } from "./values/grown";

export interface Trial {
  /** The nodes made so far, in order. */
  made(): ReadonlySet<NodeId>;
  /** Whether something is wrong with what was read, or it does more than make nodes. */
  failed(): boolean;
  /** Whether a mistake was found in what was read. */
  hasErrors(): boolean;
  /** The nodes go, all but `needed`; what was learnt of names stays. */
  dropAllBut(needed: ReadonlySet<NodeId>): void;
  /** As if nothing had been read. */
  undo(): void;
}

const later = <K>(entries: Iterable<K>, size: number): K[] => [...entries].slice(size);

/** Makes what optimizers have done what it is now. */
function keptOptimizing({ optimizing }: Interpreter): () => void {
  const { steps, losses, counts, tests, labels, replaced, first } = optimizing;
  const lists = [steps, losses].map((list) => list.length);
  const sets = [counts, tests].map((set) => [set, new Set(set)] as const);
  const maps = [labels, replaced, first].map((map) => [map, new Map<NodeId, string>(map)] as const);
  const { backwardAt, turns, repeated, asked, unclear, zeroed, stale } = optimizing;
  const plain: Partial<Optimizing> = { backwardAt, turns, repeated, asked, unclear, zeroed, stale };
  return () => {
    [steps, losses].forEach((list, i) => (list.length = lists[i]!));
    for (const [set, was] of sets) {
      set.clear();
      for (const id of was) set.add(id);
    }
    for (const [map, was] of maps) {
      map.clear();
      for (const [id, value] of was) (map as Map<NodeId, string>).set(id, value);
    }
    Object.assign(optimizing, plain);
  };
}

/** Begins a trial. */
export function openTrial(interpreter: Interpreter): Trial {
  const {
    nodes,
    sites,
    partOf,
    unknown,
    calls,
    losses,
    derived,
    ownRules,
    cotangents,
    assertions,
    runs,
    readEarly,
    fieldWrites,
    outerWrites,
    weightWrites,
    memory,
  } = interpreter;
  const sizes = {
    nodes: nodes.size,
    still: nodes.still.size,
    sites: sites.size,
    partOf: partOf.size,
    unknown: unknown.size,
    calls: calls.length,
    losses: losses.length,
    derived: derived.size,
    ownRules: ownRules.size,
    cotangents: cotangents.size,
    assertions: assertions.length,
    runs: runs.length,
    readEarly: readEarly.size,
    fieldWrites: fieldWrites.length,
    outerWrites: outerWrites.length,
    weightWrites: weightWrites.length,
    later: memory?.later.size ?? 0,
    grown: interpreter.grown.size,
    madeEntries: interpreter.madeEntries.length,
  };
  const mistakes = interpreter.diagnostics.mark();
  const variables = interpreter.applied.variables?.mark();
  const calledBefore = new Map(interpreter.defCalls);
  const { training, stopped, draws } = interpreter;
  const modes = new Map(interpreter.modes);
  const { asked } = interpreter.optimizing;
  const asOptimized = keptOptimizing(interpreter);
  const lost = [...losses];
  const hooks = [...interpreter.hooks];
  const { length: hooked } = interpreter.hooked;
  const wholes = new Map(cotangents);
  const made = (): ReadonlySet<NodeId> => new Set(later(nodes.keys(), sizes.nodes));
  const dropAllBut = (needed: ReadonlySet<NodeId>): void => {
    const gone = new Set([...made()].filter((id) => !needed.has(id)));
    for (const id of gone) {
      nodes.delete(id);
      nodes.still.delete(id);
    }
    for (const id of later(sites.keys(), sizes.sites)) if (gone.has(id)) sites.delete(id);
    for (const id of later(partOf.keys(), sizes.partOf)) if (gone.has(id)) partOf.delete(id);
    for (const id of later(unknown, sizes.unknown)) unknown.delete(id);
    for (const key of later(derived.keys(), sizes.derived)) if (gone.has(derived.get(key)!.made)) derived.delete(key);
    for (const id of later(ownRules.keys(), sizes.ownRules)) if (gone.has(id)) ownRules.delete(id);
    for (const value of later(memory?.later.keys() ?? [], sizes.later)) memory!.later.delete(value);
    calls.length = sizes.calls;
    for (const symbol of interpreter.symbols.values()) symbol.forget(gone);
  };
  return {
    made,
    failed: () =>
      interpreter.stopped ||
      interpreter.diagnostics.errorsSince(mistakes) ||
      unknown.size > sizes.unknown ||
      losses.length > sizes.losses ||
      interpreter.optimizing.asked > asked ||
      cotangents.size > sizes.cotangents ||
      ownRules.size > sizes.ownRules ||
      // A loop's derivative would pass through where the program lets none through.
      (nodes.still.size > sizes.still && !nodes.off) ||
      assertions.length > sizes.assertions ||
      interpreter.training !== training ||
      fieldWrites.length > sizes.fieldWrites ||
      outerWrites.length > sizes.outerWrites,
    hasErrors: () => interpreter.diagnostics.errorsSince(mistakes) || unknown.size > sizes.unknown,
    dropAllBut,
    undo() {
      dropAllBut(new Set());
      interpreter.diagnostics.backTo(mistakes);
      variables?.undo();
      cotangents.clear();
      for (const [of, whole] of wholes) cotangents.set(of, whole);
      for (const name of later(readEarly, sizes.readEarly)) readEarly.delete(name);
      losses.splice(0, losses.length, ...lost);
      interpreter.hooks.splice(0, interpreter.hooks.length, ...hooks);
      interpreter.hooked.length = hooked;
      assertions.length = sizes.assertions;
      forgetGrown(interpreter, sizes.grown);
      interpreter.madeEntries.length = sizes.madeEntries;
      runs.length = sizes.runs;
      for (const { object, name, before } of fieldWrites.splice(sizes.fieldWrites).reverse())
        if (before) object.fields.set(name, before);
        else object.fields.delete(name);
      for (const { scope, name, count } of outerWrites.splice(sizes.outerWrites).reverse())
        scope.keepFirst(name, count);
      for (const { named, key, before } of weightWrites.splice(sizes.weightWrites).reverse())
        if (before === undefined) named.weights.delete(key);
        else named.weights.set(key, before);
      interpreter.defCalls.clear();
      for (const [root, number] of calledBefore) interpreter.defCalls.set(root, number);
      interpreter.training = training;
      interpreter.modes.clear();
      for (const [named, mode] of modes) interpreter.modes.set(named, mode);
      interpreter.stopped = stopped;
      interpreter.draws = draws;
      asOptimized();
    },
  };
}
