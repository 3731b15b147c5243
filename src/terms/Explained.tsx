/** @file Sentences with the glossary at hand: what a term means opens beside it, for a pointer that rests there, a touch or a key. */
import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import { terms } from "../glossary";
import "./explained.css";

/** ms that a pointer rests on a word before its meaning opens. */
const REST = 250;
/** px that the card takes at most, and its distance from the word. */
const MAX_WIDTH = 300;
const MAX_HEIGHT = 130;
const GAP = 4;

const meanings = new Map(terms.map(({ name, meaning }) => [name.toLowerCase(), meaning]));
/** The term of a lesson's link: `arithmetic-intensity`. */
export const meaningOf = (name: string): string | undefined => meanings.get(name.toLowerCase().replaceAll("-", " "));

interface CardProps {
  readonly id: string;
  readonly word: DOMRect;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

function Card({ id, word, children, onClose }: CardProps) {
  const card = useRef<HTMLSpanElement>(null);
  useEffect(() => card.current?.showPopover(), []);
  const left = Math.max(GAP, Math.min(word.left, innerWidth - MAX_WIDTH - GAP));
  const under = word.bottom + MAX_HEIGHT < innerHeight;
  const place = under ? { top: word.bottom + GAP } : { bottom: innerHeight - word.top + GAP };
  return (
    <span
      ref={card}
      id={id}
      role="tooltip"
      popover="auto"
      className="meaning"
      style={{ left, maxWidth: MAX_WIDTH, ...place }}
      onToggle={({ newState }) => newState === "closed" && onClose()}
    >
      {children}
    </span>
  );
}

interface TermProps {
  readonly meaning: string;
  readonly children: string;
}

export function TermWord({ meaning, children }: TermProps) {
  const id = useId();
  const [word, setWord] = useState<DOMRect | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const open = (button: Element): void => setWord(button.getClientRects()[0] ?? null);
  return (
    <>
      <button
        type="button"
        className="term"
        aria-describedby={word ? id : undefined}
        onClick={({ currentTarget }) => open(currentTarget)}
        onPointerEnter={({ currentTarget, pointerType }) => {
          if (pointerType === "mouse") timer.current = setTimeout(() => open(currentTarget), REST);
        }}
        onPointerLeave={({ pointerType }) => {
          clearTimeout(timer.current);
          if (pointerType === "mouse") setWord(null);
        }}
      >
        {children}
      </button>
      {word && (
        <Card id={id} word={word} onClose={() => setWord(null)}>
          <b>{children}.</b> {meaning}
        </Card>
      )}
    </>
  );
}

const names = terms.flatMap(({ name, page, everyday }) => (page === null || everyday ? [] : [name]));
/** Longer names first: `naive plan` before `plan`. */
const words = new RegExp(`\\b(${names.toSorted((a, b) => b.length - a.length).join("|")})(?:e?s|d)?\\b`, "gi");

/** Words of a sentence, each term explained where it is first used. */
function explained(text: string, seen: Set<string>): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const found of text.matchAll(words)) {
    const name = found[1]!.toLowerCase();
    if (seen.has(name)) continue;
    seen.add(name);
    parts.push(text.slice(at, found.index));
    parts.push(
      <TermWord key={found.index} meaning={meanings.get(name)!}>
        {found[0]}
      </TermWord>,
    );
    at = found.index + found[0].length;
  }
  return [...parts, text.slice(at)];
}

/** A sentence of the compiler or of a note: names in backticks are set as code, terms of the glossary are explained. */
export function Explained({ text }: { readonly text: string }): ReactNode {
  const seen = new Set<string>();
  return text
    .split("`")
    .map((part, i) =>
      i % 2 === 1 ? <code key={`${i}${part}`}>{part}</code> : <span key={i}>{explained(part, seen)}</span>,
    );
}
