/** @file Names and what they stand for at each step, and the symbols that editors ask about. */
import type { NodeId, Span } from "../ir";
import type { Statement } from "./syntax";
import type { Value } from "./values";

export type SymbolKind = "input" | "value" | "constant" | "def" | "parameter" | "loop";

/** One definition of a name: a rebinding is another symbol. What several calls or iterations bind at one statement is one symbol. */
export class SymbolRecord {
  node: NodeId | null = null;
  /** Nodes it stood for, one for each call or iteration. */
  readonly nodes: NodeId[] = [];
  value: Value = { kind: "broken" };
  private readonly spans: Span[] = [];
  /** Offsets of `spans`, once there are many. */
  private seen: Set<number> | null = null;

  readonly name: string;
  readonly kind: SymbolKind;
  readonly definition: Span;
  readonly statement: Statement;
  /** Name of the def it is local to; empty at the top. */
  readonly owner: string;

  constructor(name: string, kind: SymbolKind, definition: Span, statement: Statement, owner: string) {
    this.name = name;
    this.kind = kind;
    this.definition = definition;
    this.statement = statement;
    this.owner = owner;
  }

  get uses(): readonly Span[] {
    return this.spans;
  }

  addUse(span: Span): void {
    const known = this.seen ? this.seen.has(span.from) : this.spans.some(({ from }) => from === span.from);
    if (known) return;
    this.spans.push(span);
    if (this.seen) this.seen.add(span.from);
    else if (this.spans.length > 16) this.seen = new Set(this.spans.map(({ from }) => from));
  }

  /** It stands for none of `gone`: they are not in the graph. */
  forget(gone: ReadonlySet<NodeId>): void {
    if (this.value.kind === "tensor" && gone.has(this.value.node)) this.value = { kind: "broken" };
    if (!this.nodes.some((id) => gone.has(id))) return;
    this.nodes.splice(0, this.nodes.length, ...this.nodes.filter((id) => !gone.has(id)));
    this.node = this.nodes[0] ?? null;
  }

  addValue(value: Value): void {
    this.value = value;
    if (value.kind !== "tensor") return;
    this.node ??= value.node;
    this.nodes.push(value.node);
  }
}

export interface Binding {
  readonly step: number;
  readonly value: Value;
  readonly symbol: SymbolRecord;
}

/** The names of the program or of one call of a def. */
export class Scope {
  readonly names = new Map<string, Binding[]>();

  readonly parent: Scope | null;
  readonly owner: string;
  /** Its names are fields of a class, which objects have too. */
  readonly ofClass: boolean;

  constructor(parent: Scope | null, owner: string, ofClass = false) {
    this.parent = parent;
    this.owner = owner;
    this.ofClass = ofClass;
  }

  bind(name: string, binding: Binding): void {
    const history = this.names.get(name);
    if (history) history.push(binding);
    else this.names.set(name, [binding]);
  }

  /** How often each name was bound here. */
  mark(): ReadonlyMap<string, number> {
    return new Map([...this.names].map(([name, history]) => [name, history.length]));
  }

  /** Names that were bound after `mark`. */
  boundSince(mark: ReadonlyMap<string, number>): readonly string[] {
    return [...this.names].flatMap(([name, { length }]) => (length > (mark.get(name) ?? 0) ? [name] : []));
  }

  /** Forgets what was bound after `mark`. */
  backTo(mark: ReadonlyMap<string, number>): void {
    for (const [name, history] of this.names) {
      history.length = mark.get(name) ?? 0;
      if (history.length === 0) this.names.delete(name);
    }
  }

  /** The newest binding of `name` here or outside. */
  find(name: string): Binding | null {
    return this.names.get(name)?.at(-1) ?? this.parent?.find(name) ?? null;
  }

  /** What `name` stood for just before `step`. */
  findAt(name: string, step: number): Binding | null {
    const history = this.names.get(name);
    return history?.findLast((binding) => binding.step < step) ?? this.parent?.findAt(name, step) ?? null;
  }

  /** All names that can be seen from here. */
  *visible(): Generator<string> {
    yield* this.names.keys();
    if (this.parent) yield* this.parent.visible();
  }
}
