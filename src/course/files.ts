/**
 * @file The files of the course and the pictures of their steps: all that a lesson's text needs. No engine comes with it,
 * so that a lesson can be read before there is a plan.
 */
import type { Lesson, LessonHead } from "./lesson";

const inOrder = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });

const headFiles = {
  ...import.meta.glob<LessonHead>("./lessons/*.md", { query: "?head", import: "default", eager: true }),
  ...import.meta.glob<LessonHead>("./puzzles/*.md", { query: "?head", import: "default", eager: true }),
};
const lessonFiles = {
  ...import.meta.glob<Lesson>("./lessons/*.md", { import: "default" }),
  ...import.meta.glob<Lesson>("./puzzles/*.md", { import: "default" }),
};
const paths = new Map(
  Object.keys(headFiles)
    .toSorted(inOrder)
    .map((path) => [headFiles[path]!.id, path]),
);

/** Lessons first, then puzzles, each in the order of their files' numbers. */
export const lessonHeads: readonly LessonHead[] = [...paths.values()].map((path) => headFiles[path]!);

export const findLessonHead = (id: string): LessonHead | null => lessonHeads.find((head) => head.id === id) ?? null;

/** The lesson or puzzle that comes after one of its kind; null after the last. */
export function lessonAfter(id: string): LessonHead | null {
  const at = lessonHeads.findIndex((head) => head.id === id);
  const next = lessonHeads[at + 1];
  return at >= 0 && next?.kind === lessonHeads[at]!.kind ? next : null;
}

/** The lesson called `id`; null when there is none. Rejects when its file can't be fetched. */
export async function loadLesson(id: string): Promise<Lesson | null> {
  const path = paths.get(id);
  return path === undefined ? null : ((await lessonFiles[path]?.()) ?? null);
}

export { answered, besideOf, cursorOf, isAboutCode, pictureOf, type Picture, type Planned } from "./picture";
