/**
 * @file A pasted class that nothing calls gets a call: an object with example sizes, and inputs of example types, as lines at the end of
 * the text. The class itself stays as it was pasted.
 */
import type { TextEdit } from "../../ir";
import { findOp } from "../../ops";
import { annotatedKind, type AnnotatedKind } from "../reading/python-types";
import type { ClassStatement, DefStatement, Expr, ParamDecl, Statement } from "../reading/syntax";
import { bare, expressionsOf, lastNameOf } from "../reading/syntax";
import { evidenceOf, refusesNone, type Defs, type Evidence } from "./evidence";
import { fitting, type Program } from "./fitting";
import { isSeveral, type Known, partsOf, spread } from "./structure";
import { candidates, FLAGS, SETTINGS, usualOf, usualValue } from "./usual";

export interface ModuleCall {
  /** The class that is called. */
  readonly name: string;
  readonly edits: readonly TextEdit[];
}

/** Longer texts are not read again and again. */
const MAX_TEXT = 60_000;
/** Settings are asked for in so many rounds: what one field leads to, the next round finds. */
const MAX_ROUNDS = 6;

type Classes = ReadonlyMap<string, ClassStatement>;

/** The class with those of the text that it inherits from, the nearest first. */
function lineOf(of: ClassStatement, classes: Classes): readonly ClassStatement[] {
  const line = [of];
  for (let i = 0; i < line.length; i++)
    for (const base of line[i]!.bases) {
      const above = classes.get(lastNameOf(base));
      if (above && !line.includes(above)) line.push(above);
    }
  return line;
}

function methodOf(of: ClassStatement, classes: Classes, name: string): DefStatement | null {
  for (const { body } of lineOf(of, classes)) {
    const def = body.find((each) => each.kind === "def" && each.name.text === name);
    if (def?.kind === "def") return def;
  }
  return null;
}

const forwardOf = (of: ClassStatement, classes: Classes): DefStatement | null =>
  methodOf(of, classes, "__call__") ?? methodOf(of, classes, "forward");

/** Whether something in `statements` speaks of the class. */
const mentions = (statements: readonly Statement[], name: string): boolean =>
  expressionsOf(statements).some((expr) => expr.kind === "name" && expr.name === name);

/** PyTorch's way to give a function a derivative of its own: `class Square(torch.autograd.Function)`. */
export const hasOwnDerivative = ({ bases }: ClassStatement): boolean =>
  bases.some((base) => lastNameOf(base) === "Function");

/** The module that the others are parts of: the last one with forward() that no other class, def or statement makes. */
function outermost(statements: readonly Statement[], classes: Classes): ClassStatement | null {
  const list = [...classes.values()];
  return (
    list.findLast(
      (of) =>
        forwardOf(of, classes) !== null &&
        !hasOwnDerivative(of) &&
        !list.some((other) => other !== of && lineOf(other, classes)[0] === other && uses(other, of)) &&
        !statements.some((each) => each.kind === "def" && mentions(each.body, of.name.text)),
    ) ?? null
  );
}

const uses = (other: ClassStatement, of: ClassStatement): boolean =>
  mentions(other.body, of.name.text) || other.bases.some((base) => lastNameOf(base) === of.name.text);

/** Whether an expression is an object of the class: `Block(256)`, `Block(256).to(device)`, `compile(Block(256))`, or one of `names`. */
function isObjectOf(expr: Expr, of: string, names: ReadonlySet<string> = new Set()): boolean {
  const inner = bare(expr);
  if (inner.kind === "name") return names.has(inner.name);
  if (inner.kind !== "call") return false;
  const callee = bare(inner.callee);
  if (callee.kind === "name" && callee.name === of) return true;
  if (callee.kind === "member" && isObjectOf(callee.object, of, names)) return !FORWARD.test(callee.name.text);
  return callee.kind !== "call" && inner.args.some(({ value }) => isObjectOf(value, of));
}
const FORWARD = /^(forward|__call__)$/;

/** `model = Block(256)` at the top of the text: the names of such objects. */
function instancesOf(statements: readonly Statement[], name: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const each of statements) {
    if (each.kind !== "assign" || !each.value) continue;
    const target = bare(each.targets[0]!);
    if (target.kind === "name" && isObjectOf(each.value, name)) names.add(target.name);
  }
  return names;
}

