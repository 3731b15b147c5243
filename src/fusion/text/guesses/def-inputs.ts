/** @file Types for all inputs of a def that is the whole program; tensors out of dictionaries, `params["w"]`, become inputs of their own. */
import type { Span, TextEdit } from "../../ir";
import type { DefStatement, Expr, ParamDecl } from "../reading/syntax";
import { bare, everyStatement, expressionsOf } from "../reading/syntax";
import { indentAt } from "../reading/lines";
import { annotatedKind, mayBeNone, type AnnotatedKind } from "../reading/python-types";
import { applyTextEdits } from "../edits/apply";
import { evidenceOf, refusesNone, type Evidence } from "./evidence";
import { fitting, type Program } from "./fitting";
import { groupOf, isVector, rowsOf, saidTypes, standsAlone, usualOf, withAxes } from "./usual";

/** Names that a def gives the parts of its parameter `name`, `cos, sin = rotary`; empty where it takes nothing apart. */
export function unpackedNames({ body }: DefStatement, name: string): readonly string[] {
  for (const each of body) {
    const [target, value] = each.kind === "assign" && each.value ? [bare(each.targets[0]!), bare(each.value)] : [];
    if (target?.kind !== "tuple" || value?.kind !== "name" || value.name !== name) continue;
    return target.items.flatMap((item) => (item.kind === "name" ? [item.name] : []));
  }
  return [];
}

/** One input: a parameter, an entry of one under a string key, or a weight of `self`. */
interface Input {
  readonly name: string;
  readonly param: ParamDecl;
  /** Where it is read, for an entry under a string key. */
  readonly uses: readonly Span[];
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
    const name = path.keys
      .join("_")
      .replaceAll(/\W/g, "_")
      .replace(/^(?=\d)/, "_");
    uses.set(name, [...(uses.get(name) ?? []), expr.span]);
  }
  const found = [...uses].map(([name, spans]) => ({ name, param, uses: spans }));
  return found.toSorted(
    (a, b) => Math.min(...a.uses.map(({ from }) => from)) - Math.min(...b.uses.map(({ from }) => from)),
  );
}

/** So many layers stand for a list of them. */
const LAYERS_IN_LIST = 3;

/** Names that a loop over `param` gives the parts of one layer, `for w, b in params[:-1]`; empty where there is none. */
function layerOf(def: DefStatement, param: ParamDecl): readonly string[] {
  for (const each of everyStatement(def.body)) {
    if (each.kind !== "for") continue;
    let over = bare(each.iterable);
    while (over.kind === "subscript") over = bare(over.object);
    const target = bare(each.target);
    const items = target.kind === "tuple" || target.kind === "list" ? target.items.map(bare) : [target];
    if (over.kind !== "name" || over.name !== param.name.text) continue;
    return items.flatMap((item) => (item.kind === "name" ? [item.name] : []));
  }
  return [];
}

/** Inputs for what is taken apart at once: `carry_0`, `carry_1` of `c, h = carry`. */
const pairOf = (def: DefStatement, param: ParamDecl): readonly Input[] =>
  unpackedNames(def, param.name.text).map((_, i) => ({ name: `${param.name.text}_${i}`, param, uses: [] }));

/** Inputs for a list of layers: w_0, b_0, w_1 … */
const layersOf = (parts: readonly string[], param: ParamDecl): readonly Input[] =>
  Array.from({ length: LAYERS_IN_LIST }, (_, i) =>
    parts.map((part) => ({ name: `${part}_${i}`, param, uses: [] })),
  ).flat();

/** Whether `param` stands for several tensors. */
export const holdsSeveral = (def: DefStatement, param: ParamDecl): boolean =>
  entriesOf(def, param).length > 0 || layerOf(def, param).length > 0 || pairOf(def, param).length > 0;

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

