/** @file Types for all inputs of a def that is the whole program; tensors out of dictionaries, `params["w"]`, become inputs of their own. */
import type { Span, TextEdit } from "../../ir";
import type { DefStatement, Expr, ParamDecl, Statement } from "../reading/syntax";
import { bare, expressionsOf } from "../reading/syntax";
import { indentAt } from "../reading/lines";
import { annotatedKind, mayBeNone, type AnnotatedKind } from "../reading/python-types";
import { applyTextEdits } from "../edits/apply";
import { evidenceOf, refusesNone, type Evidence } from "./evidence";
import { fitting, type Program } from "./fitting";
import { isSeveral, knownIn, type Part, partsOf, spread, wordOf } from "./structure";
import { groupOf, isVector, rowsOf, saidTypes, standsAlone, usualOf, withAxes } from "./usual";

/** One input: a parameter, an entry of one under a string key, or a weight of `self`. */
interface Input {
  readonly name: string;
  readonly param: ParamDecl;
  /** Where it is read, for an entry under a string key. */
  readonly uses: readonly Span[];
  /** What the defs that read it do to it. */
  readonly part?: Part;
}

/** `["a", "w"]` of `params["a"]["w"]`; null for any other expression. */
function pathOf(expr: Expr): { readonly root: string; readonly keys: readonly string[] } | null {
  const keys: string[] = [];
  let inner = expr;
  while (inner.kind === "subscript") {
    const [index] = inner.indices;
    const key = inner.indices.length === 1 && index?.kind === "at" ? bare(index.value) : null;
    if (key?.kind !== "string") return null;
    keys.unshift(key.value);
    inner = bare(inner.object);
  }
  return inner.kind === "name" && keys.length > 0 ? { root: inner.name, keys } : null;
}

/** Entries of `param` that the def reads, by a name made of their keys. */
function entriesOf(def: DefStatement, param: ParamDecl): readonly Input[] {
  const all = expressionsOf(def.body);
  const inner = new Set(all.flatMap((expr) => (expr.kind === "subscript" ? [bare(expr.object)] : [])));
  const uses = new Map<string, Span[]>();
  for (const expr of all) {
    const path = inner.has(expr) ? null : pathOf(expr);
    if (path?.root !== param.name.text) continue;
    const name = wordOf(path.keys);
    uses.set(name, [...(uses.get(name) ?? []), expr.span]);
  }
  const found = [...uses].map(([name, spans]) => ({ name, param, uses: spans }));
  return found.toSorted(
    (a, b) => Math.min(...a.uses.map(({ from }) => from)) - Math.min(...b.uses.map(({ from }) => from)),
  );
}

/** Whether `param` stands for several tensors. */
export const holdsSeveral = (def: DefStatement, param: ParamDecl, statements: readonly Statement[]): boolean =>
  isSeveral(partsOf(def, param, knownIn(statements, def)));

/** Whether the def reads nothing of `param` but `entries`, each where it stands. */
function readsEntries({ body }: DefStatement, { name }: ParamDecl, entries: readonly Input[]): boolean {
  const isIt = (expr: Expr): boolean => expr.kind === "name" && expr.name === name.text;
  const uses = entries.flatMap((entry) => entry.uses);
  return uses.length > 0 && expressionsOf(body).filter(isIt).length === uses.length;
}

/** `self.w` that is read, not called: weights of a class that is not here. */
function weightsOf(def: DefStatement): readonly Input[] {
  const self = def.params.find(({ name }) => name.text === "self");
  if (!self) return [];
  const all = expressionsOf(def.body);
  const callees = new Set(all.flatMap((expr) => (expr.kind === "call" ? [bare(expr.callee)] : [])));
  const uses = new Map<string, Span[]>();
  for (const expr of all) {
    if (expr.kind !== "member" || expr.object.kind !== "name" || expr.object.name !== "self" || callees.has(expr))
      continue;
    uses.set(expr.name.text, [...(uses.get(expr.name.text) ?? []), expr.span]);
  }
  const taken = new Set(def.params.map(({ name }) => name.text));
  return [...uses].filter(([name]) => !taken.has(name)).map(([name, spans]) => ({ name, param: self, uses: spans }));
}