/** Names that the text gives something at its top. */
const namesOf = (statements: readonly Statement[]): ReadonlySet<string> =>
  new Set(
    statements.flatMap((each) => {
      if (each.kind === "assign")
        return each.targets.flatMap((target) => (target.kind === "name" ? [target.name] : []));
      return each.kind === "def" || each.kind === "class" ? [each.name.text] : [];
    }),
  );

interface Setting {
  readonly param: string;
  /** The class of the text that holds it; null: any names. */
  readonly holder: string | null;
}

/** Names of the fields of a class. */
const fieldNames = (of: ClassStatement, classes: Classes): ReadonlySet<string> =>
  new Set(
    lineOf(of, classes)
      .flatMap(({ body }) => body)
      .flatMap((each) => (each.kind === "assign" && each.targets[0]?.kind === "name" ? [each.targets[0].name] : [])),
  );

/** What a required parameter of __init__ is: settings, or a size. */
function settingOf({ name, annotation }: ParamDecl, classes: Classes, init: DefStatement): Setting | null {
  const word = annotation?.kind === "string" ? annotation.value : annotation ? lastNameOf(annotation) : "";
  const asked = expressionsOf(init.body).flatMap((expr) =>
    expr.kind === "member" && expr.object.kind === "name" && expr.object.name === name.text ? [expr.name.text] : [],
  );
  const named = SETTINGS.test(name.text) || /(Config|Args)$/.test(word);
  if (!named && (asked.length === 0 || annotation !== null || /^(rngs?|key)$/.test(name.text))) return null;
  const fits = (of: ClassStatement): boolean => {
    const fields = fieldNames(of, classes);
    return fields.size > 0 && asked.every((field) => fields.has(field)) && !forwardOf(of, classes);
  };
  const holder = classes.get(word) ?? [...classes.values()].find(fits);
  return { param: name.text, holder: holder?.name.text ?? null };
}

/** A value for a parameter of a class that nothing here says. */
function guessFor({
  name,
  annotation,
}: ParamDecl | { readonly name: ParamDecl["name"]; readonly annotation: ParamDecl["annotation"] }): string {
  const annotated = annotation && annotatedKind(annotation);
  if (/^rngs$/.test(name.text)) return "nnx.Rngs(0)";
  if (/^(rng|key|generator|device|dtype|quant_config|cache)$/.test(name.text)) return "None";
  return annotated && annotated !== "tensor" && annotated !== "other"
    ? usualOf(name.text, annotated)
    : usualValue(name.text);
}

interface Guessed {
  /** Lines in front of the object. */
  readonly lines: readonly string[];
  /** `dim=256, heads=8`. */
  readonly args: string;
}

/** Whole numbers among arguments, by their names. */
const sizesIn = (args: string): readonly (readonly [string, number])[] =>
  [...args.matchAll(/(\w+)=(\d+)(?=,|$)/g)].map(([, name, size]) => [name!, Number(size)] as const);

/** What a parameter of forward() is that is no tensor, by its annotation or by its name. */
function knownInput({ name, annotation, value }: ParamDecl): AnnotatedKind | null {
  const annotated = annotation && annotatedKind(annotation);
  if (value) return null;
  if (annotated === "whole" || annotated === "flag" || annotated === "text" || annotated === "sizes") return annotated;
  return !annotated && FLAGS.test(name.text) ? "flag" : null;
}

