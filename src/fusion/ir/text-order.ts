/** @file The order of the text as data: where a node stands that a pass makes, whatever it is called. */
import { nodeId, type NodeId } from "./ids";

/** Before a node of the text, `by` less than one position; what is made for it in turn has `room` to stand in. */
export interface TextOrder {
  readonly before: NodeId;
  readonly by: number;
  readonly room: number;
}

/** A node's identity and position; without an order it stands where the text writes it. */
export interface Standing {
  readonly id: NodeId;
  readonly order?: TextOrder;
}

/** A node of a graph says what it stands behind: `standingOf` asks. */
type Alone = Standing & { readonly inputs?: never };

/** Nodes made in a row for the same node: at most so many. */
const MAX_IN_A_ROW = 2 ** 16;

/**
 * Identity and position of a node that a pass makes for `n`: just before it, and what is made for that, just before that.
 * Nodes made in a row for the same one stand in the order of their numbers `nth`. A node of a graph has the room that `standingOf` says.
 */
export function madeFor({ id, order }: Alone, name: string, nth?: number): Required<Standing> {
  const { before, by, room } = order ?? { before: id, by: 0, room: 1 };
  const half = room / 2;
  return nth === undefined
    ? { id: nodeId(`${id}~${name}`), order: { before, by: by + half, room: half } }
    : {
        id: nodeId(`${id}~${name}#${nth}`),
        order: { before, by: by + half * (1 - nth / MAX_IN_A_ROW), room: half / MAX_IN_A_ROW },
      };
}