/** What the def calls an input: a part of what it takes apart has a name of its own. */
const ownName = (def: DefStatement, { name, param }: Input): string =>
  unpackedNames(def, param.name.text).find((_, i) => name === `${param.name.text}_${i}`) ?? name;

/** `x: f32[8, 64]`, `n=8` for what is no tensor, or the name alone without a type. */
const declared = (input: Input, type: string): string =>
  /^[a-z]+\d*\[/.test(type) ? `${input.name}: ${type}` : type === "" ? input.name : `${input.name}=${type}`;

/** What gives every open input of `main` a type, so that as little as possible is wrong; null when none is open. */
export function inputsFix({ text, statements, read }: Program, main: DefStatement | null): readonly TextEdit[] | null {
  const open = (main?.params ?? []).filter((param) => isOpen(main!, param));
  if (!main || open.length === 0) return null;
  const weights = weightsOf(main);
  const inputs = [
    ...open.flatMap((param): readonly Input[] => {
      const entries = entriesOf(main, param);
      const layers = layersOf(layerOf(main, param), param);
      if (layers.length > 0) return layers;
      const pair = pairOf(main, param);
      if (pair.length > 0) return pair;
      return entries.length > 0 ? entries : [{ name: param.name.text, param, uses: [] }];
    }),
    ...weights,
  ];
  const defs = new Map(statements.flatMap((each) => (each.kind === "def" ? [[each.name.text, each] as const] : [])));
  const known = new Map(inputs.map((input) => [input, evidenceOf(text, main, ownName(main, input), defs)]));
  const evidence = (input: Input): Evidence => known.get(input)!;
  const says = (input: Input): boolean => saidTypes(input.name, evidence(input), NO_SIZES).length > 0;
  const groups = new Map<string, Input[]>();
  for (const input of inputs) {
    const alone = knownOf(input) || evidence(input).reads === "whole" || standsAlone(input.name) || says(input);
    const key = alone ? input.name : groupOf(input.name);
    groups.set(key, [...(groups.get(key) ?? []), input]);
  }
  const data = inputs.find(({ name, param }) => name === param.name.text && !isVector(name));
  // Data first: weights are tried against what they meet.
  const members = [...groups.values()].toSorted((a, b) => Number(b[0] === data) - Number(a[0] === data));
  const choices = members.map((group) =>
    choicesOf(group, group.length === 1 && group[0] === data, /conv\w*2d|conv2d|pool2d/.test(text), evidence),
  );
  const edits = (rows: readonly (readonly string[])[]): readonly TextEdit[] => {
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
    const lists = open.flatMap((param) => {
      const parts = layerOf(main, param);
      const pair = pairOf(main, param);
      if (pair.length > 0)
        return [
          {
            span: { from: main.body[0]!.span.from, to: main.body[0]!.span.from },
            insert: `${param.name.text} = (${pair.map(({ name }) => name).join(", ")})\n${indentAt(text, main.body[0]!.span.from)}`,
          },
        ];
      const rows = Array.from(
        { length: LAYERS_IN_LIST },
        (_, i) => `(${parts.map((part) => `${part}_${i}`).join(", ")})`,
      );
      const { from } = main.body[0]!.span;
      const list = `${param.name.text} = (${rows.join(", ")})\n${indentAt(text, from)}`;
      return parts.length === 0 ? [] : [{ span: { from, to: from }, insert: list }];
    });
    return [
      ...params,
      ...more,
      ...lists,
      ...inputs.flatMap(({ name, uses }) => uses.map((span) => ({ span, insert: name }))),
    ];
  };
  const rows = fitting(
    choices,
    (tried) => read(applyTextEdits(text, edits(tried))),
    (tried, at) => {
      const [only, ...more] = members[at]!;
      if (more.length > 0 || knownOf(only!)) return null;
      const found = read(applyTextEdits(text, edits(tried.with(at, [""])))).wanted.get(only!.name);
      return found === undefined ? null : [found];
    },
  );
  return edits(rows);
}
