/** @file The examples, in the menu's order, and their variants. */
import { bandwidth } from "./chapters/bandwidth";
import { challenges } from "./chapters/challenges";
import { derivatives } from "./chapters/derivatives";
import { hurts } from "./chapters/hurts";
import { intensity } from "./chapters/intensity";
import { intermediates } from "./chapters/intermediates";
import { models } from "./chapters/models";
import { more } from "./chapters/more";
import { orders } from "./chapters/orders";
import { operators } from "./chapters/operators";
import { training } from "./chapters/training";
import type { Chapter, Example, Variant } from "./example";

export const chapters: readonly Chapter[] = [
  { id: "models", number: null, title: "Models", sentence: "Blocks of well-known networks, in everyday code." },
  {
    id: "bandwidth",
    number: "000",
    title: "Memory is the bottleneck",
    sentence: "Normalisations, activations and attention scores.",
  },
  { id: "operators", number: "001", title: "Operator fusion", sentence: "Matmuls with their activations, attention." },
  {
    id: "intensity",
    number: "002",
    title: "Arithmetic intensity",
    sentence: "Norms, and a linear layer with the ops after it.",
  },
  {
    id: "derivatives",
    number: "003",
    title: "Fusion and derivatives",
    sentence: "Chains, shared values, backward passes, softmax, layout.",
  },
  {
    id: "intermediates",
    number: "004",
    title: "Intermediate tensors",
    sentence: "A chain, batch statistics, matmuls that are reduced at once.",
  },
  {
    id: "training",
    number: null,
    title: "Training",
    sentence: "A step of training as one plan: press Train and watch the loss fall.",
  },
  { id: "when-it-hurts", number: null, title: "When fusion hurts", sentence: "A counter-example for each reason." },
  {
    id: "challenges",
    number: null,
    title: "Challenges",
    sentence: "Each program states a goal that it misses. Change it until it reaches the goal.",
  },
  { id: "more", number: null, title: "More to try", sentence: "The language, and layouts." },
];

/** Without variants; grouped by chapter, in the chapters' order. */
export const examples: readonly Example[] = [
  ...models,
  ...bandwidth,
  ...operators,
  ...intensity,
  ...derivatives,
  ...intermediates,
  ...training,
  ...hurts,
  ...challenges,
  ...orders,
  ...more,
];

/** The id under which a variant is opened, linked and stored. */
export const variantId = (example: Example, variant: Variant): string => `${example.id}/${variant.id}`;

const withVariant = (example: Example, { id, title, ...changes }: Variant): Example => ({
  ...example,
  ...changes,
  id: `${example.id}/${id}`,
  title: `${example.title}: ${title}`,
});

/** Every example and every variant of it as an example of its own. */
export const allLessons: readonly Example[] = examples.flatMap((example) => [
  example,
  ...(example.variants ?? []).map((variant) => withVariant(example, variant)),
]);

const byId = new Map(allLessons.map((lesson) => [lesson.id, lesson]));

/** The example or variant called `id`, or null. */
export const findExample = (id: string | null): Example | null => (id === null ? null : (byId.get(id) ?? null));

/** The example itself where `id` names a variant of it; null when there is none. */
export const presetOf = (id: string | null): Example | null => findExample(id?.split("/")[0] ?? null);

/** What a first visit opens. */
export const startExample: Example = byId.get("layer-norm-gelu")!;

/** The example's size that the text has now; null when the person chose another. */
export function sizeOfText(example: Example, text: string): "S" | "M" | "L" | null {
  const { sizes } = example;
  if (!sizes) return null;
  const found = new RegExp(`^${sizes.name} *= *(\\d+)`, "m").exec(text);
  const value = found ? Number(found[1]) : null;
  return (["S", "M", "L"] as const).find((size) => sizes[size] === value) ?? null;
}

/** The text is the example's, at whichever size; comments and spaces count. */
export function isTextOf({ text: given, sizes }: Example, text: string): boolean {
  if (!sizes) return text === given;
  const size = new RegExp(`^(${sizes.name} *= *)\\d+`, "m");
  return text.replace(size, "$1") === given.replace(size, "$1");
}
