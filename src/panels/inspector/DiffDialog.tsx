/** @file The naive kernels beside the one they became. */
import { useEffect, useRef, useState } from "react";
import { useDiffEditor } from "../../monaco";
import { Icon } from "../Icon";

interface Props {
  readonly title: string;
  readonly naive: string;
  readonly now: string;
  readonly onClose: () => void;
}

const LABELS = { original: "WGSL of the naive kernels, read-only", modified: "WGSL of this kernel, read-only" };

export function DiffDialog({ title, naive, now, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [host, setHost] = useState<HTMLElement | null>(null);
  useDiffEditor(host, { language: "wgsl", original: naive, modified: now }, LABELS);
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
