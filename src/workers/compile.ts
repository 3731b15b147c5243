/** @file The compile worker: text and options in, compilation out. */
import { compile } from "../fusion";
import type { CompileRequest } from "./messages";
import { serve } from "./port";

serve(({ text, options }: CompileRequest) => compile(text, options, () => performance.now()));
