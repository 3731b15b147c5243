/** @file The check worker: makes the data of a run, and holds results against the f64 reference. */
import { answerCheck } from "./check-answers";
import type { CheckReply, CheckRequest } from "./messages";
import { serve } from "./port";

const buffersOf = (reply: CheckReply): Transferable[] =>
  reply.kind === "inputs" ? [...reply.inputs.values()].map((data) => data.buffer as ArrayBuffer) : [];

serve<CheckRequest, CheckReply>(answerCheck, buffersOf);
