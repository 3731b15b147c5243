/** @file The compile worker: text and options in, compilation and plans out. */
import { answerCompile } from "./compile-answers";
import { serve } from "./port";

serve(answerCompile);
