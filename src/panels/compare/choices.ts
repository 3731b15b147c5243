/** @file What may stand on a side of a comparison, and pairs that are worth a look from any program. */
import { a100, allProfiles, laptop, levels, type DeviceProfile } from "../../fusion";
import type { Comparison, Document, World } from "../../document";
import { findExample, presetOf, variantId } from "../../lessons";
import { profileTitle } from "../../state";

/** How a program is planned and how far. */
export interface PlanChoice {
  readonly id: string;
  readonly group: "Steps" | "Level" | "Device" | "Rounding" | "Shared values" | "Granularity";
  readonly title: string;
  /** On its own, as the head of a side. */
  readonly short: string;
  readonly world: Pick<World, "change" | "at">;
}

/** Which program. */
export interface ProgramChoice {
  readonly id: string;
  readonly title: string;
  readonly world: Pick<World, "example" | "text"> & { readonly change?: World["change"] };
}

/** What of the page the choices depend on. */
export interface Surroundings {
  readonly document: Document;
  /** What undo leads back to. */
  readonly earlier: Document | null;
  /** This device as it was measured; null before a run. */
  readonly measured: DeviceProfile | null;
  /** The step that the page shows, and how many there are. */
  readonly cursor: number;
  readonly steps: number;
}

const device = (profile: DeviceProfile, title = profileTitle(profile)): PlanChoice => ({
  id: `device ${profile.name}`,
  group: "Device",
  title,
  // What is said of where the numbers come from stands in the list.
  short: title.split(",")[0]!,
  world: { change: { profile } },
});

const policies = {
  cost: "chosen by cost",
  materialise: "stored",
  duplicate: "recomputed",
  multi: "one kernel",
} as const;
const granularities = { op: "an op as written", statement: "a statement", primitive: "a primitive" } as const;

export function planChoices({ measured, cursor, steps }: Surroundings): readonly PlanChoice[] {
  const step: PlanChoice[] =
    cursor > 0 && cursor < steps
      ? [
          {
            id: "step",
            group: "Steps",
            title: `step ${cursor}`,
            short: `step ${cursor}`,
            world: { change: {}, at: cursor },
          },
        ]
      : [];
  return [
    { id: "fused", group: "Steps", title: "as chosen, step by step", short: "fused", world: { change: {} } },
    { id: "naive", group: "Steps", title: "naive plan", short: "naive", world: { change: {}, at: 0 } },
    ...step,
    ...levels.map(({ level }): PlanChoice => ({
      id: `level ${level}`,
      group: "Level",
      title: `level ${level}`,
      short: `level ${level}`,
      world: { change: { level } },
    })),
    ...allProfiles.map((profile) => device(profile)),
    ...(measured ? [device(measured, "this device, measured")] : []),
    ...[true, false].map((strict): PlanChoice => ({
      id: strict ? "strict" : "fast",
      group: "Rounding",
      title: strict ? "strict: rounding must not change" : "fast: rounding may change",
      short: strict ? "strict" : "fast",
      world: { change: { strict } },
    })),
    ...(["cost", "materialise", "duplicate", "multi"] as const).map((policy): PlanChoice => ({
      id: `policy ${policy}`,
      group: "Shared values",
      title: policies[policy],
      short: `values ${policies[policy]}`,
      world: { change: { policy } },
    })),
    ...(["op", "statement", "primitive"] as const).map((granularity): PlanChoice => ({
      id: `granularity ${granularity}`,
      group: "Granularity",
      title: `a kernel for ${granularities[granularity]}`,
      short: `by ${granularity}`,
      world: { change: { granularity } },
    })),
  ];
}

export function programChoices({ document, earlier }: Surroundings): readonly ProgramChoice[] {
  const preset = presetOf(document.example);
  const variants = preset
    ? [
        { id: preset.id, title: "Original" },
        ...(preset.variants ?? []).map((variant) => ({ id: variantId(preset, variant), title: variant.title })),
      ]
    : [];
  return [
    { id: "this", title: "this program", world: {} },
    ...(earlier && earlier.text.trim() !== ""
      ? [
          {
            id: "earlier",
            title: "before the last edit",
            world: { text: earlier.text, change: earlier.options },
          },
        ]
      : []),
    ...variants
      .filter(({ id }) => findExample(id)?.text !== document.text)
      .map(({ id, title }) => ({ id, title: `${preset!.title}: ${title}`, world: { example: id } })),
    ...orders
      .filter(({ id }) => !variants.some((each) => each.id === id))
      .map(({ id, title }) => ({ id, title, world: { example: id } })),
  ];
}

