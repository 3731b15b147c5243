/** @file The ways to look: score, steps, kernels, measurements. They read the store and draw it. */
import { late } from "./Late";

/** A rail until it is opened. */
export const KernelInspector = late(async () => (await import("./inspector/KernelInspector")).KernelInspector);
export { ExampleVariants } from "./measured/ExampleVariants";
export { Lesson, loadLessonPanel } from "./lesson/Lesson";
/** Closed before the first run: it comes when it is opened. */
export const MeasuredPanel = late(async () => (await import("./measured/MeasuredPanel")).MeasuredPanel);
export { NewsRow, ScoreRow } from "./score/ScoreRow";
export { Scrubber } from "./scrubber/Scrubber";
/** Two plans beside each other. */
export const loadCompare = () => import("./compare/CompareView");
/** Naive against fused on one clock. */
export const loadRace = () => import("./race/RaceView");
/** One kernel at work. */
export const loadInside = () => import("./inside/InsideView");
/** Charts as pictures of their own. */
export const loadPosters = () => import("./posters");
export type { PosterName } from "./posters";
/** SVG as pixels. */
export const loadPixels = () => import("./pixels");
export { copyText } from "./copy-text";
export { csvOf } from "./csv";
export { download } from "./download";
export { late };
export { LineSlider } from "./LineSlider";
/** What is said of a run that ended. */
export const RunSaid = late(async () => (await import("./measured/RunSaid")).RunSaid);
export { stepNames } from "../picture";
export { outcomeOf, stepAnnouncement } from "./model/plan/step-words";
export { tallyOf } from "./model/plan/score";
export { count, decimal, measureMicros, showBytes, showMicros, significant } from "./model/units";
export { spreadOf } from "./model/run/statistics";
export { showSpread, timingOf } from "./model/run/timings";
/** A table or chart beside a note. */
export const Figure = late(async () => (await import("./inspector/figures/Figures")).Figure);
export { InlineCode } from "./InlineCode";
/** The printable report, in a chunk of its own. */
export const loadReport = () => import("./model/plan/report");
export { Covered } from "./Covered";
export const PredictStrip = late(async () => (await import("./predict/PredictStrip")).PredictStrip);
/** Chart.js and the page's way to use it, in a chunk of its own. */
export const loadChart = () => import("./measured/chart");
export type { Palette } from "./measured/chart";
