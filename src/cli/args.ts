/** @file The command line, read: what is asked for, or a sentence about what is wrong with it. */
import { recordOf } from "../document";
import { posters } from "../panels/posters";
import { parseArgs } from "node:util";
import {
  allProfiles,
  edgeId,
  isKnobValue,
  knobNames,
  knobValues,
  nodeId,
  noKnobs,
  parseEdgeId,
  savedChoices,
  savedPolicies,
  withKnob,
  type SavedChoice,
  type SavedValues,
} from "../fusion";
import type { Checked, CompileOptions, EdgeId, KnobChoices, Knobs } from "../fusion";

export const commands = ["plan", "explain", "wgsl", "run", "train", "export", "picture", "report", "optimum"] as const;
/** Commands that write a file where `-o` names one. */
const writing: ReadonlySet<Command> = new Set(["export", "picture", "report"]);
const pictures = ["fused", "naive", "card", ...posters] as const;
const themes = ["light", "dark"] as const;
export type Command = (typeof commands)[number];
const devices = ["cpu", "webgpu"] as const;
export type DeviceKind = (typeof devices)[number];

export interface Request {
  readonly command: Command;
  /** A path, `-` for standard input, or a share link. */
  readonly file: string;
  readonly json: boolean;
  /** Where export, picture and report write; null: standard output. */
  readonly out: string | null;
  /** Of picture: a plan's graph, both plans on a card, or a chart of both; and in which colours. */
  readonly of: (typeof pictures)[number];
  readonly theme: (typeof themes)[number];
  readonly device: DeviceKind;
  /** Of train: how many steps, and the seed of weights and batches. */
  readonly steps: number;
  readonly seed: number;
  /** Files of WGSL that run instead of kernels of the fused plan, by the kernel's id or name. */
  readonly kernels: ReadonlyMap<string, string>;
  /** Extents that a model leaves open, by name; several are the shape of an input. */
  readonly dims: ReadonlyMap<string, readonly number[]>;
  /** Numbers of inputs that are known while planning, by name. */
  readonly bound: ReadonlyMap<string, readonly number[]>;
  /** A file whose device profile is planned for; null: the document's, or one by name. */
  readonly profileFile: string | null;
  /** What the flags say about the options; laid over the document's own. */
  readonly changes: Partial<CompileOptions>;
}

/** `check PATH…`: folders of external cases. */
export interface CheckRequest {
  readonly command: "check";
  readonly paths: readonly string[];
  readonly json: boolean;
  readonly device: DeviceKind;
}

const knobLines = (): string =>
  knobNames
    .map((knob) => `      ${knob}=${knob === "tile" ? "64x128x16/8x8, 64x32/4 …" : knobValues[knob].join("|")}`)
    .join("\n");

export const usageText = `Usage: npm run -s fusion -- COMMAND FILE [flags]

  plan      kernels, traffic and decisions
  explain   every decision with its reason
  wgsl      the generated shaders
  run       run naive and fused, and compare both with a 64-bit reference
  train     run steps of a program that trains, naive beside fused [--steps N] [--seed N]
  export    the fused plan as an ES module of its own, to -o FILE.mjs or standard output
  picture   the graph as SVG, or as PNG with -o FILE.png [--of ${pictures.join("|")}] [--theme light|dark]
  report    a page to print, to -o FILE.html: program, graph, counts, kernels, decisions
  optimum   the best plan by the cost model beside the planner's, for graphs of few ops
  check     PATH…: folders of ONNX and JAX cases with inputs and expected outputs [--device] [--json]

FILE is a program (.py), a saved document (.fusion.json), an ONNX model, a share link, or - for standard input.

  --json                              print JSON
  -o, --out FILE                      where export, picture and report write
  --device cpu|webgpu                 where run and train compute (cpu)
  --steps N                           how many steps train runs (100)
  --seed N                            other weights and another order of examples (0: those of the page)
  --kernel K1=FILE.wgsl               run this text instead of a kernel of the fused plan, with --device webgpu;
                                      its threads are those of @workgroup_size, its workgroups those of a comment: // workgroups: 256
  --granularity op|statement|primitive   kernels of the naive plan (op)
  --profile NAME|FILE.json            ${allProfiles.map(({ name }) => name).join(", ")}, or a device from a file: its numbers, or a saved document planned for it
  --level 0|1|2|3                     0 no passes, 1 op by op, 2 also rows and matmuls, 3 also algebra (3)
  --strict                            no reassociation
  --force EDGE, --forbid EDGE         fuse this edge, or don't: producer>consumer:operand
  --dim NAME=N, --dim INPUT=N,M,…     a size, or the shape of an input, that a model does not fix
  --bind INPUT=V, --bind INPUT=V,W,…  the value of a model's input, known while planning: a rate, a flag, a shape
  --policy materialise|duplicate|multi   a value with several readers
  --library-above N                   matmuls above N FLOP per byte keep their tuned kernel
  --backward joint|apart              both passes as one graph, or the backward pass later (joint)
  --saved stored|cut|segments|recomputed   what is saved for the backward pass: all values it reads, the min-cut, ends of segments, inputs only
  --saved-bytes N                     save at most N bytes, with --saved cut
  --keep VALUE=${savedChoices.join("|")}   the same for one value
  --knob NAME=VALUE, --knob OUTPUT.NAME=VALUE   how kernels are scheduled: all, or the one that stores OUTPUT:
${knobLines()}
`;

