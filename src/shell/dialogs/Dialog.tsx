/** @file A modal dialog: the browser's own, so focus stays inside and returns afterwards. */
import { useLayoutEffect, useRef, type ReactNode } from "react";
import { playground } from "../../state";
import { Icon } from "../../icons";
import "./dialogs.css";

interface Props {
  readonly title: string;
  readonly children: ReactNode;
  /** Wider than a column of text, or than two. */
  readonly size?: "wide" | "widest";
  /** Without a heading on the screen; the title still names the dialog. */
  readonly bare?: boolean;
}

const close = (): void => playground.getState().actions.openDialog("none");

export function Dialog({ title, children, size, bare = false }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  // Closed while it is still in the page: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={`dialog${size ? ` dialog-${size}` : ""}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onPointerDown={(event) => {
        // Only the backdrop is the dialog element itself.
        if (event.target === event.currentTarget) close();
      }}
    >
      <div className="dialog-body">
        {!bare && (
          <header className="dialog-head">
            <h2>{title}</h2>
            <button type="button" className="icon-button" aria-label="Close" onClick={close}>
              <Icon name="cross" size={18} />
            </button>
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
