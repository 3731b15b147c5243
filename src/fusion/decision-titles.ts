/** @file The bold answer of a decision, in the case at hand. */
import { clearlyLess, showBytes, showMicros, type Alternative, type Step, type Verdict } from "./ir";
import { settled } from "./settled";

/** As they are written: what reads alike was no reason to choose. */
const readAlike = (texts: readonly string[]): boolean => new Set(texts).size <= 1;
/** Whether all take the same time, as far as it is written. */
export const timesAlike = (all: readonly Alternative[]): boolean =>
  readAlike(all.map(({ micros }) => showMicros(micros)));
/** Whether all move the same bytes, as far as they are written. */
export const bytesAlike = (all: readonly Alternative[]): boolean => readAlike(all.map(({ bytes }) => showBytes(bytes)));

const TITLES: Readonly<Record<Verdict["code"], string>> = {
  A_BYTES: "It saves memory traffic.",
  A_LAUNCH: "It saves a launch.",
  A_VIEW: "A view costs nothing.",
  A_PATTERN: "An equivalent form.",
  L_CYCLE: "It would create a cycle.",
  L_SHAPE: "Different loops.",
  L_INDEX: "Different elements.",
  L_OPAQUE: "An opaque op.",
  L_EFFECT: "An op with a side effect.",
  L_ROOT: "Needed in memory.",
  L_TWO_CONTRACT: "More than one matmul.",
  L_REDUCE_REDUCE: "A reduction of a reduction.",
  L_ROW_NOT_OWNED: "Reduction boundary.",
  L_DTYPE: "Type not available.",
  L_STRICT: "Strict arithmetic.",
  L_SAVED: "The backward pass needs it.",
  L_NOT_CONST: "Not a constant.",
  L_BINDINGS: "Too many buffers.",
  L_WGMEM: "Too little memory on chip.",
  C_NEGATIVE: "Nothing gained.",
  C_RECOMPUTE: "Recomputing costs more.",
  C_REGISTERS: "Too many registers.",
  C_CODE_SIZE: "Too many ops.",
  C_COMPILE_BUDGET: "Too long to compile.",
  C_PEAK_MEMORY: "Too much memory at once.",
  C_LIBRARY: "The matmul stays separate.",
  C_PARALLELISM: "Too few workgroups.",
  C_BEATEN: "Another way is better.",
  U_USER_BARRIER: "Your choice.",
  U_FORCE: "Your choice.",
};
/** What a code stands for, without the numbers of a case; docs/reason-codes.md lists the same words. */
export const reasonTitles = TITLES;

/** The bold answer of a decision: its code in the case at hand. */
export function titleOf(step: Pick<Step, "legal" | "profitable" | "cost">): string {
  const { code, limit, numbers } = settled(step);
  const [without, withIt] = step.cost?.alternatives ?? [];
  if (code === "A_PATTERN" && step.cost === null) return "A known pattern.";
  if (!without || !withIt) return TITLES[code];
  // As far as it is written: the bars below say the same.
  const slower = withIt.micros > without.micros && showMicros(withIt.micros) !== showMicros(without.micros);
  if (code === "A_BYTES" && step.cost!.criterion === "memory")
    return slower ? "It saves memory, and costs time." : "It saves memory.";
  // What costs nothing may save something all the same: a copy that is never made.
  if (code === "A_VIEW" && !(timesAlike([without, withIt]) && bytesAlike([without, withIt])))
    return "A view instead of a copy.";
  // Hardly fewer bytes: the launch, or the time, is what the sentence tells.
  if (code === "A_BYTES" && !clearlyLess(withIt.bytes, without.bytes))
    return withIt.launches < without.launches ? TITLES.A_LAUNCH : "It saves time.";
  // What saves more of the time stands first.
  if (
    code === "A_BYTES" &&
    2 * (numbers?.["launchMicros"] ?? 0) > without.micros - withIt.micros &&
    step.cost!.criterion === "time"
  )
    return withIt.launches + 1 < without.launches
      ? "It saves launches and memory traffic."
      : "It saves a launch and memory traffic.";
  if (code === "A_LAUNCH" && withIt.launches >= without.launches) return "It saves time.";
  if (code === "L_BINDINGS" && withIt.chosen) return "Too large to store.";
  if (code === "C_RECOMPUTE" && limit) return "Recomputed too often.";
  if (code === "C_NEGATIVE" && limit) return "It would load more.";
  if (code === "C_NEGATIVE" && step.cost!.criterion === "bytes") return "It would move more bytes.";
  if (code === "C_NEGATIVE" && slower) return "Slower together.";
  return TITLES[code];
}
