/** @file What stands after a dot without brackets: `.T`, `.shape`, `torch.pi`; and the methods that answer sizes. */
import { canBegin } from "../statements/starting-values";
import { ownModule } from "../reading/own-modules";
import { dottedName, lastNameOf } from "../reading/syntax";
import { type DType, sizeOf, type TensorType } from "../../ir";
import { noteView } from "./memory";
import { requiresGrad, warnUntracked } from "../objects/parameters";
import { findOp, opDef, withDefaults } from "../../ops";
import { applyOp, scalarNode } from "./apply";
import { dialectIn } from "./dialect";
import { gradOf } from "./transforms";
import type { Interpreter, StatementRun } from "../interpreter";
import { toNode, typeOf } from "../interpreter";
import { isParameterClass } from "../layers/weights";
import { DTYPES, joinsParts, MODULES, OTHER_DTYPES, PREFIXED_NUMBERS } from "./names";
import { isLayer, layerMember } from "../layers/layer";
import { initializerDef, INITIALIZERS, libraryClass, libraryDef, libraryScope, moduleDef } from "../library/library";
import { indicesBeside } from "./multi-results";
import { isPair } from "./pairs";
import { attributeOf, classMember } from "../objects/attributes";
import { unknownAttribute } from "../objects/classes";
import { isHandedOn } from "../objects/methods";
import { scheduledGroups } from "../objects/optimizers";
import { nearest } from "../suggest";
import { Diagnostics } from "../reading/diagnostics";
import { readProgram } from "../reading/read";
import { bare, calledAt, type Expr, type Identifier, type MemberExpr } from "../reading/syntax";
import {
  BROKEN,
  isBroken,
  isScalarTensor,
  NONE,
  numberValue,
  type Operand,
  Scope,
  SymbolRecord,
  tensorValue,
  type Value,
} from "../values/values";

interface At {
  readonly path: string;
  readonly expr: Expr;
}

const sizes = (type: TensorType): Value => ({
  kind: "sequence",
  items: type.shape.map((extent) => ({ value: numberValue(extent, true), path: "", expr: null })),
});

/** `x.size()`, `x.size(-1)`, `x.dim()`, `x.numel()`: constants. Null when `name` is none of them. */
export function sizeMethod(
  interpreter: Interpreter,
  name: Identifier,
  type: TensorType,
  args: readonly Operand[],
  unknown: boolean,
): Value | null {
  if (name.text !== "size" && name.text !== "dim" && name.text !== "numel" && name.text !== "ndimension") return null;
  if (unknown) return BROKEN;
  if (name.text === "numel")
    return numberValue(
      type.shape.reduce((product, extent) => product * extent, 1),
      true,
    );
  if (name.text !== "size") return numberValue(type.shape.length, true);
  const [axis] = args;
  if (!axis) return sizes(type);
  if (axis.value.kind !== "number") return BROKEN;
  const extent = type.shape.at(axis.value.value);
  if (extent !== undefined) return numberValue(extent, true);
  interpreter.diagnostics.add(
    "bad-axis",
    axis.expr?.span ?? name.span,
    `There is no axis ${axis.value.value}: the tensor has ${type.shape.length}.`,
  );
  return BROKEN;
}

/** A cast node. */
export function castTo(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: At,
  x: Operand,
  dtype: DType,
): Value {
  const op = opDef("cast");
  return applyOp(interpreter, run, { op, path, expr }, { tensors: [x], attrs: withDefaults(op, { dtype }) });
}

function transposed(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: At,
  x: Operand,
  perm: readonly number[],
): Value {
  const op = opDef("transpose");
  return applyOp(interpreter, run, { op, path, expr }, { tensors: [x], attrs: withDefaults(op, { perm }) });
}

/** `x.T`: all axes reversed. */
export function transposeAll(interpreter: Interpreter, run: StatementRun, at: At, x: Operand): Value {
  if (x.value.kind !== "tensor") return { kind: "hole" };
  const rank = typeOf(interpreter, x.value.node).shape.length;
  if (interpreter.unknown.has(x.value.node) || rank < 2)
    return rank < 2 && !interpreter.unknown.has(x.value.node) ? x.value : transposed(interpreter, run, at, x, [1, 0]);
  return transposed(
    interpreter,
    run,
    at,
    x,
    Array.from({ length: rank }, (_, i) => rank - 1 - i),
  );
}

