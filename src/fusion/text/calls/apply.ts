/** @file One call of an op becomes a node, or several when the op is a composite. */
import {
  type Attrs,
  type Checked,
  type Diagnostic,
  type DType,
  findNode,
  type NodeId,
  type Span,
  type TensorType,
} from "../../ir";
import { normalAxis, numberOf, opDef, withDefaults, type CompositeDef, type OpDef } from "../../ops";
import { stackedRows } from "../statements/loop-rows";
import type { Bound } from "./bind";
import { expand, expandWith, meant, noneOr } from "./expand";
import { refusesOperands } from "./refused";
import { noteAlike } from "./wanted";
import {
  addNode,
  bindingName,
  type Interpreter,
  type OperandSource,
  type StatementRun,
  toNode,
  typeOf,
} from "../interpreter";
import { bare, type Expr } from "../reading/syntax";
import { BROKEN, isScalarTensor, type Operand, tensorValue, type Value } from "../values/values";

const STACK = opDef("stack");
const CAST = opDef("cast");

type Fixes = NonNullable<Diagnostic["fixes"]>;

const transposed = ({ dtype, shape }: TensorType): TensorType => ({ dtype, shape: shape.toReversed() });

/** Where shapes clash, small changes that would make them fit, as edits: each matrix operand is tried transposed, the right one first, as the message has it. */
function fixesFor(
  interpreter: Interpreter,
  op: OpDef | CompositeDef,
  bound: Bound,
  types: readonly (TensorType | null)[],
): Fixes {
  if (op.kind === "composite" || op.kind !== "contraction") return [];
  const known = types.filter((type) => type !== null);
  const fixes = bound.tensors.flatMap((operand, i) => {
    const { expr } = operand ?? {};
    if (!expr || known[i]?.shape.length !== 2) return [];
    const tried = op.infer(known.with(i, transposed(known[i])), bound.attrs);
    if (!tried.ok) return [];
    const simple = expr.kind === "name" || expr.kind === "paren" || expr.kind === "member" || expr.kind === "call";
    const source = interpreter.text.slice(expr.span.from, expr.span.to);
    const insert = simple ? `${source}.T` : `(${source}).T`;
    return [{ title: `Use ${insert}`, edits: [{ span: expr.span, insert }] }];
  });
  return fixes.toReversed();
}

export interface Call {
  readonly op: OpDef | CompositeDef;
  readonly path: string;
  readonly expr: Expr;
}

/** What the user calls an operand: its name, or its source when that is short. */
function nameOf(interpreter: Interpreter, operand: Operand | null, node: NodeId | null): string {
  const expr = operand?.expr ? bare(operand.expr) : null;
  if (expr) {
    const source = interpreter.text.slice(expr.span.from, expr.span.to);
    return source.length <= 24 && !source.includes("\n") ? source : `${source.slice(0, 22).split("\n")[0]!.trimEnd()}…`;
  }
  return node === null ? "nothing" : (interpreter.nodes.get(node)?.label ?? node);
}

/** Node inputs; literals take the dtype of the tensors beside them. */
function nodesOf(
  interpreter: Interpreter,
  run: StatementRun,
  operands: readonly (Operand | null)[],
): (NodeId | null)[] {
  const partners: DType[] = [];
  for (const operand of operands) {
    if (operand?.value.kind === "tensor" && !interpreter.unknown.has(operand.value.node))
      partners.push(typeOf(interpreter, operand.value.node).dtype);
  }
  return operands.map((operand) => operand && toNode(interpreter, run, operand, partners));
}

/** A guess for what reads a hole: the first operand whose type is known. */
function guess(interpreter: Interpreter, inputs: readonly (NodeId | null)[]): TensorType {
  const known = inputs.find((id) => id !== null && !interpreter.unknown.has(id));
  return known ? typeOf(interpreter, known) : { dtype: "f32", shape: [] };
}

