/** @file Every ONNX op that is understood, by `domain:op` (the default domain is empty). */
import type { Rule } from "../rule";
import { contractionRules } from "./contraction";
import { elementwiseRules } from "./elementwise";
import { indexingRules } from "./indexing";
import { reduceRules } from "./reduce";
import { shapeRules } from "./shape";
import { windowRules } from "./window";

const standard = {
  ...elementwiseRules,
  ...shapeRules,
  ...reduceRules,
  ...contractionRules,
  ...windowRules,
  ...indexingRules,
};

export const rules: ReadonlyMap<string, Rule> = new Map(Object.entries(standard).map(([op, rule]) => [`:${op}`, rule]));