const flags = {
  json: { type: "boolean" },
  out: { type: "string", short: "o" },
  device: { type: "string" },
  of: { type: "string" },
  theme: { type: "string" },
  steps: { type: "string" },
  seed: { type: "string" },
  kernel: { type: "string", multiple: true },
  granularity: { type: "string" },
  profile: { type: "string" },
  level: { type: "string" },
  strict: { type: "boolean" },
  force: { type: "string", multiple: true },
  forbid: { type: "string", multiple: true },
  policy: { type: "string" },
  backward: { type: "string" },
  saved: { type: "string" },
  "saved-bytes": { type: "string" },
  keep: { type: "string", multiple: true },
  knob: { type: "string", multiple: true },
  "library-above": { type: "string" },
  dim: { type: "string", multiple: true },
  bind: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

const wrong = (text: string): Checked<never> => ({ ok: false, code: "usage", text });

function oneOf<T extends string>(
  flag: string,
  value: string | undefined,
  choices: readonly T[],
): Checked<T | undefined> {
  const found = choices.find((choice) => choice === value);
  if (value === undefined || found !== undefined) return { ok: true, value: found };
  return wrong(`--${flag} is ${choices.join(" or ")}, not ${value}.`);
}

function wholeNumber(
  flag: string,
  value: string | undefined,
  { usual, least, most }: { readonly usual: number; readonly least: number; readonly most: number },
): Checked<number> {
  const read = value === undefined ? usual : Number(value);
  return value?.trim() !== "" && Number.isInteger(read) && read >= least && read <= most
    ? { ok: true, value: read }
    : wrong(`--${flag} is a whole number from ${least} to ${most}, not ${value}.`);
}

function edges(flag: string, values: readonly string[] | undefined): Checked<EdgeId[]> {
  const read: EdgeId[] = [];
  for (const value of values ?? []) {
    const found = parseEdgeId(value);
    if (!found) return wrong(`--${flag} ${value} is not an edge. Write it as producer>consumer:operand.`);
    read.push(edgeId(found.producer, found.consumer, found.operand));
  }
  return { ok: true, value: read };
}

/** Undefined when nothing was chosen. */
function choices(values: readonly string[] | undefined): Checked<KnobChoices | undefined> {
  if (!values) return { ok: true, value: undefined };
  let all = noKnobs;
  const kernels = recordOf<Knobs>();
  for (const text of values) {
    const [, output, name, value = ""] = /^(?:(.+)\.)?(\w+)=(.+)$/.exec(text) ?? [];
    const knob = knobNames.find((each) => each === name);
    if (!knob)
      return wrong(
        `--knob ${text} is no choice. One is written threads=64 or y.threads=64; there are ${knobNames.join(", ")}.`,
      );
    if (!isKnobValue(knob, value)) return wrong(`--knob ${text}: ${knob} can't be ${value}.`);
    if (output === undefined) all = withKnob(all, knob, value);
    else kernels[output] = withKnob(kernels[output] ?? noKnobs, knob, value);
  }
  return { ok: true, value: { all, kernels } };
}

function extents(values: readonly string[] | undefined): Checked<Map<string, number[]>> {
  const read = new Map<string, number[]>();
  for (const value of values ?? []) {
    const [, name, list] = /^(.+)=(\d+(?:,\d+)*)$/.exec(value) ?? [];
    if (name === undefined || list === undefined) return wrong(`--dim ${value} is no extent. One is written batch=8.`);
    read.set(name, list.split(",").map(Number));
  }
  return { ok: true, value: read };
}

/** `--bind sr=16000`, `--bind flag=true`, `--bind shape=1,3`: numbers by the input's name. */
function boundValues(given: readonly string[] = []): Checked<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, readonly number[]>();
  for (const text of given) {
    const [, name, list] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    const numbers = list?.split(",").map((each) => {
      const word = each.trim().toLowerCase();
      return word === "true" ? 1 : word === "false" ? 0 : word === "" ? Number.NaN : Number(word);
    });
    if (name === undefined || !numbers || numbers.some(Number.isNaN))
      return wrong(`--bind ${text} is no value. One is written sr=16000.`);
    found.set(name, numbers);
  }
  return { ok: true, value: found };
}

