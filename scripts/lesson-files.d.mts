import type { Plugin } from "vite";

export function lessonFiles(): Plugin;
/** A lesson as plain data (`Lesson` of src/course), by the text of its file. Throws an error that names the file. */
export function readLesson(source: string, path: string): unknown;