function lastTwoSwapped(interpreter: Interpreter, run: StatementRun, at: At, x: Operand, type: TensorType): Value {
  const rank = type.shape.length;
  if (rank < 2) {
    interpreter.diagnostics.add(
      "bad-rank",
      at.expr.span,
      "`.mT` swaps the last two axes; this tensor has fewer than two.",
    );
    return BROKEN;
  }
  const perm = Array.from({ length: rank }, (_, i) => (i === rank - 1 ? rank - 2 : i === rank - 2 ? rank - 1 : i));
  return transposed(interpreter, run, at, x, perm);
}

/** What libraries have by that name; null where none has it. */
function inLibraries(name: string): Value | null {
  if (name === "newaxis") return NONE;
  const number = PREFIXED_NUMBERS.get(name);
  if (number !== undefined) return numberValue(number, false);
  const dtype = DTYPES.get(name);
  if (dtype) return { kind: "dtype", dtype };
  if (isLayer(name)) return { kind: "layer-class", name };
  const of = libraryClass(name);
  if (of) return { kind: "class", of };
  if (OTHER_DTYPES.test(name) || isParameterClass(name)) return { kind: "string", value: name };
  if (MODULES.has(name) || joinsParts(name)) return { kind: "module", name };
  const op = findOp(name);
  return op && op.kind !== "source" ? { kind: "op", op } : null;
}

/** What `import a.b as c` gives the name c; null where no library known here has it. */
export function imported(path: readonly string[]): Value | null {
  const last = path.at(-1) ?? "";
  const def = libraryDef(last, null);
  if (!MODULES.has(path[0] ?? "")) return null;
  if (ownModule(path.join(".")) !== null) return { kind: "module", name: path.join(".") };
  if (ownModule(path.slice(0, -1).join(".")) !== null) return moduleDef(path.slice(0, -1).join("."), last);
  return inLibraries(last) ?? (def && { kind: "def", def, scope: libraryScope() });
}

/** The library that a name stands for where nothing else is bound to it: `torch`, or `f` after `import torch.nn.functional as f`. */
export function prefixOf(scope: Scope, name: string): string | null {
  const bound = scope.find(name)?.value;
  if (!bound) return MODULES.has(name) ? name : null;
  return bound.kind === "module" ? bound.name : null;
}

const HOW = /^(Precision|checkpoint_policies|DotAlgorithmPreset|GatherScatterMode|MemoryFormat)$/;

/** The name after a prefix. */
function prefixed(interpreter: Interpreter, { name, span, object }: MemberExpr): Value {
  const draws = object.kind === "member" && INITIALIZERS.has(object.name.text) ? initializerDef(name.text) : null;
  if (draws) return { kind: "def", def: draws, scope: libraryScope() };
  const found = moduleDef(dottedName(object), name.text) ?? inLibraries(name.text);
  if (found) return found;
  // What says how something is computed, and changes no value.
  if (HOW.test(lastNameOf(object))) return { kind: "string", value: name.text };
  interpreter.diagnostics.add("unknown-name", span, `Nothing is called \`${name.text}\` here.`);
  return BROKEN;
}

/** A hole that is asked for a member is a node of its own. */
export const filled = (interpreter: Interpreter, run: StatementRun, operand: Operand): Operand =>
  operand.value.kind === "hole" ? { ...operand, value: tensorValue(toNode(interpreter, run, operand, [])) } : operand;

