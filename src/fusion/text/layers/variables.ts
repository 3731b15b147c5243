/**
 * @file Weights that a program holds apart from its model, as flax does: `params = model.init(key, x)`, `model.apply(params, x)`. Each has
 * the name that flax gives it: fields of modules, and layers that are made while a module is called, `Dense_0`.
 */
import type { NodeId } from "../../ir";
import { type LayerInfo, type Named, type ObjectInfo, type Operand, tensorValue, type Value } from "../values/values";

type Names = readonly string[];

/** What a program calls a module where it makes it, `nn.Dense(8, name="head")`; null where it says nothing. */
function nameSaid(named: Named): string | null {
  const args = "args" in named ? (named as LayerInfo).args : [];
  const value = args.find(({ name }) => name?.text === "name")?.operand.value;
  return value?.kind === "string" ? value.value : (named.called ?? null);
}

/** One call of a model whose weights stand elsewhere. */
export class Variables {
  private readonly root: ObjectInfo;
  /** What they are; null: they are being made. */
  private readonly given: Value | null;
  /** By what holds the weights, which is one for every copy of a layer's description. */
  private readonly names = new Map<Named["weights"], Names>();
  private readonly counts = new Map<string, number>();
  private readonly made: { readonly names: Names; readonly node: NodeId }[] = [];
  private readonly before = new Map<Named["weights"], ReadonlyMap<string, NodeId>>();

  constructor(root: ObjectInfo, given: Value | null) {
    this.root = root;
    this.given = given;
  }

  /**
   * Names on the way to a weight: of its modules, then its own.
   * @param self whose method asks for it
   */
  nameOf(self: Value | undefined, named: Named, key: string): Names {
    const within = self?.kind === "object" ? self.object : this.root;
    return [...this.namesOf(named, within), ...(key === "" ? [] : [key])];
  }

  private namesOf(named: Named, within: ObjectInfo): Names {
    if (named.weights === this.root.weights) return [];
    if (named.holder) return [...this.namesOf(named.holder.object, within), named.holder.key];
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

  /** The weight of that name; null where it is to be made. */
  find(names: Names): NodeId | null {
    if (!this.given) return this.made.find((each) => each.names.join("/") === names.join("/"))?.node ?? null;
    let value: Value | undefined = this.given;
    for (const name of names) value = value?.kind === "dict" ? value.entries.get(name)?.value : undefined;
    return value?.kind === "tensor" ? value.node : null;
  }

  note(names: Names, node: NodeId): void {
    this.made.push({ names, node });
  }

  /** Weights that a module holds itself, as they were before this call. */
  remember({ weights }: Named): void {
    if (!this.before.has(weights)) this.before.set(weights, new Map(weights));
  }

  /** What was made and named so far; `undo` forgets what came after. */
  mark(): { undo(): void } {
    const [made, names, counts] = [this.made.length, this.names.size, new Map(this.counts)];
    return {
      undo: () => {
        this.made.length = made;
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

  /** What was made, as a tree by names. */
  tree(): Value {
    const root = new Map<string, Operand>();
    for (const { names, node } of this.made) {
      let entries = root;
      for (const name of names.slice(0, -1)) {
        const inside = entries.get(name)?.value;
        const next = inside?.kind === "dict" ? (inside.entries as Map<string, Operand>) : new Map<string, Operand>();
        entries.set(name, { value: { kind: "dict", entries: next }, path: "", expr: null });
        entries = next;
      }
      entries.set(names.at(-1) ?? "", { value: tensorValue(node), path: "", expr: null });
    }
    return { kind: "dict", entries: root };
  }

  get nodes(): ReadonlySet<NodeId> {
    return new Set(this.made.map(({ node }) => node));
  }
}
