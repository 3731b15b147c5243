/** @file The lesson's pane: its panel comes in a chunk of its own when the first lesson is opened. */
import { late } from "../Late";

/** Asked for beside the lesson's text by an address that names one. */
export const loadLessonPanel = () => import("./LessonPanel");
export const Lesson = late(async () => (await loadLessonPanel()).LessonPanel);