/** The value of `object.name`; `object` is null when the whole is a prefixed name. */
export function memberValue(
  interpreter: Interpreter,
  run: StatementRun,
  expr: MemberExpr,
  receiver: Operand | null,
  path: string,
): Value {
  const { name } = expr;
  if (!receiver) return prefixed(interpreter, expr);
  const object = filled(interpreter, run, receiver);
  if (isBroken(object.value)) return BROKEN;
  if (isScalarTensor(object.value))
    return memberValue(
      interpreter,
      run,
      expr,
      { ...object, value: scalarNode(interpreter, run, { path, expr }, object.value) },
      path,
    );
  if (object.value.kind === "self") return selfMember(interpreter, run, expr);
  const own = memberOf(interpreter, run, object.value, expr, path);
  if (own) return own;
  if (object.value.kind === "dict") return entryOf(interpreter, name, object.value.entries);
  // PyTorch's answers of several have names: `torch.kthvalue(x, 3).values`.
  const named = object.value.kind === "sequence" ? (object.value.names?.indexOf(name.text) ?? -1) : -1;
  if (object.value.kind === "sequence" && named >= 0) return object.value.items[named]!.value;
  // A loader of data is the list of its batches.
  if (object.value.kind === "sequence" && name.text === "dataset") return object.value;
  // The member of an enumeration stands for its value.
  if (name.text === "value" && /^(string|number|bool|sequence)$/.test(object.value.kind)) return object.value;
  // `x.device.type`
  if (object.value.kind === "string" && name.text === "type") return object.value;
  if (object.value.kind !== "tensor") {
    interpreter.diagnostics.add(
      "bad-member",
      name.span,
      `\`.${name.text}\` stands after something that is not a tensor.`,
    );
    return BROKEN;
  }
  const type = typeOf(interpreter, object.value.node);
  const unknown = interpreter.unknown.has(object.value.node);
  const at = { path, expr };
  switch (name.text) {
    case "T":
    case "H":
      return transposeAll(interpreter, run, at, object);
    case "mT":
    case "mH":
      return lastTwoSwapped(interpreter, run, at, object, type);
    case "shape":
      return unknown ? BROKEN : sizes(type);
    case "ndim":
      return unknown ? BROKEN : numberValue(type.shape.length, true);
    case "size":
      if (dialectIn(interpreter) === "jax" && !unknown) return numberValue(sizeOf(type.shape), true);
      unknownMember(interpreter, name);
      return BROKEN;
    case "dtype":
      return { kind: "dtype", dtype: type.dtype };
    case "grad":
      warnUntracked(interpreter, expr.span, object.value.node);
      return gradOf(interpreter, run, expr, object.value.node);
    case "values":
    case "indices": {
      if (name.text === "values" && (object.value.isPair || isPair(interpreter, object.value.node)))
        return tensorValue(object.value.node);
      const indices = indicesBeside(interpreter, run, object.value.node, path);
      if (indices) return indices;
      unknownMember(interpreter, name);
      return BROKEN;
    }
    case "data":
      return dataOf(interpreter, run, at, object);
    case "value":
    case "real":
      return object.value;
    case "device":
      return { kind: "string", value: "device" };
    case "requires_grad":
      return { kind: "bool", value: requiresGrad(interpreter, object.value.node) };
    case "is_cuda":
      return { kind: "bool", value: false };
    case "itemsize":
      return numberValue(type.dtype === "f16" ? 2 : 4, true);
    default:
      unknownMember(interpreter, name);
      return BROKEN;
  }
}

