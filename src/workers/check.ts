/** @file The check worker: makes the data of a run, and holds results against the f64 reference. */
import { answerCheck } from "./check-answers";
import { serve } from "./port";

// Nothing is given away: the data stays here too, for the comparison that follows.
serve(answerCheck);
