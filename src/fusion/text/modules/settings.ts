/** @file What the text of a class says of its sizes: fields of configurations, shapes of weights. */
import type { Argument, CallExpr, ClassStatement, DefStatement, Expr } from "../syntax";
import { bare, everyStatement, rootsOf, walk } from "../syntax";
import { usualValue } from "./layers";
import { isSelf, keptAs, lastName, plainArgs } from "./members";
import type { Source } from "./translation";

/** What forward() and the rest of a class ask a parameter of __init__ for, `config.n_embd`, and what `self` keeps it as. */
export function fieldsAsked(
  { body }: ClassStatement,
  init: DefStatement,
  name: string,
): { readonly fields: ReadonlySet<string>; readonly kept: readonly string[] } {
  const kept = [...everyStatement(init.body)].flatMap((each) => keptAs(each, name));
  const whole = body.flatMap((each) => (each.kind === "def" ? [...everyStatement(each.body)] : []));
  const fields = new Set<string>();
  for (const expr of whole.flatMap(rootsOf).flatMap((root) => [...walk(root)])) {
    if (expr.kind !== "member") continue;
    const { object } = expr;
    const own = object.kind === "name" && object.name === name;
    if (own || (object.kind === "member" && isSelf(object.object) && kept.includes(object.name.text)))
      fields.add(expr.name.text);
  }
  return { fields, kept };
}

/** `n_embd: int = 768` of classes that hold settings, as it is written. */
export function fieldDefaults(classes: Iterable<ClassStatement>, text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const statement of [...classes].flatMap(({ body }) => body)) {
    const target = statement.kind === "assign" ? statement.targets[0] : undefined;
    if (statement.kind === "assign" && statement.value && target?.kind === "name")
      found.set(target.name, text.slice(statement.value.span.from, statement.value.span.to));
  }
  return found;
}

const MAKERS =
  /^(zeros|ones|empty|randn|rand|full|normal|uniform|eye|Tensor|FloatTensor|truncated_normal|tensor|as_tensor)$/;

/** Sizes of the weight that `nn.Parameter(torch.zeros(1, dim))` makes; null where the shape is of a value that is not written as a call. */
export function weightSizes(call: CallExpr): readonly Expr[] | null {
  const inner = [...walk(call)].filter((each): each is CallExpr => each.kind === "call" && each !== call);
  const layers = inner.find(({ callee }) => MAKERS.test(lastName(bare(callee)))) ?? inner[0];
  if (!layers) return null;
  const word = lastName(bare(layers.callee));
  if (word === "tensor" || word === "as_tensor") return [];
  const sizes = plainArgs(layers)
    .filter(({ name }) => !name || name.text === "size" || name.text === "shape")
    .map(({ value }) => bare(value));
  const first = sizes[0];
  return first?.kind === "tuple" || first?.kind === "list" ? first.items : word === "full" ? sizes.slice(0, 1) : sizes;
}

/** What stands for a value of `name` that nothing here knows: the usual one where something is called, null for the name of a class. */
export function guessed(name: string, value: string): string | null {
  const made = /^(?:(?:functools\.)?partial\()?(?:\w+\.)*([A-Z]\w*)/.exec(value);
  return made ? null : /^[\w.]+\(/.test(value) ? usualValue(name) : value;
}

/** A size that is a tuple under a name, written out: `(size[0], size[1])`. */
export function extents(source: string, number: Source["number"]): string {
  if (!/^[A-Za-z_]\w*$/.test(source) || number(source) !== null) return source;
  const count = number(`len(tuple(${source}))`);
  if (count === null || count > 3) return source;
  return `(${Array.from({ length: count }, (_, i) => `${source}[${i}]`).join(", ")}${count === 1 ? "," : ""})`;
}

/** `OrderedDict([("fc", nn.Linear(8, 8)), …])`: names and what makes the modules. */
export function namedModules(args: readonly Argument[]): readonly (readonly [name: string, value: Expr])[] {
  const list = args[0] && bare(args[0].value);
  const pairs = list?.kind === "list" || list?.kind === "tuple" ? list.items.map(bare) : [];
  return pairs.flatMap((pair) => {
    const [key, value] = pair.kind === "tuple" ? pair.items.map(bare) : [];
    return key?.kind === "string" && value ? [[key.value, value] as const] : [];
  });
}