const DATA_WRITES = [
  // `w.data -= g`, `w.data[0] = 1`, `w.data.mul_(2)`, `nn.init.zeros_(w.data)`
  /\.data\b\s*(?:\[[^\]\n]*\]\s*)*(?:[-+*/@|&]|\*\*|\/\/)?=(?!=)/,
  /\.data\b(?:\[[^\]\n]*\])?\.\w+_\(/,
  /_\([^()\n]*\.data\b/,
];
/** It is handed on or gets a name, and something is written in place. */
const HANDED_ON = /(?:=|\(|,)\s*[\w.[\]]+\.data\s*(?:$|\)|,|#)/m;
const IN_PLACE = /\w_\(|[-+*/]=|\]\s*=(?!=)/;

/** Whether a text may write into parameters by their `.data`: then that is the parameter itself. */
const mayWriteData = (text: string): boolean =>
  DATA_WRITES.some((pattern) => pattern.test(text)) || (HANDED_ON.test(text) && IN_PLACE.test(text));

/** `x.data`: the same memory, which no derivative passes through; a parameter's is written to. */
function dataOf(interpreter: Interpreter, run: StatementRun, { path, expr }: At, object: Operand): Value {
  const { value } = object;
  const { nodes, optimizing, keepsWeights, weightOf } = interpreter;
  if (value.kind !== "tensor" || keepsWeights || nodes.off) return value;
  const isParameter = canBegin(interpreter, value.node) || optimizing.first.has(value.node) || weightOf.has(value.node);
  if (isParameter && mayWriteData(interpreter.text)) return value;
  const op = opDef("stop_gradient");
  const still = applyOp(interpreter, run, { op, path, expr }, { tensors: [object], attrs: {} });
  noteView(interpreter, value, still);
  return still;
}

/** `block.fc`, `Block.expansion`, `fc.weight`; null of anything else. */
function memberOf(
  interpreter: Interpreter,
  run: StatementRun,
  value: Value,
  expr: MemberExpr,
  path: string,
): Value | null {
  const { name } = expr;
  if (value.kind === "object") {
    const { object } = value;
    const call = calledAt(expr);
    const scheduled =
      name.text === "param_groups" ? scheduledGroups(interpreter, run, { path, expr: call }, object) : null;
    const found = scheduled ?? attributeOf(interpreter, run, object, name, { path, expr });
    if (found) return found;
    if (isHandedOn(name.text)) return { kind: "module-method", object, name: name.text };
    unknownAttribute(interpreter, object.of, object.fields.keys(), name);
    return BROKEN;
  }
  if (value.kind === "class") return classMember(interpreter, value.of, name);
  if (value.kind === "layer") return layerMember(interpreter, run, value.layer, name, path);
  // The value of an Enum's member is written as the member.
  if (value.kind === "string" || value.kind === "number") return name.text === "value" ? value : null;
  const word = value.kind === "def" ? value.def.name.text : value.kind === "layer-class" ? value.name : null;
  return word !== null && name.text === "__name__" ? { kind: "string", value: word } : null;
}

/** `max(table, key=table.get)`: the method as a function. */
function lookupIn(entries: ReadonlyMap<string, Operand>): Value {
  const [statement] = readProgram("lambda key, *usual: table.get(key, *usual)", new Diagnostics(), Infinity).statements;
  const expr = statement?.kind === "expression" ? bare(statement.value) : null;
  if (expr?.kind !== "lambda") return BROKEN;
  const scope = new Scope(null, "");
  const { span } = expr;
  const symbol = new SymbolRecord("table", "value", span, statement!, "");
  scope.bind("table", { step: 0, value: { kind: "dict", entries }, symbol });
  return { kind: "def", def: expr.def, scope };
}

/** `options.eps`: an entry by its name. */
function entryOf(interpreter: Interpreter, { text, span }: Identifier, entries: ReadonlyMap<string, Operand>): Value {
  const found = entries.get(text);
  if (found) return found.value;
  if (text === "get") return lookupIn(entries);
  interpreter.missing.add(text);
  interpreter.diagnostics.add(
    "unknown-member",
    span,
    `It has ${[...entries.keys()].map((key) => `.${key}`).join(", ") || "no entries"}, not .${text}.`,
  );
  return BROKEN;
}

function unknownMember(interpreter: Interpreter, name: Identifier): void {
  const op = findOp(name.text);
  const near = nearest(name.text, ["T", "mT", "shape", "ndim", "dtype"]);
  const advice = op
    ? `It is called with brackets: .${name.text}().`
    : near
      ? `Did you mean \`.${near}\`?`
      : "It has .T, .mT, .shape, .ndim and .dtype.";
  const fixes = op
    ? [{ title: "Add ()", edits: [{ span: { from: name.span.to, to: name.span.to }, insert: "()" }] }]
    : near
      ? [{ title: `Change to ${near}`, edits: [{ span: name.span, insert: near }] }]
      : [];
  interpreter.diagnostics.add("unknown-member", name.span, `A tensor has no \`.${name.text}\`. ${advice}`, { fixes });
}

/** `self.w`: the weight becomes a parameter of the pasted method. */
function selfMember(interpreter: Interpreter, run: StatementRun, { name, span }: MemberExpr): Value {
  const def = run.frame.defs.at(-1);
  const last = def?.params.at(-1);
  const have = def?.params.some((param) => param.name.text === name.text) === true;
  const replace = { span, insert: name.text };
  const declare =
    last && !have
      ? [{ span: { from: last.span.to, to: last.span.to }, insert: `, ${name.text}: f32[1024, 1024]` }]
      : [];
  interpreter.diagnostics.add(
    "self",
    span,
    `\`self.${name.text}\` is not here: make it a parameter, \`${name.text}: f32[…]\`.`,
    {
      fixes: [{ title: `Make ${name.text} a parameter`, edits: [...declare, replace] }],
    },
  );
  return BROKEN;
}
