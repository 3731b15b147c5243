/** @file Where a person looked: what a link restores beside the program. Untrusted JSON in, fresh values out. */
import * as v from "valibot";
import type { CompileOptions } from "../fusion";
import { limits } from "./limits";
import { options } from "./options";

/** The tabs of the inspector in their order, by the names that links keep, with their titles. */
export const inspectorTabs = {
  wgsl: "WGSL",
  loops: "Loops",
  decisions: "Decisions",
  traffic: "Traffic",
  memory: "Memory",
  values: "Values",
  run: "Run",
} as const;
export type InspectorTab = keyof typeof inspectorTabs;
export const tabNames = Object.keys(inspectorTabs) as InspectorTab[];
export const panes = ["lesson", "text", "graph", "kernels", "run"] as const;
export type Pane = (typeof panes)[number];

/** A part of the graph, in px of the graph itself: the same on every screen. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What was closed or opened by hand, by the identity of a kernel, a group or a block. */
export type Folds = ReadonlyMap<string, "open" | "closed">;

/** One side of a comparison: a program, the choices that plan it, and how many of its steps are shown. */
export interface World {
  /** An example by its id, or a text; with neither, the program on the page. */
  readonly example?: string;
  readonly text?: string;
  /** Choices that differ from the document's. */
  readonly change: Partial<CompileOptions>;
  /** It takes this many of its steps and no more, 0 for the naive plan; absent: all. */
  readonly at?: number;
}

export interface Comparison {
  readonly worlds: readonly [World, World];
  /** How many of both sides' steps, in their common order, are shown; absent: all. */
  readonly shown?: number;
}

/** The shown kernel at work: one of its workgroups, and the moment that is shown, from 0; absent while it plays. */
export interface InsideView {
  readonly workgroup?: number;
  readonly at?: number;
}

/** Every part may be missing; then the page chooses. */
export interface SharedView {
  readonly version: 1;
  readonly tab?: InspectorTab;
  readonly pane?: Pane;
  /** The inspector is open. */
  readonly inspector?: boolean;
  /** Name of the kernel that the inspector shows. */
  readonly kernel?: string;
  readonly selection?: { readonly kind: "node" | "edge" | "region"; readonly id: string };
  readonly opened?: readonly string[];
  readonly closed?: readonly string[];
  readonly camera?: Area;
  /** The naive plan is shown; other states are named by a decision. */
  readonly naive?: true;
  /** `step` from 0. */
  readonly lesson?: { readonly id: string; readonly step: number };
  readonly compare?: Comparison;
  /** Both plans race; `at`: where the clock stands, 0 to 1 of the race. */
  readonly race?: { readonly at?: number };
  readonly inside?: InsideView;
}

const finite = v.pipe(v.number(), v.finite(), v.minValue(-limits.coordinate), v.maxValue(limits.coordinate));
const extent = v.pipe(finite, v.minValue(1));
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(3 * limits.name));
const names = v.pipe(v.array(name), v.maxLength(limits.entries));

const steps = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e9));
const world = v.object({
  example: v.optional(name),
  text: v.optional(v.string()),
  change: v.partial(options),
  at: v.optional(steps),
});

const parts = {
  tab: v.picklist(tabNames),
  pane: v.picklist(panes),
  inspector: v.boolean(),
  kernel: name,
  selection: v.object({ kind: v.picklist(["node", "edge", "region"]), id: name }),
  opened: names,
  closed: names,
  camera: v.object({ x: finite, y: finite, width: extent, height: extent }),
  naive: v.literal(true),
  lesson: v.object({ id: name, step: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000)) }),
  compare: v.object({ worlds: v.tuple([world, world]), shown: v.optional(steps) }),
  inside: v.object({ workgroup: v.optional(steps), at: v.optional(steps) }),
  race: v.object({ at: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))) }),
} satisfies { readonly [P in Exclude<keyof SharedView, "version">]-?: v.GenericSchema<unknown, SharedView[P]> };

/** The parts that can be read; the others are named in `dropped`. Of another version nothing is understood: null. */
export function readView(value: unknown, dropped: string[]): SharedView | null {
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null || !("version" in value) || value.version !== 1) {
    dropped.push("the view");
    return null;
  }
  const view: Record<string, unknown> = { version: 1 };
  for (const [part, found] of Object.entries(value)) {
    if (part === "version") continue;
    const schema = Object.hasOwn(parts, part) ? parts[part as keyof typeof parts] : null;
    const read = schema && v.safeParse(schema, found);
    if (read?.success) view[part] = read.output;
    else dropped.push(`view.${part}`);
  }
  return view as unknown as SharedView;
}