/** An object's arguments, with settings that have every field that is asked for. */
function guessArguments(
  program: Program,
  of: ClassStatement,
  classes: Classes,
  model: string,
  names: ReadonlySet<string>,
  inputs: readonly ModuleInput[],
): Guessed {
  const init = methodOf(of, classes, "__init__");
  const open = (init?.params.slice(1) ?? []).filter(({ value, starred }) => !value && !starred);
  const fields = init ? [] : openFields(of, classes);
  const settings = init ? open.flatMap((param) => settingOf(param, classes, init) ?? []) : [];
  const held = new Set(settings.map(({ param }) => param));
  const plain = [...open.filter(({ name }) => !held.has(name.text)), ...fields].map(
    (each) => `${each.name.text}=${guessFor(each)}`,
  );
  const asked = new Map<string, string>();
  const write = (): Guessed => {
    const lines = settings.flatMap(({ param, holder }) => {
      if (names.has(param)) return [];
      const given = [...asked].map(([name, value]) => `${name}=${value}`).join(", ");
      return [
        `${param} = ${holder ? `${holder}(${fieldsOf(classes.get(holder)!, classes)})` : `SimpleNamespace(${given})`}`,
      ];
    });
    return { lines, args: [...settings.map(({ param }) => `${param}=${param}`), ...plain].join(", ") };
  };
  for (let round = 0; settings.length > 0 && round < MAX_ROUNDS; round++) {
    const { lines, args } = write();
    const before = asked.size;
    const probe = [...lines, `${model} = ${of.name.text}(${args})`, ...probeOf(inputs, model)];
    for (const name of program.read(joined(program.text, probe)).missing)
      if (!asked.has(name)) asked.set(name, usualValue(name));
    if (asked.size === before) break;
  }
  return write();
}

type Open = Pick<ParamDecl, "name" | "annotation">;

/** Annotated names without a value, which a call fills in. */
const openFields = (of: ClassStatement, classes: Classes): readonly Open[] =>
  lineOf(of, classes)
    .toReversed()
    .flatMap(({ body }) => body)
    .flatMap((each): Open[] => {
      const target = each.kind === "assign" && each.annotation && !each.value ? bare(each.targets[0]!) : null;
      return each.kind === "assign" && target?.kind === "name"
        ? [{ name: { text: target.name, span: target.span }, annotation: each.annotation }]
        : [];
    });

/** Guesses for what a class of settings leaves open. */
const fieldsOf = (of: ClassStatement, classes: Classes): string =>
  [
    ...(methodOf(of, classes, "__init__")?.params.slice(1) ?? []).filter(({ value, starred }) => !value && !starred),
    ...openFields(of, classes),
  ]
    .map((each) => `${each.name.text}=${guessFor(each)}`)
    .join(", ");

const joined = (text: string, lines: readonly string[]): string =>
  `${text}${text.endsWith("\n") ? "" : "\n"}${lines.map((line) => `${line}\n`).join("")}`;

/** A call with inputs of which nothing is known: what asks for more than that says so. */
function probeOf(inputs: readonly ModuleInput[], model: string): readonly string[] {
  return [
    ...inputs.flatMap(({ parts }) => parts.map(({ name }) => `${name} = ...`)),
    `y = ${model}(${inputs.map(({ given }) => given).join(", ")})`,
  ];
}

interface ModuleInput {
  /** Its tensors, with what the text says of them: more than one for what it takes apart, none for what is known. */
  readonly parts: readonly { readonly name: string; readonly evidence: Evidence }[];
  /** The argument. */
  readonly given: string;
}

function inputsOf(
  forward: DefStatement,
  known: Known,
  evidence: (def: DefStatement, name: string) => Evidence,
): readonly ModuleInput[] {
  return forward.params.slice(1).flatMap((param): ModuleInput[] => {
    const { text } = param.name;
    const part = partsOf(forward, param, known);
    const isList = part.layer.length > 0 && !part.items;
    const pieces = isSeveral(part) && !isList ? spread(part, text) : null;
    if (param.starred || (param.value && !pieces && !refusesNone(forward, param))) return [];
    const by = param.value || param.keyword ? `${text}=` : "";
    const own = evidence(forward, text);
    const whole = knownInput(param) ?? (!param.value && own.reads === "whole" ? "whole" : null);
    if (whole) return [{ parts: [], given: `${by}${usualOf(text, whole)}` }];
    if (!pieces) return [{ parts: [{ name: text, evidence: own }], given: `${by}${text}` }];
    const parts = pieces.leaves.map((leaf) => {
      const [reader] = leaf.part.readers;
      return { name: leaf.name, evidence: evidence(reader?.def ?? forward, reader?.name ?? leaf.name) };
    });
    return [{ parts, given: `${by}${pieces.text}` }];
  });
}

