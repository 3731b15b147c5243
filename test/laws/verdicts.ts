/** @file What a decision owes its reader: the alternatives that were weighed decide, and its sentence says their numbers and no others. */
import { compile } from "../../src/fusion/compile";
import type { Compilation } from "../../src/fusion/compilation";
import { barsOf, criterionOf, limitNote, verdictsOf } from "../../src/fusion/decision-bars";
import { titleOf } from "../../src/fusion/decision-titles";
import { settled } from "../../src/fusion/settled";
import { clearlyLess, groupedCounts, showBytes, showMicros, type Alternative, type Step } from "../../src/fusion/ir";

/** Below this many µs, or bytes, a difference is none. */
const NOTHING = 1e-9;

/** Predicted times that the planner calls a tie, so that the bytes decide. */
const TIE = 1.025;
const tied = (one: Alternative, other: Alternative): boolean =>
  Math.max(one.micros, other.micros) < TIE * Math.min(one.micros, other.micros);

const QUANTITY = /[\d.,−]+ (?:ns|µs|ms|s|B|KiB|MiB|GiB|TiB)(?![\w/])/g;

/** Times and sizes that the sentence may say. */
function sayable({ cost, ...step }: Step): Set<string> {
  const { numbers = {}, limit } = settled(step);
  const shown = new Set<string>();
  for (const { micros, bytes } of cost?.alternatives ?? []) shown.add(showMicros(micros)).add(showBytes(bytes));
  for (const [name, value] of Object.entries(numbers)) {
    if (/bytes|limit/i.test(name)) shown.add(showBytes(value));
    if (/micros/i.test(name) && !cost) shown.add(showMicros(value));
    if (/millis/i.test(name)) shown.add(showMicros(1e3 * value));
  }
  if (limit?.unit === "B") shown.add(showBytes(limit.value)).add(showBytes(limit.limit));
  return shown;
}

const value = (criterion: string, { micros, bytes }: Alternative): number => (criterion === "time" ? micros : bytes);

/** Where a step contradicts itself. */
export function verdictFaults(step: Step): string[] {
  const { cost, accepted, seq, pass, rule } = step;
  const verdict = settled(step);
  const faults: string[] = [];
  const fault = (text: string): unknown =>
    faults.push(`step ${seq} (${pass}/${rule}, ${verdict.code}): ${text}: ${verdict.text}`);
  if (accepted !== verdict.ok) fault(`accepted is ${accepted}`);
  if (cost) {
    const { criterion, alternatives } = cost;
    const chosen = alternatives.filter((each) => each.chosen);
    if (alternatives.length < 2 || chosen.length !== 1) fault(`${chosen.length} of ${alternatives.length} are chosen`);
    else {
      if (alternatives[1]!.chosen !== accepted) fault("what was done is not what was chosen");
      const best = Math.min(...alternatives.map((each) => value(criterion, each)));
      const isComparison = criterion === "time" || criterion === "bytes" || criterion === "memory";
      if (isComparison && value(criterion, chosen[0]!) > best + NOTHING)
        fault(`chosen ${value(criterion, chosen[0]!)}, the best by ${criterion} is ${best}`);
      const taken = chosen[0]!;
      const rival = alternatives.find(
        (each) => !each.chosen && clearlyLess(each.bytes, taken.bytes) && tied(each, taken),
      );
      if (isComparison && criterion !== "memory" && rival && !verdict.text.includes("though it moves"))
        fault(
          `within a tie (${rival.micros}, ${taken.micros} µs) ${rival.bytes} bytes lose to ${taken.bytes}, and nothing says why`,
        );
    }
  }
  const { limit } = verdict;
  if (limit && !accepted && limit.value <= limit.limit) fault(`refused at ${limit.value} of ${limit.limit}`);
  if (cost?.criterion === "limit" && verdictsOf(step).some(({ text }) => text === "Not worth it"))
    fault("a limit decides, and the card says that it is not worth it");
  const [without, withIt] = cost?.alternatives ?? [];
  const isFaster = without && withIt && Number(withIt.micros.toPrecision(2)) < Number(without.micros.toPrecision(2));
  if (cost?.criterion === "limit" && !accepted && isFaster && limitNote(step) === null)
    fault("a limit refuses what is predicted to be faster, and nothing says so");
  if (cost?.criterion === "limit" && !limit) fault("a limit decides that is not told");
  if (cost?.criterion === "limit" && limit && !accepted)
    for (const number of [limit.value, limit.limit])
      if (
        ![String(number), number.toLocaleString("en"), showBytes(number), String(Number(number.toPrecision(3)))].some(
          (way) => verdict.text.includes(way),
        )
      )
        fault(`the sentence does not say ${number}`);
  if (cost?.criterion === "limit" && barsOf(step).some(({ title }) => title === "Predicted time of these kernels"))
    fault("a limit is drawn as times");
  for (const { title, bars } of barsOf(step))
    if (title === "Predicted time of these kernels" && new Set(bars.map(({ text }) => text)).size === 1)
      fault("times of one length");
  if (cost?.alternatives.some(({ what, launches }) => what === "one kernel" && launches > 1))
    fault("one kernel of several launches");
  const distinct = new Set(cost?.alternatives.map(({ micros }) => showMicros(micros))).size;
  if (distinct === 1 && criterionOf(step) === "by predicted time") fault("equal times decide");
  const sizes = new Set(cost?.alternatives.map(({ bytes }) => showBytes(bytes))).size;
  if (distinct === 1 && sizes === 1 && verdictsOf(step).some(({ text }) => text === "Worth it"))
    fault("worth it, and nothing differs");
  const known = sayable(step);
  for (const [quantity] of verdict.text.matchAll(QUANTITY))
    if (!known.has(quantity)) fault(`${quantity} is no alternative's`);
  if (/(?<![\d.,])(\d[\d.,]* \S+)(?: of the peak)? instead of \1(?![\w.,])/.test(verdict.text))
    fault("a number instead of itself");
  if (verdict.code === "A_BYTES" && cost && cost.criterion !== "memory") {
    const moves = / moves? [^:]+ instead of /.test(verdict.text);
    if (titleOf(step).endsWith("memory traffic.") !== moves) fault(`${titleOf(step)} is not what the sentence says`);
  }
  if (groupedCounts(verdict.text) !== verdict.text) fault("a count without its thousands apart");
  if (/slower/i.test(titleOf(step)) && verdict.text.includes("either way"))
    fault(`${titleOf(step)} beside equal times`);
  // What stands in backticks is the person's own name, `nan` too.
  if (/undefined|NaN|``|\(\)| {2}|nothing holds/i.test(verdict.text.replace(/`[^`]+`/g, "x"))) fault("a gap");
  return faults;
}

/** Refusals whose remedy is a choice that changes nothing. */
export function remedyFaults({ text, options }: Compilation, steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    const { remedyOptions, code } = settled(step);
    if (step.accepted || !remedyOptions) return [];
    const after = compile(text, { ...options, ...remedyOptions }).steps;
    const same = after.findLast(
      ({ pass, rule, nodes }) => pass === step.pass && rule === step.rule && nodes.join() === step.nodes.join(),
    );
    const changed = !same || same.accepted || settled(same).code !== code;
    return changed
      ? []
      : [
          `${step.pass}/${step.rule} ${step.nodes.join()}: ${Object.keys(remedyOptions).join()} changes nothing (${code})`,
        ];
  });
}
