/** @file Places of all operand ports of a box: where their lines enter, or free places on the upper border. */
import type { Box } from "./geometry";
import type { Picture, Port } from "../picture";
import type { SceneNode } from "../scene";

export interface OperandPort extends Port {
  readonly operand: number;
  /** A line ends here. */
  readonly fed: boolean;
}

export interface NodePorts {
  readonly operands: readonly OperandPort[];
  readonly out: readonly Port[];
  /** Something reads the value. */
  readonly read: boolean;
}

const PLACES = [0.5, 0.83, 0.17, 0.67, 0.33, 0.92, 0.08] as const;

/** One port for each operand, or for each argument that a folded call misses. Operands without a line get the next free place on top. */
export function nodePorts(
  known: ReturnType<Picture["ports"]["get"]>,
  { operands, gates }: Pick<SceneNode, "operands" | "gates">,
  box: Box,
): NodePorts {
  const taken = new Set<number>();
  for (const { side, offset } of known?.in.values() ?? []) if (side === "top") taken.add(Math.round(offset / 12));
  const free = PLACES.map((part) => Math.round(box.width * part)).filter((x) => !taken.has(Math.round(x / 12)));
  const list = Array.from({ length: operands }, (_, operand): OperandPort => {
    // The lines into a folded call end at ops inside it, not at what it misses.
    const fed = gates ? undefined : known?.in.get(operand);
    if (fed) return { ...fed, operand, fed: true };
    return { side: "top", offset: free.shift() ?? box.width / 2, operand, fed: false };
  });
  const out: readonly Port[] = known?.out.length ? known.out : [{ side: "bottom", offset: box.width / 2 }];
  return { operands: list, out, read: known !== undefined && known.out.length > 0 };
}