/** Whether a parameter of `def` waits for a type: no annotation that says one, no default that is a value. */
const isOpen = (def: DefStatement, param: ParamDecl): boolean =>
  param.name.text !== "self" &&
  !param.starred &&
  (!param.value || refusesNone(def, param)) &&
  !(param.annotation && annotatedKind(param.annotation) === null);

/** What a parameter is when its annotation says that it is no tensor: a value that is known. */
const knownOf = ({ name, param: { name: own, annotation } }: Input): AnnotatedKind | null => {
  const annotated = annotation ? annotatedKind(annotation) : null;
  if (name !== own.text) return annotated === "sizes" ? "whole" : null;
  return annotated === "tensor" || annotated === "number" ? null : annotated;
};

/** Types or values of a group, the likeliest first. */
function choicesOf(
  group: readonly Input[],
  first: boolean,
  pictures: boolean,
  evidence: (input: Input) => Evidence,
): readonly (readonly string[])[] {
  const [only] = group;
  const known = knownOf(only!);
  const isSize = group.length === 1 && evidence(only!).reads === "whole";
  const values = (kind: AnnotatedKind): readonly (readonly string[])[] =>
    [
      ...new Set([
        usualOf(only!.name, kind),
        ...(kind === "whole" ? ["8", "4", "2", "64", "1"] : []),
        ...(kind === "other" ? ['"none"'] : []),
      ]),
    ].map((value) => [value]);
  if (known && group.length === 1) return values(isSize ? "whole" : known);
  if (group.length === 1 && only!.param.annotation && annotatedKind(only!.param.annotation) === "number")
    return [["f32[]"], [usualOf(only!.name, "number")]];
  const none = group.every(({ param }) => param.annotation && mayBeNone(param.annotation));
  const usual = rowsOf(
    group.map(({ name }) => name),
    first,
    pictures,
  );
  const said = group.map((input) => saidTypes(input.name, evidence(input), NO_SIZES));
  const most = Math.max(...said.map((types) => types.length));
  const rows = Array.from({ length: most }, (_, i) => group.map((_, k) => said[k]![i] ?? said[k]![0] ?? usual[0]![k]!));
  const least = Math.max(...group.map((input) => evidence(input).least));
  const [fit] =
    group.length === 1
      ? [
          withAxes(
            usual.map(([type]) => type!),
            least,
          ).map((type) => [type]),
        ]
      : [usual];
  return [...(isSize ? values("whole") : []), ...rows, ...fit, ...(none ? [group.map(() => "None")] : [])];
}

const NO_SIZES: ReadonlyMap<string, number> = new Map();

