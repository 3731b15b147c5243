/**
 * @file Weights that a program holds apart from its model, as flax does: `params = model.init(key, x)`, `model.apply(params, x)`. Each has
 * the name that flax gives it: fields of modules, and layers that are made while a module is called, `Dense_0`.
 */
import type { NodeId } from "../../ir";
import type { LayerInfo, Named, ObjectInfo, Operand, Value } from "../values/values";

type Names = readonly string[];

/** What a program calls a module where it makes it, `nn.Dense(8, name="head")`; null where it says nothing. */
function nameSaid(named: Named): string | null {
  const args = "args" in named ? (named as LayerInfo).args : [];
  const value = args.find(({ name }) => name?.text === "name")?.operand.value;
  return value?.kind === "string" ? value.value : (named.called ?? null);
}

/** What flax calls the collection of what is trained. */
export const PARAMS = "params";

interface Stored {
  readonly collection: string;
  readonly names: Names;
  readonly value: Value;
}

/** The value under these names in trees of dictionaries. */
function under(tree: Value | undefined, names: Names): Value | undefined {
  let value = tree;
  for (const name of names) value = value?.kind === "dict" ? value.entries.get(name)?.value : undefined;
  return value;
}

/** One call of a model whose weights stand elsewhere. */
export class Variables {
  readonly root: Named;
  /** What they are, by their collections; null: they are being made. */
  private readonly given: ReadonlyMap<string, Value> | null;
  /** By what holds the weights, which is one for every copy of a layer's description. */
  private readonly names = new Map<Named["weights"], Names>();
  private readonly counts = new Map<string, number>();
  private readonly made: Stored[] = [];
  /** What was stored in this call, by collection and names; how it began, where that is something else. */
  private readonly stored = new Map<string, Stored & { readonly first: Value }>();
  private readonly before = new Map<Named["weights"], ReadonlyMap<string, NodeId>>();

  constructor(root: Named, given: Value | null) {
    this.root = root;
    const { entries } = given?.kind === "dict" ? given : { entries: new Map<string, Operand>() };
    const all = [...entries].map(([name, { value }]) => [name, value] as const);
    // What is trained may be all that is given.
    this.given = given && new Map(entries.has(PARAMS) ? all : [...all, [PARAMS, given] as const]);
  }

  /** Whether the call makes them. */
  get isMaking(): boolean {
    return this.given === null;
  }

  /**
   * Names on the way to a weight: of its modules, then its own.
   * @param self whose method asks for it
   */
  nameOf(self: Value | undefined, named: Named, key: string): Names {
    const within = self?.kind === "object" ? self.object : this.root;
    return [...this.namesOf(named, within), ...(key === "" ? [] : [key])];
  }

  private namesOf(named: Named, within: Named): Names {
    if (named.weights === this.root.weights) return [];
    if (named.holder) return [...this.namesOf(named.holder.object, named.holder.object), named.holder.key];
    const known = this.names.get(named.weights);
    if (known) return known;
    const said = nameSaid(named);
    if (said !== null) {
      const own = [...(within.weights === named.weights ? [] : this.namesOf(within, this.root)), said];
      this.names.set(named.weights, own);
      return own;
    }
    const type = "of" in named ? (named as ObjectInfo).of.name : "type" in named ? String(named.type) : "param";
    const around = within.weights === named.weights ? [] : this.namesOf(within, this.root);
    const counted = [...around, type].join("/");
    const count = this.counts.get(counted) ?? 0;
    this.counts.set(counted, count + 1);
    const names = [...around, `${type}_${count}`];
    this.names.set(named.weights, names);
    return names;
  }

  /** What has that name: stored in this call, given to it, or made in it; null where it is to be made. */
  find(names: Names, collection = PARAMS): Value | null {
    const key = [collection, ...names].join("/");
    const made = this.made.find((each) => [each.collection, ...each.names].join("/") === key);
    return this.stored.get(key)?.value ?? under(this.given?.get(collection), names) ?? made?.value ?? null;
  }

  note(names: Names, value: Value, collection = PARAMS): void {
    this.made.push({ collection, names, value });
  }

  store(names: Names, value: Value, collection: string): void {
    const key = [collection, ...names].join("/");
    const first = this.stored.get(key)?.first ?? this.find(names, collection) ?? value;
    this.stored.set(key, { collection, names, value, first });
  }

  /** Weights that a module holds itself, as they were before this call. */
  remember({ weights }: Named): void {
    if (!this.before.has(weights)) this.before.set(weights, new Map(weights));
  }

  /** What was made and named so far; `undo` forgets what came after. */
  mark(): { undo(): void } {
    const [made, names, counts] = [this.made.length, this.names.size, new Map(this.counts)];
    const stored = new Map(this.stored);
    return {
      undo: () => {
        this.made.length = made;
        this.stored.clear();
        for (const [key, each] of stored) this.stored.set(key, each);
        for (const key of [...this.names.keys()].slice(names)) this.names.delete(key);
        this.counts.clear();
        for (const [key, count] of counts) this.counts.set(key, count);
      },
    };
  }

  /** Modules hold again what they held. */
  close(): void {
    for (const [weights, before] of this.before) {
      weights.clear();
      for (const [key, node] of before) weights.set(key, node);
    }
  }

  /**
   * A collection as a tree by names.
   * @param began as it was before this call stored something
   */
  tree(collection = PARAMS, began = false): Value {
    const all = [
      ...this.made.filter((each) => each.collection === collection),
      ...[...this.stored.values()]
        .filter((each) => each.collection === collection)
        .map(({ names, value, first }) => ({ names, value: began ? first : value })),
    ];
    return all.reduce<Value>(
      (tree, { names, value }) => withEntry(tree, names, value),
      this.given?.get(collection) ?? { kind: "dict", entries: new Map() },
    );
  }

  /** Names of all collections. */
  get collections(): readonly string[] {
    const own = [...this.made, ...this.stored.values()].map(({ collection }) => collection);
    return [...new Set([...(this.given?.keys() ?? [PARAMS]), ...own])];
  }

  /** What was made, and what was stored. */
  get nodes(): ReadonlySet<NodeId> {
    const values = [...this.made, ...this.stored.values()].map(({ value }) => value);
    return new Set(values.flatMap((value) => (value.kind === "tensor" ? [value.node] : [])));
  }
}

/** A tree with another value under these names. */
function withEntry(tree: Value, [name, ...rest]: Names, value: Value): Value {
  if (name === undefined) return value;
  const entries = tree.kind === "dict" ? tree.entries : new Map<string, Operand>();
  const inside = entries.get(name)?.value ?? { kind: "dict", entries: new Map<string, Operand>() };
  const entry = { value: withEntry(inside, rest, value), path: "", expr: null };
  return { kind: "dict", entries: new Map([...entries, [name, entry]]) };
}
