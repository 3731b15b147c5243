/** @file A button with a menu under it: arrows move, Escape closes, the focus returns. */
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

interface Props {
  readonly label: ReactNode;
  /** What the button is called when its label is a picture. */
  readonly name?: string;
  readonly className: string;
  /** The items: buttons with role `menuitem` or `menuitemradio`. */
  readonly children: ReactNode;
}

const itemsOf = (menu: HTMLElement | null): HTMLElement[] =>
  menu ? [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")] : [];

function move(menu: HTMLElement | null, event: KeyboardEvent): void {
  const items = itemsOf(menu);
  const at = items.findIndex((item) => item === document.activeElement);
  const last = items.length - 1;
  const next = { ArrowDown: at === last ? 0 : at + 1, ArrowUp: at <= 0 ? last : at - 1, Home: 0, End: last }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
}

export function Menu({ label, name, className, children }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!open) return;
    const items = itemsOf(menu.current);
    (items.find((item) => item.getAttribute("aria-checked") === "true") ?? items[0])?.focus();
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!open) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (event.key === "Tab") setOpen(false);
    else move(menu.current, event);
  };
  return (
    <div className="menu" ref={root}>
      <button
        type="button"
        ref={button}
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={name}
        onClick={() => setOpen(!open)}
        onKeyDown={onKeyDown}
      >
        {label}
      </button>
      {open && (
        <div className="menu-list" role="menu" tabIndex={-1} ref={menu} onClick={close} onKeyDown={onKeyDown}>
          {children}
        </div>
      )}
    </div>
  );
}