/** The flags of a command line by name; how Node words what is wrong with them stays its own. */
function parsed(args: readonly string[]) {
  try {
    return { ok: true, value: parseArgs({ args: [...args], options: flags, allowPositionals: true }) } as const;
  } catch (refused) {
    return wrong(refused instanceof Error ? refused.message : String(refused));
  }
}

type Flag = keyof typeof flags;
/** All that check takes: nothing is planned by options there. */
const checkFlags: ReadonlySet<string> = new Set<Flag>(["json", "device"]);

function readCheck(paths: readonly string[], values: { readonly [flag in Flag]?: unknown }): Checked<CheckRequest> {
  if (paths.length === 0) return wrong("check needs a PATH.");
  const other = Object.keys(values).find((flag) => !checkFlags.has(flag));
  if (other !== undefined) return wrong(`check takes no --${other}.`);
  const device = oneOf("device", typeof values.device === "string" ? values.device : undefined, devices);
  if (!device.ok) return device;
  return { ok: true, value: { command: "check", paths, json: values.json === true, device: device.value ?? "cpu" } };
}

/** null: help was asked for. */
export function readArgs(args: readonly string[]): Checked<Request | CheckRequest | null> {
  const read = parsed(args);
  if (!read.ok) return read;
  const { values, positionals } = read.value;
  if (values.help || args.length === 0) return { ok: true, value: null };
  const [name, file, ...rest] = positionals;
  if (name === "check") return readCheck(positionals.slice(1), values);
  const command = commands.find((each) => each === name);
  if (!command) return wrong(`${name ?? "Nothing"} is no command. There are ${[...commands, "check"].join(", ")}.`);
  if (file === undefined) return wrong(`${command} needs a FILE.`);
  if (rest.length > 0) return wrong(`One FILE at a time; ${rest.join(" ")} is left over.`);
  const device = oneOf("device", values.device, devices);
  if (!device.ok) return device;
  const changes = readOptions(values);
  if (!changes.ok) return changes;
  const dims = extents(values.dim);
  if (!dims.ok) return dims;
  const bound = boundValues(values.bind);
  if (!bound.ok) return bound;
  const steps = wholeNumber("steps", values.steps, { usual: 100, least: 1, most: 1e6 });
  if (!steps.ok) return steps;
  const seed = wholeNumber("seed", values.seed, { usual: 0, least: 0, most: 2 ** 32 - 1 });
  if (!seed.ok) return seed;
  if (command !== "train" && (values.steps !== undefined || values.seed !== undefined))
    return wrong(`${command} takes no steps; --steps and --seed are for train.`);
  const { json = false, out = null } = values;
  if (out !== null && !writing.has(command))
    return wrong(`${command} writes no file; -o is for ${[...writing].join(", ")}.`);
  const of = oneOf("of", values.of, pictures);
  if (!of.ok) return of;
  const theme = oneOf("theme", values.theme, themes);
  if (!theme.ok) return theme;
  if (command !== "picture" && (of.value || theme.value))
    return wrong(`--of and --theme are for picture, not ${command}.`);
  const kernels = kernelFiles(values.kernel);
  if (!kernels.ok) return kernels;
  if (kernels.value.size > 0 && (command !== "run" || device.value !== "webgpu"))
    return wrong("--kernel is for run --device webgpu: a kernel of one's own runs on a GPU alone.");
  const asked = {
    command,
    kernels: kernels.value,
    file,
    json,
    out: out === "-" ? null : out,
    of: of.value ?? "fused",
    theme: theme.value ?? "light",
    device: device.value ?? "cpu",
    steps: steps.value,
    seed: seed.value,
    dims: dims.value,
    bound: bound.value,
    profileFile: isProfileFile(values.profile) ? values.profile! : null,
    changes: changes.value,
  } as const;
  return { ok: true, value: asked };
}

