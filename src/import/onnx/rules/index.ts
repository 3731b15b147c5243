/** @file Every ONNX op that is understood, by `domain:op` (the default domain is empty). */
import type { Rule, Rules } from "../rule";
import { attentionRules, contribAttentionRules, previewAttentionRules } from "./attention";
import { channelsLastRules } from "./channels-last";
import { contractionRules } from "./contraction";
import { contribRules } from "./contrib";
import { controlRules } from "./control";
import { contribDetectionRules, detectionRules } from "./detection";
import { elementwiseRules } from "./elementwise";
import { groupQueryRules } from "./group-query";
import { imageRules } from "./image";
import { indexingRules } from "./indexing";
import { loopRules } from "./loops";
import { lossRules } from "./loss";
import { mlRules } from "./ml";
import { quantizeRules } from "./quantize";
import { recurrentRules } from "./recurrent";
import { contribRandomRules, randomRules } from "./random";
import { reduceRules } from "./reduce";
import { contribRotaryRules, rotaryRules } from "./rotary";
import { samplingRules } from "./sampling";
import { sequenceRules } from "./sequence";
import { shapeRules } from "./shape";
import { contribSignalRules, signalRules } from "./signal";
import { stateRules } from "./states";
import { trainingRules } from "./training";
import { treeRules } from "./trees";
import { windowRules } from "./window";

const DOMAINS: Readonly<Record<string, Rules>> = {
  "": {
    ...elementwiseRules,
    ...shapeRules,
    ...reduceRules,
    ...contractionRules,
    ...windowRules,
    ...indexingRules,
    ...lossRules,
    ...controlRules,
    ...loopRules,
    ...detectionRules,
    ...samplingRules,
    ...randomRules,
    ...sequenceRules,
    ...signalRules,
    ...attentionRules,
    ...rotaryRules,
    ...imageRules,
    ...recurrentRules,
    ...stateRules,
    ...quantizeRules,
    ImageScaler: contribRules["ImageScaler"]!,
  },
  "com.ms.internal.nhwc": channelsLastRules({
    ...windowRules,
    ...imageRules,
    BatchNormalization: reduceRules["BatchNormalization"]!,
    InstanceNormalization: reduceRules["InstanceNormalization"]!,
    DepthToSpace: shapeRules["DepthToSpace"]!,
    SpaceToDepth: shapeRules["SpaceToDepth"]!,
  }),
  "com.microsoft": {
    ...contribRules,
    ...contribRandomRules,
    ...contribAttentionRules,
    ...contribRotaryRules,
    ...groupQueryRules,
    ...stateRules,
    ...contribDetectionRules,
    ...contribSignalRules,
    ...quantizeRules,
    GridSample: samplingRules["GridSample"]!,
    GatherND: indexingRules["GatherND"]!,
    Pad: shapeRules["Pad"]!,
    Range: shapeRules["Range"]!,
    Trilu: shapeRules["Trilu"]!,
  },
  "ai.onnx.preview": previewAttentionRules,
  "ai.onnx.preview.training": trainingRules,
  "ai.onnx.ml": { ...mlRules, ...treeRules },
};

export const rules: ReadonlyMap<string, Rule> = new Map(
  Object.entries(DOMAINS).flatMap(([domain, own]) =>
    Object.entries(own).map(([op, rule]) => [`${domain}:${op}`, rule] as const),
  ),
);