/** The defs that forward() may call by name: methods of its class, and those beside it. */
const defsOf = (statements: readonly Statement[], line: readonly ClassStatement[]): Defs =>
  new Map(
    [...line.toReversed().flatMap(({ body }) => body), ...statements].flatMap((each) =>
      each.kind === "def" ? [[each.name.text, each] as const] : [],
    ),
  );

/** Whole numbers that parameters of __init__ are unless a call says otherwise. */
const defaultsOf = (of: ClassStatement, classes: Classes): readonly (readonly [string, number])[] =>
  (methodOf(of, classes, "__init__")?.params ?? []).flatMap(({ name, value }) =>
    value?.kind === "number" && value.whole ? [[name.text, value.value] as const] : [],
  );

/** Whether the program itself calls an object of the class, also one without a name, `Block(256)(x)`: what is wrong then, its mistakes say. */
const isCalled = (statements: readonly Statement[], of: string, instances: ReadonlySet<string>): boolean =>
  expressionsOf(statements).some((expr) => {
    if (expr.kind !== "call") return false;
    const callee = bare(expr.callee);
    if (callee.kind === "member") return FORWARD.test(callee.name.text) && isObjectOf(callee.object, of, instances);
    return isObjectOf(callee, of, instances);
  });

/** Lines that call the outermost class of the program; null where no class has a forward(). */
export function moduleCall(program: Program): ModuleCall | "called" | null {
  const { text, statements, read } = program;
  if (text.length > MAX_TEXT) return null;
  const classes: Classes = new Map(
    statements.flatMap((each): [string, ClassStatement][] => (each.kind === "class" ? [[each.name.text, each]] : [])),
  );
  const of = outermost(statements, classes);
  const forward = of && forwardOf(of, classes);
  if (!of || !forward || forward.body.length === 0) return null;
  const names = namesOf(statements);
  const instances = instancesOf(statements, of.name.text);
  if (isCalled(statements, of.name.text, instances)) return "called";
  const [instance] = instances;
  const model = instance ?? fresh("model", names);
  const defs = defsOf(statements, lineOf(of, classes));
  const evidence = (def: DefStatement, name: string): Evidence => evidenceOf(text, def, name, defs);
  const inputs = inputsOf(forward, { defs, classes }, evidence);
  const guessed = instance !== undefined ? null : guessArguments(program, of, classes, model, names, inputs);
  const made = guessed ? [...guessed.lines, `${model} = ${of.name.text}(${guessed.args})`] : [];
  const parts = inputs.flatMap((input) => input.parts).filter(({ name }) => !names.has(name));
  const open = parts.map(({ name }) => name);
  const result = fresh("y", new Set([...names, ...open]));
  const call = `${result} = ${model}(${inputs.map(({ given }) => given).join(", ")})`;
  const probe = read(joined(text, [...made, ...open.map((name) => `${name} = ...`), call]));
  const sizes = new Map([...defaultsOf(of, classes), ...sizesIn(guessed?.args ?? ""), ...probe.sizesOf(model)]);
  const choices = parts.map((part) => candidates(part.name, probe.wanted.get(part.name) ?? null, sizes, part.evidence));
  const lines = (types: readonly string[]): readonly string[] => [
    ...made,
    ...open.map((name, i) => `${name}: ${types[i]!}`),
    call,
  ];
  const lacking = (tried: readonly string[], at: number): readonly string[] =>
    lines(tried).map((line) => (line.startsWith(`${open[at]!}: `) ? `${open[at]!} = ...` : line));
  const types = fitting(
    choices,
    (tried) => read(joined(text, lines(tried))),
    (tried, at) => read(joined(text, lacking(tried, at))).wanted.get(open[at]!) ?? null,
  );
  const comment = "# Example sizes and shapes: change them here.";
  const insert = ["", ...(made.length + open.length > 0 ? [comment] : []), ...lines(types)]
    .map((line) => `${line}\n`)
    .join("");
  const end = { from: text.length, to: text.length };
  return { name: of.name.text, edits: [{ span: end, insert: `${text.endsWith("\n") ? "" : "\n"}${insert}` }] };
}

/** `name`, or `name_1` where the text has it, or an op is called so. */
function fresh(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name) && !findOp(name)) return name;
  for (let n = 1; ; n++) if (!taken.has(`${name}_${n}`)) return `${name}_${n}`;
}
