/** @file Ops over images whose channels come last: the axes are transposed, the usual rule is asked, and the result is turned back. */
import type { Value } from "../emit";
import type { Rule, Rules } from "../rule";
import { range } from "./arithmetic";

/** A rule of [N, C, …] for [N, …, C]. */
const channelsLast =
  (rule: Rule): Rule =>
  (c) => {
    const rank = c.in(0).type.shape.length;
    const first = c.op("transpose", [c.in(0)], { perm: [0, rank - 1, ...range(rank - 2).map((i) => i + 1)] });
    const made = rule(c.withInput(0, first));
    const values = (Array.isArray(made) ? made : [made]) as readonly Value[];
    const back = (value: Value): Value =>
      value.type.shape.length === rank
        ? c.op("transpose", [value], { perm: [0, ...range(rank - 2).map((i) => i + 2), 1] })
        : value;
    return values.map(back);
  };

/** Every rule over images, for the domain in which channels come last. */
export const channelsLastRules = (images: Rules): Rules =>
  Object.fromEntries(Object.entries(images).map(([op, rule]) => [op, channelsLast(rule)]));
