/** @file The course: lessons and puzzles. Their heads come with the list, a lesson itself when somebody opens it. */
export * from "./files";
export type { Ask, Choice, Lesson, LessonHead, LessonKind, LessonStep, Show, ShownTab, Task } from "./lesson";
export type { Answer, Compare, Judgement, TaskState } from "./check";
export { goalsIn, judge, numberSaid, rightChoice, rightNumber, scopeOf, taskState, usualMistakes } from "./check";
export { evaluate, ExpressionError, type Scope } from "./expression";
export { factNames, type HandFacts, type MeasuredTimes } from "./facts";
export { filled, inUnit, runsOf, type Run } from "./prose";
