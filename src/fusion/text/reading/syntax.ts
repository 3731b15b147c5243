/** @file The program as data: what read.ts makes of the parser's tree and everything else in this folder walks. */
import type { Span } from "../../ir";

export interface Identifier {
  readonly text: string;
  readonly span: Span;
}

interface At {
  readonly span: Span;
}

export interface NameExpr extends At {
  readonly kind: "name";
  readonly name: string;
}
export interface NumberExpr extends At {
  readonly kind: "number";
  readonly value: number;
  /** Written without a point or an exponent. */
  readonly whole: boolean;
}
export interface StringExpr extends At {
  readonly kind: "string";
  readonly value: string;
}
/** `f"layer{i}"`. */
export interface FormatExpr extends At {
  readonly kind: "format";
  readonly pieces: readonly (string | Expr)[];
  /** How those are printed that say it, `{i:02d}`. */
  readonly specs: ReadonlyMap<Expr, string>;
}
export interface WordExpr extends At {
  readonly kind: "true" | "false" | "none" | "hole";
}
export interface SequenceExpr extends At {
  readonly kind: "tuple" | "list";
  readonly items: readonly Expr[];
  /** Which of them are written `*shape`. */
  readonly starred: readonly number[];
}
/** Brackets around one expression; its span is what an edit of the operand replaces. */
export interface ParenExpr extends At {
  readonly kind: "paren";
  readonly inner: Expr;
}
export interface Argument extends At {
  readonly name: Identifier | null;
  readonly value: Expr;
  /** `*shape`: each item of the tuple is an argument; `**options`: each entry a keyword. */
  readonly starred?: "items" | "entries";
}
export interface CallExpr extends At {
  readonly kind: "call";
  readonly callee: Expr;
  readonly args: readonly Argument[];
  /** Offset of `(`, and of `)` or of the offset where it belongs. */
  readonly open: number;
  readonly close: number;
}
/** A call of `callee` that nobody wrote: what is read or set like a field, and computed. */
export const calledAt = (callee: Expr): CallExpr => ({
  kind: "call",
  span: callee.span,
  callee,
  args: [],
  open: callee.span.to,
  close: callee.span.to,
});

export interface MemberExpr extends At {
  readonly kind: "member";
  readonly object: Expr;
  readonly name: Identifier;
}
/** One entry of `x[…]`: a plain index, or a slice with any part left out. */
export type Index =
  | { readonly kind: "at"; readonly value: Expr }
  | {
      readonly kind: "slice";
      readonly start: Expr | null;
      readonly stop: Expr | null;
      readonly step: Expr | null;
    };
export interface SubscriptExpr extends At {
  readonly kind: "subscript";
  readonly object: Expr;
  readonly indices: readonly Index[];
}
export interface BinaryExpr extends At {
  readonly kind: "binary";
  readonly op: string;
  readonly opSpan: Span;
  readonly left: Expr;
  readonly right: Expr;
}
export interface UnaryExpr extends At {
  readonly kind: "unary";
  readonly op: string;
  readonly operand: Expr;
}
/** `a if test else b`. */
export interface ConditionalExpr extends At {
  readonly kind: "conditional";
  readonly test: Expr;
  readonly whenTrue: Expr;
  readonly whenFalse: Expr;
}
/** `[element for target in iterable if test]`, one item after the other. */
export interface ComprehensionExpr extends At {
  readonly kind: "comprehension";
  /** Of a dictionary's. */
  readonly key: Expr | null;
  /** Its elements are comprehensions whose items it holds itself: another `for` stands in it. */
  readonly joins: boolean;
  /** It stands in round brackets: a generator. */
  readonly isOnce?: true;
  readonly element: Expr;
  readonly target: Expr;
  readonly iterable: Expr;
  readonly test: Expr | null;
}
/** `lambda x: x + 1`: a def without a name. */
export interface LambdaExpr extends At {
  readonly kind: "lambda";
  readonly def: DefStatement;
}
/** `{"up": w}`: values by the keys before the colons; without a key, `**other`, the entries of another. */
export interface DictExpr extends At {
  readonly kind: "dict";
  readonly keys: readonly (Expr | null)[];
  readonly values: readonly Expr[];
}
/** `(n := value)`: the value, bound on the way. */
export interface NamedExpr extends At {
  readonly kind: "named";
  readonly target: NameExpr;
  readonly value: Expr;
}
/** Something a diagnostic already speaks of. */
export interface BadExpr extends At {
  readonly kind: "bad";
}
export type Expr =
  | NameExpr
  | NumberExpr
  | StringExpr
  | WordExpr
  | SequenceExpr
  | ParenExpr
  | CallExpr
  | MemberExpr
  | SubscriptExpr
  | BinaryExpr
  | UnaryExpr
  | ConditionalExpr
  | ComprehensionExpr
  | LambdaExpr
  | DictExpr
  | FormatExpr
  | NamedExpr
  | BadExpr;

