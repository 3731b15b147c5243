/** @file Copies a text and says whether it worked. */
import { useState } from "react";
import { Icon } from "../icons";
import { copyText } from "../panels";

interface Props {
  readonly text: string;
  readonly label: string;
  readonly filled?: boolean;
}

export function CopyButton({ text, label, filled = false }: Props) {
  const [copied, setCopied] = useState<{ readonly text: string; readonly ok: boolean } | null>(null);
  const copy = async (): Promise<void> => {
    setCopied({ text, ok: await copyText(text) });
  };
  const now = copied?.text === text ? copied : null;
  return (
    <>
      <button type="button" className={filled ? "action" : "plain"} onClick={() => void copy()}>
        <Icon name={now?.ok ? "check" : "copy"} />
        {now?.ok ? "Copied" : label}
      </button>
      {now && !now.ok && (
        <span role="status" className="room-quiet">
          The browser did not allow copying: select the text and copy it.
        </span>
      )}
    </>
  );
}
