/** @file A no, with what would turn it into a yes. */
import type { NodeId, Verdict } from "../ir";

export const refusal = (
  code: Verdict["code"],
  nodes: readonly NodeId[],
  text: string,
  remedy?: string,
  numbers?: Verdict["numbers"],
): Verdict => ({
  ok: false,
  code,
  text,
  nodes,
  ...(remedy === undefined ? {} : { remedy }),
  ...(numbers === undefined ? {} : { numbers }),
});