/** `--kernel K1=mine.wgsl`: files by a kernel's id or name. */
function kernelFiles(given: readonly string[] = []): Checked<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const text of given) {
    const [, name, path] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (name === undefined || path === undefined)
      return wrong(`--kernel ${text} is no kernel. One is written K1=mine.wgsl.`);
    found.set(name, path);
  }
  return { ok: true, value: found };
}

interface OptionFlags {
  readonly granularity?: string;
  readonly profile?: string;
  readonly policy?: string;
  readonly level?: string;
  readonly strict?: boolean;
  readonly backward?: string;
  readonly saved?: string;
  readonly "saved-bytes"?: string;
  readonly keep?: readonly string[];
  readonly knob?: readonly string[];
  readonly "library-above"?: string;
  readonly force?: readonly string[];
  readonly forbid?: readonly string[];
}

const isProfileFile = (value: string | undefined): boolean => value?.endsWith(".json") ?? false;

const LEVELS = { "0": 0, "1": 1, "2": 2, "3": 3 } as const;

function readOptions(values: OptionFlags): Checked<Partial<CompileOptions>> {
  const granularity = oneOf("granularity", values.granularity, ["op", "statement", "primitive"]);
  if (!granularity.ok) return granularity;
  const policy = oneOf("policy", values.policy, ["materialise", "duplicate", "multi", "cost"]);
  if (!policy.ok) return policy;
  const level = oneOf("level", values.level, ["0", "1", "2", "3"]);
  if (!level.ok) return level;
  const names = allProfiles.map(({ name }) => name);
  const profile = oneOf("profile", isProfileFile(values.profile) ? undefined : values.profile, names);
  if (!profile.ok) return profile;
  const forced = edges("force", values.force);
  if (!forced.ok) return forced;
  const forbidden = edges("forbid", values.forbid);
  if (!forbidden.ok) return forbidden;
  const knobs = choices(values.knob);
  if (!knobs.ok) return knobs;
  const saved = readSaved(values);
  if (!saved.ok) return saved;
  const { "library-above": line } = values;
  if (line !== undefined && !(Number(line) >= 0))
    return wrong(`--library-above ${line} is no number of FLOP per byte.`);
  const chosen = allProfiles.find(({ name }) => name === profile.value);
  return {
    ok: true,
    value: {
      ...(granularity.value ? { granularity: granularity.value } : {}),
      ...(policy.value ? { policy: policy.value } : {}),
      ...(level.value ? { level: LEVELS[level.value] } : {}),
      ...(chosen ? { profile: chosen } : {}),
      ...(values.strict ? { strict: true } : {}),
      ...(line === undefined ? {} : { matmulPolicy: "threshold", libraryAbove: Number(line) }),
      ...(saved.value ? { savedValues: saved.value } : {}),
      ...(knobs.value ? { knobs: knobs.value } : {}),
      ...(forced.value.length > 0 ? { forced: forced.value } : {}),
      ...(forbidden.value.length > 0 ? { forbidden: forbidden.value } : {}),
    },
  };
}

/** What the backward pass keeps; undefined when nothing is said about it. */
function readSaved(values: OptionFlags): Checked<SavedValues | undefined> {
  const backward = oneOf("backward", values.backward, ["joint", "apart"]);
  if (!backward.ok) return backward;
  const policy = oneOf("saved", values.saved, savedPolicies);
  if (!policy.ok) return policy;
  const { "saved-bytes": bytes, keep = [] } = values;
  if (bytes !== undefined && !(Number(bytes) >= 0)) return wrong(`--saved-bytes ${bytes} is no number of bytes.`);
  const choices = recordOf<SavedChoice>();
  for (const text of keep) {
    const [value, chosen] = [text.slice(0, text.lastIndexOf("=")), text.slice(text.lastIndexOf("=") + 1)];
    const choice = savedChoices.find((each) => each === chosen);
    if (!choice || value === "")
      return wrong(`--keep ${text} is no choice. One is written h=recompute; there are ${savedChoices.join(", ")}.`);
    choices[nodeId(value)] = choice;
  }
  if (!values.backward && !policy.value && bytes === undefined && keep.length === 0)
    return { ok: true, value: undefined };
  const apart = backward.value === "apart";
  const budget = bytes === undefined ? {} : { budgetBytes: Number(bytes) };
  return { ok: true, value: { apart, policy: policy.value, ...budget, choices } };
}
