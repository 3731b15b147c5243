/** @file Runs the Python parser over the text, within a time budget when the caller has a clock. */
import { parser } from "@lezer/python";
import type { Span } from "../ir";
import type { Scan } from "./scan";
import { readable, scan } from "./scan";

/** What of the parser's tree this folder uses: each node as it is entered and left, positions in the whole text. */
export interface TreeVisitor {
  enter(): void;
  leave(name: string, from: number, to: number): void;
}

export interface Deadline {
  /** True when the time is up; asking is cheap enough for every few hundred steps. */
  passed(): boolean;
}
export const never: Deadline = { passed: () => false };

/** `ms` from now on by `now`'s clock. */
export function deadlineIn(now: () => number, ms: number): Deadline {
  const end = now() + ms;
  return { passed: () => now() > end };
}

/** Milliseconds a text of this length may take to parse: 50, and 50 for every 100 kB up to 600 kB; longer ones get the 50 only. */
export const parseBudget = (length: number): number => 50 + (length > 600_000 ? 0 : (50 * length) / 100_000);

/** Shorter texts are read whatever the clock says: a busy machine must not cut an ordinary program short. */
const FREE_LENGTH = 32_768;

/** Walks the tree of `span`; returns where reading ended when the time was up, else null. */
function parseSegment(text: string, span: Span, deadline: Deadline, visit: TreeVisitor): number | null {
  const work = parser.startParse(text, [], [span]);
  let stopped: number | null = null;
  for (let moves = 1; ; moves++) {
    const tree = work.advance();
    if (tree) {
      tree.iterate({
        enter: () => visit.enter(),
        leave: (node) => visit.leave(node.name, node.from + span.from, node.to + span.from),
      });
      return stopped;
    }
    if (text.length > FREE_LENGTH && moves % 256 === 0 && work.stoppedAt === null && deadline.passed()) {
      stopped = work.parsedPos;
      work.stopAt(stopped);
    }
  }
}

/** Visits the trees of all segments; answers why the rest was not read, or null. */
export function parseWithin(text: string, deadline: Deadline, visit: TreeVisitor): Scan["stop"] {
  const shown = readable(text);
  const { segments, stop } = scan(shown);
  for (const segment of segments) {
    const stopped = parseSegment(shown, segment, deadline, visit);
    if (stopped !== null) {
      return {
        at: stopped,
        code: "too-long",
        text: "Reading stopped here because this text takes too long. The rest was not read.",
      };
    }
  }
  return stop;
}
