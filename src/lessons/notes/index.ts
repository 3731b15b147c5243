/** @file All side notes: where they are read, and beside what they stand. */
import { elsewhere } from "./elsewhere";
import { ideas } from "./ideas";
import type { Note, NoteKind } from "./note";
import { practices } from "./practice";
import { questions } from "./questions";
import { terms } from "./terms";

export const notes: readonly Note[] = [...ideas, ...questions, ...elsewhere, ...practices, ...terms];

/** The shelves of the list, in its order. */
export const noteKinds: readonly { readonly kind: NoteKind; readonly title: string }[] = [
  { kind: "idea", title: "How it works" },
  { kind: "question", title: "Nine questions" },
  { kind: "elsewhere", title: "Elsewhere" },
  { kind: "practice", title: "Good practice" },
  { kind: "term", title: "Words" },
];

const byId = new Map(notes.map((note) => [note.id, note]));
export const findNote = (id: string | null): Note | null => (id === null ? null : (byId.get(id) ?? null));

/** Notes beside an example, or beside the example that `id` is a variant of. */
export const notesOfExample = (id: string | null): readonly Note[] =>
  id === null
    ? []
    : notes.filter(({ examples = [] }) => examples.some((each) => each === id || id.startsWith(`${each}/`)));

export const notesOfPass = (pass: string): readonly Note[] => notes.filter(({ passes = [] }) => passes.includes(pass));
