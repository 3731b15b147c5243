/** @file Outputs, and warnings about what nobody reads. */
import { isInput, isLiteral, isSource, nodeId, type NodeId, type TextEdit } from "../../ir";
import { opDef } from "../../ops";
import { linesOf, wholeLines } from "../reading/lines";
import { addNode, type Interpreter, type Frame } from "../interpreter";
import { describe, type Operand, type SymbolRecord, type Value } from "../values/values";
import { bare, type DefStatement } from "../reading/syntax";
import { tensorsIn } from "../values/results";

/** One output for every tensor that is returned: a tensor that comes again, under its own name or another one, is a view of the first. */
function returned(interpreter: Interpreter, operands: readonly Operand[]): readonly NodeId[] {
  const outputs = new Set<NodeId>();
  for (const { value, expr } of operands) {
    const name = expr?.kind === "name" ? expr.name : null;
    for (const node of tensorsIn(value)) outputs.add(outputs.has(node) ? viewOf(interpreter, node, name) : node);
  }
  return [...outputs];
}

/** Another name for the same elements; no kernel is needed for it. */
function viewOf(interpreter: Interpreter, of: NodeId, name: string | null): NodeId {
  const { type, label, groups, span } = interpreter.nodes.get(of)!;
  const base = name !== null && name !== label ? name : `${label} again`;
  let id = base;
  for (let i = 2; interpreter.nodes.has(nodeId(id)); i++) id = `${base}@${i}`;
  return addNode(interpreter, {
    id,
    op: "reshape",
    inputs: [of],
    attrs: { shape: type.shape },
    type,
    label: base,
    groups: groups.slice(0, 0),
    span: span ?? { from: 0, to: 0 },
  });
}

/** What `return` says; without one, the losses of a program that trains and every named value that nobody reads; where there is none of those, what has no name. */
export function outputsOf(interpreter: Interpreter, frame: Frame): readonly NodeId[] {
  const { values } = frame.result;
  if (values) return returned(interpreter, values);
  for (const { owner, value, uses, definition } of interpreter.symbols.values())
    if (owner === "" && value.kind === "selection" && uses.length === 0)
      interpreter.diagnostics.add("bad-return", definition, `Only tensors can be results; this is ${describe(value)}.`);
  const named = unreadOf(interpreter, namedAtEnd(frame));
  const unread = named.length > 0 ? named : unreadOf(interpreter, null);
  if (unread === named) warnDropped(interpreter, new Set(named));
  const { losses: asked, turns } = interpreter.optimizing;
  const losses = turns > 0 ? asked.filter((id) => interpreter.nodes.has(id)) : [];
  return [...new Set([...losses, ...unread])];
}

/** Tensors that the names of the program hold at its end, and what its last line shows. */
function namedAtEnd({ scope, result }: Frame): ReadonlySet<NodeId> {
  const held = new Set<NodeId>();
  const seen = new Set<Value>();
  const note = (value: Value): void => {
    if (seen.has(value)) return;
    seen.add(value);
    if (value.kind === "tensor") held.add(value.node);
    if (value.kind === "sequence") for (const item of value.items) note(item.value);
    if (value.kind === "dict") for (const item of value.entries.values()) note(item.value);
    if (value.kind === "object") for (const field of value.object.fields.values()) note(field);
  };
  if (result.shown) note(result.shown);
  for (const [name, bindings] of scope.names) if (name !== "_") note(bindings.at(-1)!.value);
  return held;
}

/** Computed values that nothing reads which anybody wants: those of `held`, or all where that is null. What has a side effect is wanted. */
function unreadOf(interpreter: Interpreter, held: ReadonlySet<NodeId> | null): readonly NodeId[] {
  const read = new Set<NodeId>();
  const unread: NodeId[] = [];
  for (const node of [...interpreter.nodes.values()].toReversed()) {
    const { id, inputs, label, op, groups } = node;
    const isWanted = held === null || held.has(id) || opDef(op).kind === "opaque";
    const isRead = read.has(id);
    // What is there for others and read by none of them reads nothing, nor does what a def computes for nobody.
    const isIdle = isSpare(interpreter, id) || (!isWanted && groups.some(({ kind }) => kind === "def"));
    if (!isRead && isIdle) continue;
    // What is called `_` is wanted by nobody.
    if (!isRead && isWanted && !isSource(node) && label !== "_") unread.unshift(id);
    for (const input of inputs) read.add(input);
  }
  return unread;
}

/** Lines whose values have no name and are no results. */
function warnDropped({ nodes, sites, diagnostics }: Interpreter, outputs: ReadonlySet<NodeId>): void {
  const read = new Set([...nodes.values()].flatMap(({ inputs }) => inputs));
  for (const [id, { run, expr }] of sites) {
    const { statement, root } = run;
    if (statement.kind !== "expression" || root !== id || bare(statement.value) !== bare(expr)) continue;
    if (!nodes.has(id) || outputs.has(id) || read.has(id)) continue;
    diagnostics.add("no-effect", statement.span, "This line has no effect: give the value a name.", {
      severity: "warning",
    });
  }
}

/** Whether it is there for others only: a part of a call, or what a class or an object made while it was made. */
const isSpare = ({ spare, partOf }: Interpreter, id: NodeId): boolean => spare.has(id) || partOf.has(id);

