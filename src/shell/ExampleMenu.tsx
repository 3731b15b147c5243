/** @file The example that is open; under it, all of them. */
import { useEffect, useRef, useState } from "react";
import { selectExample, selectIsEdited, usePlayground } from "../state";
import { ExamplePicker } from "./ExamplePicker";
import { Icon } from "./Icon";

export function ExampleMenu() {
  const example = usePlayground(selectExample);
  const changed = usePlayground(selectIsEdited);
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const title = example?.title ?? "Your own";

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };

  useEffect(() => {
    const element = root.current;
    if (!open || !element) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
    };
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    element.addEventListener("keydown", onKey);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      element.removeEventListener("keydown", onKey);
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [open]);

  return (
    <div className="menu" ref={root}>
      <button
        type="button"
        ref={button}
        className="pick"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={`Example: ${title}`}
        onClick={() => setOpen(!open)}
      >
        <span className="pick-word">Example</span>
        <b>{title}</b>
        {changed && <span className="pick-changed">edited</span>}
        <Icon name="down" size={16} />
      </button>
      {open && <ExamplePicker shown={example?.id ?? null} onClose={close} />}
    </div>
  );
}