/** One layer, lifted and differentiated in two orders. */
const orders = [
  { id: "batches/then-gradient", title: "batch, then gradient" },
  { id: "batches/each-gradient", title: "gradient, then batch" },
] as const;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export interface Chosen {
  /** null: choices that came with a link and are not in the list. */
  readonly program: ProgramChoice | null;
  readonly plan: PlanChoice | null;
}

/** Which of the choices a side is made of. */
export function chosenOf(world: World, around: Surroundings): Chosen {
  const program =
    programChoices(around).find((each) => each.world.example === world.example && each.world.text === world.text) ??
    null;
  const own = program?.world.change ?? {};
  const plan = planChoices(around).find(
    (each) => each.world.at === world.at && same({ ...own, ...each.world.change }, world.change),
  );
  return { program, plan: plan ?? null };
}

export const worldOf = (program: ProgramChoice, plan: PlanChoice): World => ({
  ...program.world,
  ...plan.world,
  change: { ...program.world.change, ...plan.world.change },
});

/** Titles of two programs without what they begin with alike: `store exp` of `Softmax: store exp`, beside another softmax. */
function apartTitles(first: string, second: string): readonly [string, string] {
  const [a, b] = [first.split(": "), second.split(": ")];
  const alike = a.findIndex((part, i) => part !== b[i]);
  const from = alike < 0 ? 0 : Math.min(alike, b.length - 1);
  return [a.slice(from).join(": "), b.slice(from).join(": ")];
}

/** What to call both sides: by what tells them apart. */
export function sideNames(worlds: Comparison["worlds"], around: Surroundings): readonly [string, string] {
  const [first, second] = worlds.map((world) => chosenOf(world, around)) as [Chosen, Chosen];
  const [one, other] = [first, second].map(({ program }) => program?.title ?? "a linked program") as [string, string];
  const titles = apartTitles(one, other);
  const name = ({ plan }: Chosen, at: 0 | 1): string => {
    const words = [
      ...(first.program?.id === second.program?.id ? [] : [titles[at]]),
      ...(first.plan?.id === second.plan?.id ? [] : [plan?.short ?? "other choices"]),
    ];
    return words.length > 0 ? words.join(", ") : (plan?.short ?? "the same");
  };
  return [name(first, 0), name(second, 1)];
}

export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly worlds: Comparison["worlds"];
}

/** Pairs that are worth a look, from any program. */
export function presets({ earlier, measured, cursor, steps }: Surroundings): readonly Preset[] {
  const level = (at: 1 | 3): World => ({ change: { level: at } });
  const pair = (id: string, title: string, first: World, second: World): Preset => ({
    id,
    title,
    worlds: [first, second],
  });
  return [
    pair("naive-fused", "Naive and fused", { change: {}, at: 0 }, { change: {} }),
    pair("levels", "Level 1 and level 3", level(1), level(3)),
    pair(
      "devices",
      measured ? "A100 and this device" : "A100 and a laptop",
      { change: { profile: a100 } },
      { change: { profile: measured ?? laptop } },
    ),
    pair("rounding", "Strict and fast", { change: { strict: true } }, { change: { strict: false } }),
    pair(
      "orders",
      "Batch then gradient, gradient then batch",
      { example: orders[0].id, change: {} },
      { example: orders[1].id, change: {} },
    ),
    ...(cursor > 0 && cursor < steps
      ? [pair("step", `Step ${cursor} and the end`, { change: {}, at: cursor }, { change: {} })]
      : []),
    ...(earlier && earlier.text.trim() !== ""
      ? [
          pair(
            "edit",
            "Before and after the last edit",
            { text: earlier.text, change: earlier.options },
            { change: {} },
          ),
        ]
      : []),
  ];
}