/** `x: f32[8, 64]`, `n=8` for what is no tensor, or the name alone without a type. */
const declared = (input: Input, type: string): string =>
  /^[a-z]+\d*\[/.test(type) ? `${input.name}: ${type}` : type === "" ? input.name : `${input.name}=${type}`;

/** What gives every open input of `main` a type, so that as little as possible is wrong; null when none is open. */
export function inputsFix({ text, statements, read }: Program, main: DefStatement | null): readonly TextEdit[] | null {
  const open = (main?.params ?? []).filter((param) => isOpen(main!, param));
  if (!main || open.length === 0) return null;
  const weights = weightsOf(main);
  const known = knownIn(statements, main);
  const made = new Map<ParamDecl, string>();
  const taken = new Set(main.params.map(({ name }) => name.text));
  const inputs = [
    ...open.flatMap((param): readonly Input[] => {
      const { text: own } = param.name;
      const part = partsOf(main, param, known);
      if (!isSeveral(part)) return [{ name: own, param, uses: [], part }];
      const entries = entriesOf(main, param);
      const short = spread(part, own);
      if (entries.length === short.leaves.length && readsEntries(main, param, entries)) return entries;
      const { text: whole, leaves } = short.leaves.some(({ name }) => taken.has(name))
        ? spread(part, own, [own])
        : short;
      for (const { name } of leaves) taken.add(name);
      made.set(param, `${own} = ${whole}`);
      return leaves.map((leaf) => ({ ...leaf, param, uses: [] }));
    }),
    ...weights,
  ];
  const { defs } = known;
  const evidenceIn = (input: Input): Evidence => {
    const [first, ...rest] = (input.part?.readers ?? []).map((reader) =>
      evidenceOf(text, reader.def, reader.name, defs),
    );
    const own = first ?? evidenceOf(text, main, input.name, defs);
    return [own, ...rest].find(({ axes, extents, reads }) => axes || extents.size > 0 || reads) ?? own;
  };
  const found = new Map(inputs.map((input) => [input, evidenceIn(input)]));
  const evidence = (input: Input): Evidence => found.get(input)!;
  const says = (input: Input): boolean => saidTypes(input.name, evidence(input), NO_SIZES).length > 0;
  const data = inputs.find(({ name, param }) => name === param.name.text && !isVector(name));
  const pictures = /conv\w*2d|conv2d|pool2d/.test(text);
  /** Groups of inputs whose types change together, data first: weights are tried against what they meet. */
  const grouped = (keyOf: (input: Input) => string): readonly (readonly Input[])[] => {
    const groups = new Map<string, Input[]>();
    for (const input of inputs) {
      const alone = knownOf(input) || evidence(input).reads === "whole" || standsAlone(input.name) || says(input);
      const key = alone ? input.name : keyOf(input);
      groups.set(key, [...(groups.get(key) ?? []), input]);
    }
    return [...groups.values()].toSorted((a, b) => Number(b[0] === data) - Number(a[0] === data));
  };
  const editsFor = (
    members: readonly (readonly Input[])[],
    rows: readonly (readonly string[])[],
  ): readonly TextEdit[] => {
    const types = new Map(members.flatMap((group, i) => group.map((input, k) => [input, rows[i]![k]!] as const)));
    const written = (param: ParamDecl): string =>
      inputs
        .filter((input) => input.param === param)
        .map((input) => declared(input, types.get(input)!))
        .join(", ");
    const params = open.map((param) => ({ span: param.span, insert: written(param) }));
    const end = main.params.at(-1)!.span.to;
    const more =
      weights.length === 0 ? [] : [{ span: { from: end, to: end }, insert: `, ${written(weights[0]!.param)}` }];
    const { from } = main.body[0]!.span;
    const lists = [...made.values()].map((line) => ({
      span: { from, to: from },
      insert: `${line}\n${indentAt(text, from)}`,
    }));
    return [
      ...params,
      ...more,
      ...lists,
      ...inputs.flatMap(({ name, uses }) => uses.map((span) => ({ span, insert: name }))),
    ];
  };
  const tried = (members: readonly (readonly Input[])[]): readonly TextEdit[] => {
    const edits = (rows: readonly (readonly string[])[]): readonly TextEdit[] => editsFor(members, rows);
    const rows = fitting(
      members.map((group) => choicesOf(group, group.length === 1 && group[0] === data, pictures, evidence)),
      (some) => read(applyTextEdits(text, edits(some))),
      (some, at) => {
        const [only, ...more] = members[at]!;
        if (more.length > 0 || knownOf(only!)) return null;
        const type = read(applyTextEdits(text, edits(some.with(at, [""])))).wanted.get(only!.name);
        return type === undefined ? null : [type];
      },
    );
    return edits(rows);
  };
  const each = grouped(({ name }) => groupOf(name));
  const first = tried(each);
  const left = read(applyTextEdits(text, first)).mistakes;
  // Weights of one dictionary often have one shape, which none of them can change to alone.
  const together =
    left > 0 ? grouped(({ name, param }) => (name === param.name.text ? groupOf(name) : param.name.text)) : each;
  if (together.length === each.length) return first;
  const second = tried(together);
  return read(applyTextEdits(text, second)).mistakes < left ? second : first;
}
