/** @file The door to the store. Components: `usePlayground(selector)`; everything else: `playground.getState()`. */
export type * from "./types";
export type { GpuSession, Shelf, Environment } from "./environment";
export { chosenEdge, commands, findCommand, trains, type Command, type Key } from "./commands";
export { commandFor, showKey, worksEverywhere, type FocusArea, type Press } from "./keys";
export { createPlayground, type Playground } from "./playground";
export { profileFields, profileTitle, readField, shownField, type FieldWords } from "./runs/profile-fields";
export {
  decisionsOnEdge,
  selectEnded,
  selectExample,
  selectOpenExample,
  selectFinalFusion,
  selectFusion,
  selectHandKernels,
  selectHasHoles,
  selectIsEdited,
  selectIsEmpty,
  selectKernelColours,
  selectMeasuredProfile,
  selectNaiveFusion,
  selectNaivePeak,
  selectPlan,
  selectPlanned,
  hasValue,
  isRunOf,
  runAt,
  selectScore,
  selectSize,
  selectStep,
  selectSteps,
  selectTitle,
  opCount,
  type Score,
} from "./selectors";
export { planByHand, runsInstead, selectPlanByHand, type PlanByHand } from "./runs/shown-hand-plan";
export { pageAddress, sharePage } from "./storage/page-address";
export { sharedState, withoutLesson } from "./storage/shared-view";
export { parseProgress, tally, writtenProgress } from "./storage/course-progress";
export {
  selectCovered,
  selectIsCovered,
  selectKnown,
  selectLessonAsks,
  selectGuesses,
  selectTold,
} from "./slices/predict-slice";
export type {
  CourseProgress,
  CurvePoint,
  Guess,
  Guesses,
  LaptopBench,
  LaptopCheck,
  LaptopFacts,
  LessonProgress,
  OpenLesson,
  PreviousWork,
  PredictQuestion,
  TrainingPicture,
  TrainingState,
} from "./slices/slice-states";
export { changeOf, matmulPolicies, titleOfQuestion, type Question } from "./question";
export { lineAt, libraryLine, linePosition, linePositions } from "./library-line";
export { restingStep } from "./resting-step";
export { MAX_MEMORY_MIB } from "./slices/preferences-slice";
export { programOf } from "./worlds";
export { exampleDocument } from "./slices/document-slice";
export { lazyModule } from "./lazy-module";
export { asideOf } from "./runs/hand-texts";
export { isLostPart, loadPart, onLostPart } from "./load-part";
export { afterFirstPaint, afterIntro, playground, usePlayground } from "./use-playground";
