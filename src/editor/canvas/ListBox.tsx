/** @file A searchable list over the canvas: type to narrow, arrows to choose, Enter to take, Escape to leave. */
import { Fragment, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode, RefObject } from "react";
import type { Position } from "../../document";

export interface ListEntry {
  readonly key: string;
  readonly row: ReactNode;
  /** Said above the first of those that share it. */
  readonly heading?: string | null;
  /** Text dragged onto the canvas; absent where rows can't be dragged. */
  readonly dragged?: string;
}

interface ListBoxProps {
  readonly title: string;
  readonly placeholder: string;
  readonly entries: readonly ListEntry[];
  readonly empty: string;
  /** Where the list was asked for, in px of the window; without it the list stands over the toolbar. */
  readonly near?: Position | null;
  readonly onSearch: (text: string) => void;
  readonly onTake: (index: number) => void;
  readonly onClose: () => void;
}

/** Media type of an op dragged from the palette. */
export const OP_MEDIA_TYPE = "application/x-fusion-op";

/** Calls `onLeave` when the focus goes elsewhere on the page. */
function useLeaving(boxRef: RefObject<HTMLElement | null>, onLeave: () => void): void {
  useEffect(() => {
    const look = ({ target }: FocusEvent): void => {
      if (target instanceof Node && !boxRef.current?.contains(target)) onLeave();
    };
    document.addEventListener("focusin", look);
    return () => document.removeEventListener("focusin", look);
  }, [boxRef, onLeave]);
}

/** px between the list and the edges of the canvas, and what was clicked. */
const EDGE = 14;

/** Right of where it was asked for, as far as the canvas has room. */
function usePlace(boxRef: RefObject<HTMLElement | null>, near: Position | null): void {
  useLayoutEffect(() => {
    const box = boxRef.current;
    const canvas = box?.offsetParent?.getBoundingClientRect();
    if (!box || !canvas || !near) return;
    const within = (at: number, most: number): number => Math.max(EDGE, Math.min(at, most - EDGE));
    box.style.left = `${within(near.x - canvas.left + EDGE, canvas.width - box.offsetWidth)}px`;
    box.style.top = `${within(near.y - canvas.top - EDGE, canvas.height - box.offsetHeight)}px`;
    box.style.right = box.style.bottom = "auto";
    // Where it opened it stays, however the list grows shorter.
  }, [boxRef, near]);
}

interface OptionsProps extends Pick<ListBoxProps, "title" | "entries" | "onTake"> {
  readonly id: string;
  readonly at: number;
  readonly onPoint: (index: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function Options({ id, title, entries, at, onPoint, onTake, onKeyDown }: OptionsProps) {
  return (
    <div className="canvas-options" id={id} role="listbox" aria-label={title}>
      {entries.map(({ key, row, heading, dragged }, i) => (
        <Fragment key={key}>
          {heading && heading !== entries[i - 1]?.heading && (
            <div className="canvas-family" role="presentation">
              {heading}
            </div>
          )}
          <div
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            draggable={dragged !== undefined}
            onDragStart={(event) => dragged !== undefined && event.dataTransfer.setData(OP_MEDIA_TYPE, dragged)}
            onPointerMove={() => onPoint(i)}
            onClick={() => onTake(i)}
            onKeyDown={onKeyDown}
          >
            {row}
          </div>
        </Fragment>
      ))}
    </div>
  );
}

export function ListBox({ title, placeholder, entries, empty, near = null, onSearch, onTake, onClose }: ListBoxProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useLeaving(box, onClose);
  usePlace(box, near);
  const [active, setActive] = useState(0);
  const at = Math.min(active, entries.length - 1);
  useEffect(() => {
    const before = document.activeElement;
    input.current?.focus();
    return () => {
      if (before instanceof HTMLElement || before instanceof SVGElement) before.focus();
    };
  }, []);
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [id, at]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setActive(Math.min(at + 1, entries.length - 1));
    else if (event.key === "ArrowUp") setActive(Math.max(at - 1, 0));
    else if (event.key === "Enter" && entries.length > 0) onTake(at);
    else if (event.key === "Escape" || event.key === "Tab") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="canvas-list" role="dialog" aria-label={title} ref={box}>
      <input
        ref={input}
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={entries.length > 0 ? `${id}-${at}` : undefined}
        aria-label={title}
        placeholder={placeholder}
        spellCheck={false}
        onChange={(event) => {
          setActive(0);
          onSearch(event.target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <Options
        id={id}
        title={title}
        entries={entries}
        at={at}
        onPoint={setActive}
        onTake={onTake}
        onKeyDown={onKeyDown}
      />
      {entries.length === 0 && <p className="canvas-none">{empty}</p>}
    </div>
  );
}
