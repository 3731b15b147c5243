/** @file The lesson's pane: its panel comes in a chunk of its own when the first lesson is opened. */
import { late } from "../Late";

export const Lesson = late(async () => (await import("./LessonPanel")).LessonPanel);