/** Takes out what is there for others and nothing reads. */
export function withoutSpares(interpreter: Interpreter, outputs: readonly NodeId[]): void {
  const { nodes } = interpreter;
  const readers = new Map<NodeId, number>();
  for (const { inputs } of nodes.values()) for (const id of inputs) readers.set(id, (readers.get(id) ?? 0) + 1);
  const shown = new Set(outputs);
  const gone = new Set<NodeId>();
  for (const [id, node] of [...nodes].toReversed()) {
    if (shown.has(id) || (readers.get(id) ?? 0) > 0 || !isSpare(interpreter, id)) continue;
    for (const input of node.inputs) {
      readers.set(input, readers.get(input)! - 1);
      if (isLiteral(nodes.get(input)!)) interpreter.spare.add(input);
    }
    nodes.delete(id);
    interpreter.sites.delete(id);
    interpreter.partOf.delete(id);
    gone.add(id);
  }
  if (gone.size > 0) for (const symbol of interpreter.symbols.values()) symbol.forget(gone);
}

/** What went wrong while an object was made, and that nothing reads. */
export function warnUnread({ makings, diagnostics }: Interpreter): void {
  for (const { late } of makings)
    for (const { code, span, text } of late)
      diagnostics.add(code, span, `${text} Nothing reads what this line makes, so it is left out.`, {
        severity: "warning",
      });
}

/** A `.backward()` whose gradients nothing reads: they are no results by themselves. */
export function warnUnreadGradients({ optimizing, nodes, symbols, diagnostics }: Interpreter): void {
  const { backwardAt } = optimizing;
  if (!backwardAt || diagnostics.hasErrors) return;
  if ([...nodes.values()].some(({ phase }) => phase === "backward")) return;
  const learns = [...symbols.values()].find(({ node }) => {
    const of = node && nodes.get(node);
    return of && isInput(of) && of.type.dtype.startsWith("f");
  });
  const name = learns?.name ?? "w";
  diagnostics.add(
    "unused-value",
    backwardAt,
    `Nothing reads a gradient after this line, so none is computed. To see the backward pass, return one: \`return ${name}.grad\`.`,
    { severity: "warning" },
  );
}

/** What comes after the program: its outputs, and names that the next step begins with. */
interface AfterProgram {
  readonly outputs: readonly NodeId[];
  readonly names: ReadonlySet<SymbolRecord>;
}

function isUsed(interpreter: Interpreter, symbol: SymbolRecord, outputs: ReadonlySet<NodeId>): boolean {
  // A name that the reader gives stands nowhere.
  if (symbol.definition.from === symbol.definition.to) return true;
  if (symbol.uses.length > 0 || symbol.isRead || symbol.name.startsWith("_")) return true;
  if (interpreter.readEarly.has(symbol.name)) return true;
  if (symbol.kind === "loop" || symbol.kind === "parameter") return true;
  if (["broken", "self", "object"].includes(symbol.value.kind)) return true;
  // Where nothing is computed, the class waits for its call.
  if (symbol.value.kind === "class" && outputs.size === 0) return true;
  if (tensorsIn(symbol.value).some((id) => outputs.has(id))) return true;
  const { node } = symbol;
  return node !== null && (outputs.has(node) || interpreter.nodes.get(node)?.op === "hole");
}

/** What the program returns, and `name` as well; null where it is no plain list of values, or the value is one of a def. */
function returnedToo({ text, statements }: Interpreter, { name, statement }: SymbolRecord): TextEdit | null {
  const last = statements.findLast((each) => each.kind === "return");
  const end = last?.kind === "return" ? last.values.at(-1)?.span.to : undefined;
  if (end === undefined || !statements.includes(statement) || !/^[ \t]*(#|\n|$)/.test(text.slice(end))) return null;
  return { span: { from: end, to: end }, insert: `, ${name}` };
}

/** "m is never used", with a fix that removes its line where the line is the definition alone. */
export function warnUnused(
  interpreter: Interpreter,
  { outputs, names }: AfterProgram,
  returns: boolean,
  main: DefStatement | null,
): void {
  const lines = linesOf(interpreter.text);
  const shown = new Set(outputs);
  for (const symbol of interpreter.symbols.values()) {
    if (names.has(symbol) || isUsed(interpreter, symbol, shown) || (main && symbol.definition === main.name.span))
      continue;
    const { name, kind, definition, statement } = symbol;
    const alone =
      statement.kind === "assign" && statement.targets.length === 1 && statement.targets[0]!.span.to === definition.to;
    const line = lines.lineAt(definition.from);
    const removable = alone || (statement.kind === "def" && statement.name.span === definition);
    const span = wholeLines(interpreter.text, statement.span);
    const text =
      kind === "def"
        ? `\`${name}\` is never called.`
        : `\`${name}\` is never used.${returns && kind === "value" ? " It is not returned either." : ""}`;
    const too = returns && kind === "value" && symbol.node ? returnedToo(interpreter, symbol) : null;
    interpreter.diagnostics.add("unused-value", definition, text, {
      severity: "warning",
      ...(symbol.node ? { nodes: [symbol.node] } : {}),
      fixes: [
        ...(too ? [{ title: `Return ${name}, too`, edits: [too] }] : []),
        ...(removable
          ? [
              {
                title:
                  lines.lineAt(span.to - 1) > line
                    ? `Remove lines ${line} to ${lines.lineAt(span.to - 1)}`
                    : `Remove line ${line}`,
                edits: [{ span, insert: "" }],
              },
            ]
          : []),
      ],
    });
  }
}
