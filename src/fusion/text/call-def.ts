/** @file A call of a user's def: its body runs again with the arguments as names. */
import type { Span } from "../ir";
import type { GivenArgument } from "./bind";
import type { Machine, Place, Turn } from "./machine";
import { mayGoOn, toNode } from "./machine";
import { Scope } from "./scope";
import { nearest } from "./suggest";
import { bindName } from "./symbols";
import type { CallExpr, DefStatement, ParamDecl } from "./syntax";
import { bare } from "./syntax";
import type { Slot, Value } from "./values";
import { BROKEN, literalValue, tensorValue } from "./values";

/** Deeper than people nest calls; keeps the engine's own stack small. */
const DEEPEST_CALLS = 40;

interface DefCall {
  readonly def: DefStatement;
  readonly scope: Scope;
  readonly expr: CallExpr;
  readonly path: string;
}

const loose = (value: Value): Slot => ({ value, path: "", expr: null });

/** What positions and keywords are left over, for `*args` and `**kwargs`. */
interface Rest {
  readonly items: Slot[];
  readonly entries: Map<string, Slot>;
}

/** The value of a default; anything but a literal is read where the def was written. */
function defaultOf(
  machine: Machine,
  place: Place,
  { def, scope, path }: DefCall,
  { name, value }: ParamDecl,
): Slot | null {
  if (!value) return null;
  const turn = { ...place.turn, scope };
  const at = `${path}/${def.name.text}.${name.text}`;
  return loose(literalValue(bare(value)) ?? machine.valueOf({ ...place, turn }, value, at));
}

function bindParams(
  machine: Machine,
  place: Place,
  call: DefCall,
  args: readonly GivenArgument[],
): Map<ParamDecl, Slot> | null {
  const { def, expr } = call;
  const found = new Map<ParamDecl, Slot>();
  const rest: Rest = { items: [], entries: new Map() };
  const { problems } = machine;
  let ok = true;
  const wrong = (code: string, span: Span, text: string): void => {
    ok = false;
    problems.add(code, span, text);
  };
  const all = def.params.filter((param) => param.name.text !== "self");
  const [items, entries] = ["items", "entries"].map((kind) => all.find(({ starred }) => starred === kind));
  const params = all.filter(({ starred }) => !starred);
  const open = params.filter(({ keyword }) => !keyword);
  let next = 0;
  for (const { name, slot, span } of args) {
    const param = name ? params.find((candidate) => candidate.name.text === name.text) : open[next++];
    if (param) found.set(param, slot);
    else if (name && entries) rest.entries.set(name.text, slot);
    else if (!name && items) rest.items.push(slot);
    else if (name) {
      const near = nearest(
        name.text,
        params.map((candidate) => candidate.name.text),
      );
      wrong(
        "unknown-argument",
        name.span,
        `${def.name.text} has no parameter \`${name.text}\`.${near ? ` Did you mean \`${near}\`?` : ""}`,
      );
    } else
      wrong("too-many-arguments", span, `${def.name.text} takes ${open.length} arguments; this is number ${next}.`);
  }
  for (const param of params) {
    if (found.has(param)) continue;
    const slot = defaultOf(machine, place, call, param);
    if (slot) found.set(param, slot);
    else wrong("missing-argument", expr.callee.span, `${def.name.text} still needs \`${param.name.text}\`.`);
  }
  if (items) found.set(items, loose({ kind: "sequence", items: rest.items }));
  if (entries) found.set(entries, loose({ kind: "dict", entries: rest.entries }));
  return ok ? materialised(machine, place, found) : null;
}

/** A hole that is passed becomes one node, however often the body reads it. */
function materialised(machine: Machine, place: Place, found: Map<ParamDecl, Slot>): Map<ParamDecl, Slot> {
  for (const [param, slot] of found) {
    if (slot.value.kind === "hole") found.set(param, { ...slot, value: tensorValue(toNode(machine, place, slot, [])) });
  }
  return found;
}

/** The value `def` returns for `args`. Its nodes carry the call's instance as group and prefix. */
export function callDef(machine: Machine, place: Place, call: DefCall, args: readonly GivenArgument[]): Value {
  const { def, expr } = call;
  const { turn } = place;
  if (turn.defs.includes(def) || turn.defs.length >= DEEPEST_CALLS) {
    const text = turn.defs.includes(def)
      ? `\`${def.name.text}\` calls itself: a graph has no recursion. Write the calls out.`
      : `Calls are nested more than ${DEEPEST_CALLS} deep.`;
    machine.problems.add("recursion", expr.callee.span, text);
    return BROKEN;
  }
  const bound = bindParams(machine, place, call, args);
  if (!bound || !mayGoOn(machine, expr.span)) return BROKEN;
  const calls = `${place.root}/${def.name.text}`;
  const number = machine.defCalls.get(calls) ?? 0;
  machine.defCalls.set(calls, number + 1);
  const id = `${calls}#${number}`;
  const group = { kind: "def", id, label: def.name.text } as const;
  const inner: Turn = {
    scope: new Scope(call.scope, def.name.text),
    prefix: `${id}/`,
    groups: [...turn.groups, group],
    versions: new Map(),
    defs: [...turn.defs, def],
    result: { values: null },
  };
  for (const [param, slot] of bound) {
    bindName(
      machine,
      { ...place, turn: inner },
      { kind: "name", name: param.name.text, span: param.name.span },
      slot.value,
      "parameter",
    );
  }
  // A keyword is a use of the parameter's name: a rename must reach it.
  for (const { name } of args) if (name) inner.scope.find(name.text)?.symbol.addUse(name.span);
  machine.runBody(def.body, inner);
  const value = resultOf(machine, def, inner, expr);
  machine.calls.push({ ...group, span: expr.span, result: value.kind === "tensor" ? value.node : null, expr, place });
  return value;
}

function resultOf(machine: Machine, def: DefStatement, inner: Turn, expr: CallExpr): Value {
  const { values } = inner.result;
  if (!values) {
    if (!machine.stopped)
      machine.problems.add("no-return", def.name.span, `\`${def.name.text}\` returns nothing: end it with return.`);
    return BROKEN;
  }
  if (values.length === 1) return values[0]!.value;
  return { kind: "sequence", items: values.map((slot) => ({ ...slot, expr })) };
}
