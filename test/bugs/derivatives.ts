/** @file Bugs of derivatives: terms that get lost. */
import { bugsIn } from "./bug.ts";

export const derivativeBugs = bugsIn("src/fusion/autodiff", {
  "last-cotangent": [
    ["reverse.ts", '«before === undefined» ? value : builder.call(dtype, "add", [before, value]))', "true"],
  ],
  "one-slope": [
    ["reverse.ts", "return pullbackOfOperand(builder, context, cotangent, slopes[«i»] ?? null, input);", "0"],
  ],
  "lost-tangent": [["forward.ts", 'sum = «sum === null» ? term : context.of("add", [sum, term]);', "true"]],
});
