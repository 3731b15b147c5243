/** @file From a few members of a kernel back to what they are computed of, without a look at the others. */
import type { NodeId } from "../../ir";

interface Numbered {
  readonly members: readonly NodeId[];
  readonly numbers: ReadonlyMap<NodeId, number>;
}

/** The members that were last gone through: a kernel is asked about many of its values, one after the other. */
let last: Numbered = { members: [], numbers: new Map() };

function numbered(members: readonly NodeId[]): Numbered {
  if (last.members !== members) last = { members, numbers: new Map(members.map((id, number) => [id, number])) };
  return last;
}

/** The members that are asked for, each once, after all those that ask for it. */
export class WayBack {
  readonly #of: Numbered;
  readonly #asked: Uint8Array;
  #open = 0;
  #at = -1;
  #begun = false;

  /** @param members in topological order */
  constructor(members: readonly NodeId[]) {
    this.#of = numbered(members);
    this.#asked = new Uint8Array(members.length);
  }

  /** False where it is no member. */
  ask(id: NodeId): boolean {
    const number = this.#of.numbers.get(id);
    if (number === undefined) return false;
    if (this.#asked[number] === 1 || (this.#begun && number > this.#at)) return true;
    this.#asked[number] = 1;
    this.#open++;
    if (number > this.#at) this.#at = number;
    return true;
  }

  /** The next member on the way; null at the end. */
  next(): NodeId | null {
    this.#begun = true;
    if (this.#open === 0) return null;
    while (this.#asked[this.#at] === 0) this.#at--;
    this.#open--;
    return this.#of.members[this.#at--]!;
  }
}
