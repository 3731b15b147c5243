/** @file Two versions of a kernel side by side: the naive ones and what they became, the planner's and the chosen one. */
import { useEffect, useRef, useState } from "react";
import { useDiffEditor } from "../../../monaco";
import { Icon } from "../../../icons";

interface Props {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  /** What a screen reader calls the two. */
  readonly labels: { readonly original: string; readonly modified: string };
  readonly onClose: () => void;
}

export function DiffDialog({ title, before, after, labels, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [host, setHost] = useState<HTMLElement | null>(null);
  useDiffEditor(host, { language: "wgsl", original: before, modified: after }, labels);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="diff" aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="cross" />
        </button>
      </header>
      <div className="diff-host nokey" ref={setHost} />
    </dialog>
  );
}
