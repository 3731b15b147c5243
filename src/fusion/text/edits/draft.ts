/** @file A text under change: several edits one after the other, handed back as edits of the text it began with. */
import type { NodeId, Span, TextEdit } from "../../ir";
import type { Parsed } from "../program";
import { parseProgram } from "../program";

/** A piece of the new text: a slice of the old one, or something inserted. */
type Piece = Span | string;

const lengthOf = (piece: Piece): number => (typeof piece === "string" ? piece.length : piece.to - piece.from);
const slice = (piece: Piece, from: number, to: number): Piece =>
  typeof piece === "string" ? piece.slice(from, to) : { from: piece.from + from, to: piece.from + to };

/** Follows a text through steps that each need the result of the one before. */
export class Draft {
  private pieces: Piece[];
  private readonly original: string;
  private current: string;
  private read: Parsed | null = null;

  constructor(parsed: Parsed) {
    this.original = parsed.text;
    this.current = parsed.text;
    this.pieces = [{ from: 0, to: parsed.text.length }];
    this.read = parsed;
  }

  get text(): string {
    return this.current;
  }

  /** The text as it now is, read again. */
  get parsed(): Parsed {
    this.read ??= parseProgram(this.current);
    return this.read;
  }

  /** Applies `edits` (of the text as it now is). */
  edit(edits: readonly TextEdit[]): void {
    // From the back, so that offsets stay true; at one offset the last comes first.
    const sorted = edits.toSorted((a, b) => a.span.from - b.span.from).reverse();
    for (const { span, insert } of sorted)
      this.pieces = [...this.cut(0, span.from), insert, ...this.cut(span.to, Infinity)];
    this.pieces = this.pieces.filter((piece) => lengthOf(piece) > 0);
    this.current = this.pieces
      .map((piece) => (typeof piece === "string" ? piece : this.original.slice(piece.from, piece.to)))
      .join("");
    this.read = null;
  }

  private cut(from: number, to: number): Piece[] {
    const out: Piece[] = [];
    let at = 0;
    for (const piece of this.pieces) {
      const length = lengthOf(piece);
      const [first, last] = [Math.max(from - at, 0), Math.min(to - at, length)];
      if (first < last) out.push(slice(piece, first, last));
      at += length;
    }
    return out;
  }

  /** The changes as edits of the text the draft began with, sorted and disjoint. */
  edits(): readonly TextEdit[] {
    const edits: TextEdit[] = [];
    let at = 0;
    let insert = "";
    for (const piece of this.pieces) {
      if (typeof piece === "string") insert += piece;
      else {
        if (insert !== "" || piece.from > at) edits.push({ span: { from: at, to: piece.from }, insert });
        insert = "";
        at = piece.to;
      }
    }
    if (insert !== "" || at < this.original.length)
      edits.push({ span: { from: at, to: this.original.length }, insert });
    return edits.map((edit) => trimmed(this.original, edit));
  }
}

/** Without what the old and the new have in common at either end. */
function trimmed(text: string, { span, insert }: TextEdit): TextEdit {
  const old = text.slice(span.from, span.to);
  let head = 0;
  while (head < old.length && head < insert.length && old[head] === insert[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < insert.length - head && old.at(-1 - tail) === insert.at(-1 - tail)) tail++;
  return { span: { from: span.from + head, to: span.to - tail }, insert: insert.slice(head, insert.length - tail) };
}

/** What a drawing edit answers: the smallest text edits, or why it can't be done. */
export type Edited =
  | {
      readonly ok: true;
      readonly edits: readonly TextEdit[];
      /** Nodes whose identity changed, old to new; positions and pins follow it. */
      readonly ids: ReadonlyMap<NodeId, NodeId>;
      /** "Changes all 3 calls of block.", or null. */
      readonly note: string | null;
      /** The node that was made or is meant, by its new identity. */
      readonly node: NodeId | null;
    }
  | { readonly ok: false; readonly text: string };

export const refused = (text: string): Edited => ({ ok: false, text });
