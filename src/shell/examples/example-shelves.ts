/** @file The examples by chapter, narrowed to those that fit some words. Pure. */
import {
  chapters,
  examples,
  findExample,
  keywordsOf,
  startHere,
  variantId,
  type Chapter,
  type Example,
  type Variant,
} from "../../lessons";

/** One example with those of its variants that fit. */
export interface ShownExample {
  readonly example: Example;
  readonly variants: readonly Variant[];
  /** Stands here a second time, as one of those to begin with: what one learns from it. */
  readonly first?: string;
}

export interface Shelf {
  readonly chapter: Pick<Chapter, "id" | "title" | "sentence">;
  readonly shown: readonly ShownExample[];
}

const plain = (text: string): string => text.toLowerCase();
const fits = (words: readonly string[], ...texts: readonly (string | undefined)[]): boolean => {
  const text = plain(texts.join(" "));
  return words.every((word) => text.includes(word));
};

/** `level 2`: the optimisation level of the passes that fuse an example, as it is written beside it. */
export const levelWords = (level: number): string => `level ${level}`;

/** The level of an example by its id; nothing while nobody has planned it. */
type LevelOf = (id: string) => number | undefined;

function shownOf(words: readonly string[], chapter: Chapter, example: Example, levelOf: LevelOf): ShownExample | null {
  const { id, title, sentence, variants = [] } = example;
  const level = levelOf(id);
  const own = [chapter.title, chapter.number ?? "", id, title, sentence, ...keywordsOf(id)];
  if (level !== undefined) own.push(levelWords(level));
  if (fits(words, ...own)) return { example, variants };
  const fitting = variants.filter((variant) => fits(words, ...own, variant.id, variant.title, variant.sentence));
  return fitting.length > 0 ? { example, variants: fitting } : null;
}

/** Chapters with examples in whose names and sentences every one of the words occurs, or where there are none in their programs; all of them for no words. */
export function shelvesFor(search: string, levelOf: LevelOf = () => undefined): readonly Shelf[] {
  const words = plain(search).split(/\s+/).filter(Boolean);
  const shelves = (show: (example: Example, chapter: Chapter) => ShownExample | null): readonly Shelf[] =>
    chapters
      .map((chapter) => ({
        chapter,
        shown: examples
          .filter((example) => example.chapter === chapter.id)
          .flatMap((example) => show(example, chapter) ?? []),
      }))
      .filter(({ shown }) => shown.length > 0);
  const named = shelves((example, chapter) => shownOf(words, chapter, example, levelOf));
  return named.length > 0
    ? named
    : shelves((example) => (fits(words, example.text) ? { example, variants: [] } : null));
}

/** The examples that a newcomer begins with, above all others. */
export const startShelf: Shelf = {
  chapter: { id: "start-here" as Chapter["id"], title: "Start here", sentence: "Five examples to begin with" },
  shown: startHere.map(({ example, title }) => ({ example: findExample(example)!, variants: [], first: title })),
};

const START = "start:";
/** An entry of the list: an example, a variant of it, or an example among those to begin with. */
export const entryId = ({ example, first }: ShownExample): string => (first ? `${START}${example.id}` : example.id);
/** The example or variant that an entry opens. */
export const exampleOf = (entry: string): string => (entry.startsWith(START) ? entry.slice(START.length) : entry);

/** The entries in the order of the list. */
export const idsOf = (shelves: readonly Shelf[]): readonly string[] =>
  shelves.flatMap(({ shown }) =>
    shown.flatMap((row) => [entryId(row), ...row.variants.map((each) => variantId(row.example, each))]),
  );

/** The first entry of the chapter after (1) or before (-1) the one that has `id`; null where there is none. */
export function neighbourChapter(shelves: readonly Shelf[], id: string | undefined, direction: 1 | -1): string | null {
  const at = shelves.findIndex((shelf) => idsOf([shelf]).some((each) => each === id));
  const first = shelves[at + direction]?.shown[0];
  return first ? entryId(first) : null;
}

/** The entry that the words name best: by the whole title, by its start, otherwise the first of the list. */
export function bestOf(shelves: readonly Shelf[], search: string): string | undefined {
  const wanted = plain(search.trim());
  const shown = shelves.flatMap((shelf) => shelf.shown.map(({ example }) => example));
  const titled = (fit: (title: string) => boolean) => shown.find(({ title }) => fit(plain(title)))?.id;
  return titled((title) => title === wanted) ?? titled((title) => title.startsWith(wanted)) ?? shown[0]?.id;
}
