/** @file The ways to look: score, steps, kernels, measurements. They read the store and draw it. */
export { KernelInspector } from "./inspector/KernelInspector";
export { ExampleVariants } from "./measured/ExampleVariants";
export { Lesson } from "./lesson/Lesson";
export { MeasuredPanel } from "./measured/MeasuredPanel";
export { NewsRow, ScoreRow } from "./score/ScoreRow";
export { Scrubber } from "./scrubber/Scrubber";
export { download } from "./download";
export { late } from "./Late";
export { LineSlider } from "./LineSlider";
export { runAnnouncement } from "./model/announce";
export { stepAnnouncement } from "./model/step-words";
export { transferCount } from "./model/score";
export { showBytes, showMicros } from "./model/units";
export { InlineCode } from "./InlineCode";