interface Made {
  readonly inputs: readonly (NodeId | null)[];
  readonly attrs: Attrs;
  readonly type: TensorType;
}

/** @param open the guessed type when an operand is a hole, else null */
function build(
  interpreter: Interpreter,
  run: StatementRun,
  { op, path, expr }: Call,
  made: Made,
  open: TensorType | null,
): NodeId {
  const label = bindingName(run, path) ?? op.name;
  const span: Span = path === run.root ? run.statement.span : expr.span;
  const { groups } = run.frame;
  if (op.kind === "composite") {
    const result = expand(interpreter, { id: path, label, groups, span, open }, op, made.inputs, made.attrs);
    interpreter.calls.push({ kind: "composite", id: path, label: op.name, span: expr.span, result, expr, run });
    return result;
  }
  const inputs = made.inputs.filter((id) => id !== null);
  if (inputs.length > (op.movement?.joins?.most ?? Infinity)) {
    return expandWith(interpreter, { id: path, label, groups, span, open }, op.name, (b) =>
      b.op("whole", op.name, inputs, made.attrs),
    );
  }
  const viewed = op.movement?.free ? interpreter.nodes.get(inputs[0]!) : undefined;
  const id = addNode(interpreter, {
    id: path,
    ...meant(op, made.attrs, viewed, made.type),
    inputs,
    type: made.type,
    label,
    groups,
    span,
  });
  if (open) interpreter.unknown.add(id);
  return id;
}

/** The type of a result that keeps the dtype of what the op folds or writes into. */
function keptType(
  op: OpDef | CompositeDef,
  types: readonly (TensorType | null)[],
  type: TensorType,
  asked: unknown,
): TensorType {
  // A range in halves is made in floats and rounded.
  if (asked === "f16" && op.kind === "elementwise" && types.length === 0) return { ...type, dtype: asked };
  const given = types.filter((each) => each !== null);
  const { keeps } = op;
  const isKept = keeps === "dtype" || (keeps === "truths" && given.every(({ dtype }) => dtype === "bool"));
  return isKept ? { ...type, dtype: given[0]!.dtype } : type;
}

function inferType(
  op: OpDef | CompositeDef,
  types: readonly (TensorType | null)[],
  attrs: Attrs,
  names?: readonly string[],
): Checked<TensorType> {
  return op.kind === "composite"
    ? op.infer(types, attrs, names)
    : op.infer(
        types.filter((type) => type !== null),
        attrs,
        names,
      );
}

/** Makes the node(s) of a call whose arguments are bound. Broken, with a diagnostic, when shapes or dtypes don't fit. */
export function applyOp(interpreter: Interpreter, run: StatementRun, written: Call, bound: Bound): Value {
  const { expr } = written;
  if (refusesOperands(interpreter, written.op, expr, bound.tensors)) return BROKEN;
  const inputs = nodesOf(interpreter, run, bound.tensors);
  const types = inputs.map((id) => noneOr(id, (known) => typeOf(interpreter, known)));
  const { ofTruths } = written.op;
  const areTruths = ofTruths !== undefined && types.every((type) => type?.dtype === "bool");
  const op = areTruths ? opDef(ofTruths) : written.op;
  const call = { ...written, op };
  const uncertain = interpreter.unknown.size > 0 && inputs.some((id) => id !== null && interpreter.unknown.has(id));
  if (uncertain && op.kind === "elementwise") noteAlike(interpreter, inputs);
  const inferred = inferType(op, types, bound.attrs);
  if (!inferred.ok && !uncertain) {
    // Asked again with the user's names, for the message only.
    const names = inputs.map((id, i) => nameOf(interpreter, bound.tensors[i] ?? null, id));
    const refused = inferType(op, types, bound.attrs, names);
    interpreter.diagnostics.add(inferred.code, expr.span, sentence(refused.ok ? inferred.text : refused.text), {
      nodes: inputs.filter((id) => id !== null),
      fixes: fixesFor(interpreter, op, bound, types),
      ...(inferred.code === "shape-mismatch" && { raises: ["RuntimeError", "ValueError", "TypeError"] }),
    });
    return BROKEN;
  }
  const type = inferred.ok ? keptType(op, types, inferred.value, bound.attrs["dtype"]) : guess(interpreter, inputs);
  // Rows of a loop that stand side by side again are the tensor that the loop gave.
  if (op === STACK && !inputs.includes(null)) {
    const axis = normalAxis(numberOf(bound.attrs["axis"], 0), type.shape.length);
    const rows = stackedRows(
      interpreter,
      run,
      inputs.filter((id) => id !== null),
      axis,
      call.path,
    );
    if (rows !== null) return tensorValue(rows);
  }
  const made = { inputs, attrs: bound.attrs, type };
  const isKept = inferred.ok && inferred.value.dtype !== type.dtype;
  const node = isKept
    ? converted(interpreter, run, call, made, inferred.value)
    : build(interpreter, run, call, made, uncertain ? type : null);
  if (inputs.includes(node)) return tensorValue(node);
  const operands: OperandSource[] = inputs.map((id, i) => ({ node: id, expr: bound.tensors[i]?.expr ?? null }));
  interpreter.sites.set(node, { node, expr, run, param: null, op, attrs: bound.attrs, operands });
  return tensorValue(node);
}