export interface ParamDecl extends At {
  readonly name: Identifier;
  readonly annotation: Expr | null;
  readonly value: Expr | null;
  /** `*args`: what positions are left; `**kwargs`: what keywords are. */
  readonly starred?: "items" | "entries";
  /** After `*`: by its name only. */
  readonly keyword?: true;
}

export interface AssignStatement extends At {
  readonly kind: "assign";
  /** `a = b = x` has two; each is a name or a tuple of names. */
  readonly targets: readonly Expr[];
  readonly annotation: Expr | null;
  readonly value: Expr | null;
}
export interface UpdateStatement extends At {
  readonly kind: "update";
  readonly target: Expr;
  /** Without the `=`. */
  readonly op: string;
  readonly opSpan: Span;
  readonly value: Expr;
}
export interface ExpressionStatement extends At {
  readonly kind: "expression";
  readonly value: Expr;
}
export interface ReturnStatement extends At {
  readonly kind: "return";
  readonly values: readonly Expr[];
}
/** What a generator hands out next, or one after the other all that `value` goes through. */
export interface YieldStatement extends At {
  readonly kind: "yield";
  readonly value: Expr | null;
  readonly all: boolean;
}
export interface DefStatement extends At {
  readonly kind: "def";
  readonly name: Identifier;
  /** What stands above it, the nearest last: `@staticmethod`. */
  readonly decorators?: readonly Expr[];
  readonly params: readonly ParamDecl[];
  /** The brackets with what is in them. */
  readonly paramsSpan: Span;
  readonly body: readonly Statement[];
}
export interface ForStatement extends At {
  readonly kind: "for";
  readonly target: Expr;
  readonly iterable: Expr;
  readonly body: readonly Statement[];
}
/** The first branch whose test holds is part of the program; the others are not. */
export interface IfStatement extends At {
  readonly kind: "if";
  readonly branches: readonly { readonly test: Expr; readonly body: readonly Statement[] }[];
  readonly otherwise: readonly Statement[];
}
/** Unrolled as long as its test holds. */
export interface WhileStatement extends At {
  readonly kind: "while";
  readonly test: Expr;
  readonly body: readonly Statement[];
}
/** Leaves a loop, or one iteration of it. */
export interface JumpStatement extends At {
  readonly kind: "break" | "continue";
}
/** What the text takes for granted. */
export interface AssertStatement extends At {
  readonly kind: "assert";
  readonly test: Expr;
}
/** The text itself refuses what leads here. */
export interface RaiseStatement extends At {
  readonly kind: "raise";
}
/** Methods and constants; calling it makes an object. */
export interface ClassStatement extends At {
  readonly kind: "class";
  readonly name: Identifier;
  /** What it inherits from, `nn.Module` in most cases. */
  readonly bases: readonly Expr[];
  readonly body: readonly Statement[];
  readonly decorators?: readonly Expr[];
}
/** `from numpy import linalg as la`: other names for what libraries have. */
export interface ImportStatement extends At {
  readonly kind: "import";
  readonly names: readonly { readonly path: readonly string[]; readonly alias: NameExpr }[];
}
/** `except (KeyError, ValueError) as e:`, with the names of what it catches; without names it catches everything. */
export interface Handler {
  readonly names: readonly string[];
  readonly body: readonly Statement[];
}
/** Nothing, or what only changes how other statements are read. */
export interface PassStatement extends At {
  readonly kind: "pass";
  /** Where `with torch.no_grad():` begins or ends: whether what follows passes derivatives on; "before": as it was before the block. */
  readonly derivatives?: Expr | "before";
  /** Where a block with another context begins or ends. */
  readonly context?: ContextPart;
  /** Where a `try` with a `finally` begins, where that stands and where it ends; `block` is the same of the three. */
  readonly anyway?: { readonly block: object; readonly at: "begin" | "finally" | "end" };
  /** Where a `try` with an `except` begins, where its `else` stands and where it ends; `block` is the same of the three. */
  readonly attempt?: {
    readonly block: object;
    readonly at: "begin" | "else" | "end";
    readonly handlers: readonly Handler[];
  };
  /** `nonlocal n`, `global n`: names that are those of a scope around this one, or of the program. */
  readonly outer?: { readonly names: readonly string[]; readonly isGlobal: boolean };
}

/** `with expr as target:`, where the block begins or ends. */
export interface ContextPart {
  readonly expr: Expr;
  readonly target: Expr | null;
  readonly body: readonly Statement[];
  readonly ends: boolean;
  /** The line of the `with`. */
  readonly line: Span;
}
/** Not understood; names it would have bound are known, so that their readers are not blamed. */
export interface BadStatement extends At {
  readonly kind: "bad";
  readonly targets: readonly Expr[];
}
export type Statement =
  | AssignStatement
  | UpdateStatement
  | ExpressionStatement
  | ReturnStatement
  | YieldStatement
  | DefStatement
  | ForStatement
  | IfStatement
  | WhileStatement
  | JumpStatement
  | AssertStatement
  | RaiseStatement
  | ClassStatement
  | ImportStatement
  | PassStatement
  | BadStatement;

