/** @file Runs the Python parser over the text, within a number of moves. */
import { parser } from "@lezer/python";
import type { Span } from "../../ir";
import type { Scan } from "./scan";
import { readable, scan } from "./scan";

/** What of the parser's tree this folder uses: each node as it is entered and left, positions in the whole text. */
export interface TreeVisitor {
  enter(): void;
  leave(name: string, from: number, to: number): void;
}

/** Moves of the parser that a text of any length gets, and of longer texts as many as they have characters. */
const FREE_MOVES = 50_000;
/** Longer texts are noise or data: they get no more than that. */
const MAX_LENGTH = 300_000;

/** So many moves the parser may make for a text of this length: a count, so that every machine reads the same. */
export const movesFor = (length: number): number => FREE_MOVES + (length > MAX_LENGTH ? 0 : length);

/** Walks the tree of `span`; returns where reading ended when the moves were used up, else null. */
function parseSegment(text: string, span: Span, counter: { left: number }, visit: TreeVisitor): number | null {
  const work = parser.startParse(text, [], [span]);
  let stopped: number | null = null;
  for (;;) {
    const tree = work.advance();
    if (tree) {
      tree.iterate({
        enter: () => visit.enter(),
        leave: (node) => visit.leave(node.name, node.from + span.from, node.to + span.from),
      });
      return stopped;
    }
    if (--counter.left < 0 && work.stoppedAt === null) {
      stopped = work.parsedPos;
      work.stopAt(stopped);
    }
  }
}

/** Visits the trees of all segments; answers why the rest was not read, or null. */
export function parseWithin(text: string, moves: number, visit: TreeVisitor): Scan["stop"] {
  const shown = readable(text);
  const { segments, stop } = scan(shown);
  const counter = { left: moves };
  for (const segment of segments) {
    const stopped = parseSegment(shown, segment, counter, visit);
    if (stopped !== null) {
      return {
        at: stopped,
        code: "too-long",
        text: "Reading stopped here because this text is too long or too tangled. The rest was not read.",
      };
    }
  }
  return stop;
}