/** The result of a call in the dtype of `made`: what it computes is `whole`. */
function converted(interpreter: Interpreter, run: StatementRun, call: Call, made: Made, whole: TensorType): NodeId {
  const path = `${call.path}/whole`;
  const node = build(interpreter, run, { ...call, path }, { ...made, type: whole }, null);
  const attrs = withDefaults(CAST, { dtype: made.type.dtype });
  return build(interpreter, run, { ...call, op: CAST }, { inputs: [node], attrs, type: made.type }, null);
}

const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** An expression that takes several primitives, such as an index. Its operand is `operands[0]`. */
export function applyParts(
  interpreter: Interpreter,
  run: StatementRun,
  call: { path: string; expr: Expr; label: string },
  operands: readonly Operand[],
  steps: (b: Parameters<Parameters<typeof expandWith>[3]>[0], inputs: readonly NodeId[]) => NodeId,
): Value {
  const inputs = nodesOf(interpreter, run, operands).filter((id) => id !== null);
  const span = call.path === run.root ? run.statement.span : call.expr.span;
  const made = { id: call.path, label: bindingName(run, call.path), groups: run.frame.groups, span };
  const node = expandWith(interpreter, made, call.label, (b) => steps(b, inputs));
  if (!inputs.includes(node)) {
    const sources = inputs.map((id, i) => ({ node: id, expr: operands[i]!.expr }));
    interpreter.sites.set(node, { node, expr: call.expr, run, param: null, op: null, attrs: {}, operands: sources });
    const alone = findNode({ nodes: interpreter.nodes, outputs: [] }, node);
    if (alone)
      interpreter.nodes.set(node, { ...alone, groups: partCount(interpreter, node) ? alone.groups : run.frame.groups });
  }
  return tensorValue(node);
}

/** Whether `node` has parts beside itself. */
function partCount(interpreter: Interpreter, node: NodeId): boolean {
  return interpreter.nodes.get(node)!.inputs.some((id) => interpreter.partOf.get(id) === node);
}

/** A number that is a tensor of the program, `torch.tensor(2)`, as a node; any other value as it is. */
export function scalarNode(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: { path: string; expr: Expr },
  value: Value,
): Value {
  if (!isScalarTensor(value)) return value;
  const operand = { value, path: `${path}/scalar`, expr: null };
  return applyParts(interpreter, run, { path: `${path}/0`, expr, label: "scalar" }, [operand], (b, [x]) =>
    b.op("scalar", "expand", [x!], { shape: [] }),
  );
}