/** The lists of statements inside `statement`. */
export function bodiesOf(statement: Statement): readonly (readonly Statement[])[] {
  if (statement.kind === "def" || statement.kind === "class" || statement.kind === "for" || statement.kind === "while")
    return [statement.body];
  if (statement.kind === "if") return [...statement.branches.map(({ body }) => body), statement.otherwise];
  const { at, handlers } = (statement.kind === "pass" ? statement.attempt : null) ?? {};
  return at === "begin" ? handlers!.map(({ body }) => body) : [];
}

/** `statements` and everything in their bodies, without recursion, in no particular order. */
export function* everyStatement(statements: readonly Statement[]): Generator<Statement> {
  const left: (readonly Statement[])[] = [statements];
  for (let body = left.pop(); body; body = left.pop()) {
    for (const statement of body) {
      yield statement;
      left.push(...bodiesOf(statement));
    }
  }
}

/** Top expressions of a statement, without those of its bodies. */
export function rootsOf(statement: Statement): readonly Expr[] {
  switch (statement.kind) {
    case "assign":
      return [statement.value, statement.annotation].filter((expr) => expr !== null);
    case "update":
    case "expression":
      return [statement.value];
    case "return":
      return statement.values;
    case "yield":
      return statement.value ? [statement.value] : [];
    case "for":
      return [statement.iterable];
    case "if":
      return statement.branches.map(({ test }) => test);
    case "while":
    case "assert":
      return [statement.test];
    case "def":
    case "class":
    case "import":
    case "break":
    case "continue":
    case "raise":
    case "bad":
      return [];
    case "pass":
      return statement.context && !statement.context.ends ? [statement.context.expr] : [];
  }
}

/** Operands in source order: the receiver or left side first. Callees that are plain names are not operands. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "tuple":
    case "list":
      return expr.items;
    case "paren":
      return [expr.inner];
    case "call":
      return [expr.callee, ...expr.args.map((arg) => arg.value)];
    case "member":
      return [expr.object];
    case "subscript":
      return [expr.object, ...expr.indices.flatMap(indexParts)];
    case "binary":
      return [expr.left, expr.right];
    case "unary":
      return [expr.operand];
    case "conditional":
      return [expr.whenTrue, expr.test, expr.whenFalse];
    case "comprehension":
      return [expr.key, expr.element, expr.iterable, expr.test].filter((part) => part !== null);
    case "lambda":
      return expr.def.body.flatMap(rootsOf);
    case "dict":
      return [...expr.keys.filter((key) => key !== null), ...expr.values];
    case "format":
      return expr.pieces.filter((piece) => typeof piece !== "string");
    case "named":
      return [expr.value];
    case "name":
    case "number":
    case "string":
    case "true":
    case "false":
    case "none":
    case "hole":
    case "bad":
      return [];
  }
}

export const indexParts = (index: Index): readonly Expr[] =>
  index.kind === "at"
    ? [index.value]
    : [index.start, index.stop, index.step].filter((part): part is Expr => part !== null);

/** The expression inside any brackets around it. */
export function bare(expr: Expr): Expr {
  let inner = expr;
  while (inner.kind === "paren") inner = inner.inner;
  return inner;
}

/** Every expression of `root`, itself included, without recursion. */
export function* walk(root: Expr): Generator<Expr> {
  const left: Expr[] = [root];
  for (let expr = left.pop(); expr; expr = left.pop()) {
    yield expr;
    left.push(...childrenOf(expr));
  }
}

/** Every expression of `statements` and of their bodies, in no particular order. */
export const expressionsOf = (statements: readonly Statement[]): readonly Expr[] =>
  [...everyStatement(statements)].flatMap(rootsOf).flatMap((root) => [...walk(root)]);

/** `torch.autograd.functional` as it is written; empty of what is no dotted name. */
export function dottedName(expr: Expr): string {
  const inner = bare(expr);
  if (inner.kind === "name") return inner.name;
  const front = inner.kind === "member" ? dottedName(inner.object) : "";
  return inner.kind === "member" && front !== "" ? `${front}.${inner.name.text}` : "";
}

/** The last name of `nn.Module`, `functools.partial(…)`, `Generic[T]`. */
export function lastNameOf(expr: Expr): string {
  const inner = bare(expr);
  if (inner.kind === "name") return inner.name;
  if (inner.kind === "member") return inner.name.text;
  if (inner.kind === "call") return lastNameOf(inner.callee);
  return inner.kind === "subscript" ? lastNameOf(inner.object) : "";
}
