/** @file Tabs that arrow keys move along. */
import type { KeyboardEvent } from "react";

interface Props<T extends string> {
  readonly tabs: readonly (readonly [T, string])[];
  readonly shown: T;
  readonly onShow: (tab: T) => void;
}

export function TabBar<T extends string>({ tabs, shown, onShow }: Props<T>) {
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const direction = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (direction === 0) return;
    const at = tabs.findIndex(([tab]) => tab === shown);
    const next = tabs[(at + direction + tabs.length) % tabs.length];
    event.preventDefault();
    event.stopPropagation();
    if (!next) return;
    onShow(next[0]);
    event.currentTarget.querySelector<HTMLElement>(`#kernel-tab-${next[0]}`)?.focus();
  };
  return (
    <div className="kernel-tabs" role="tablist" aria-label="Kernel details" tabIndex={-1} onKeyDown={move}>
      {tabs.map(([tab, title]) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`kernel-tab-${tab}`}
          aria-selected={tab === shown}
          aria-controls="kernel-panel"
          tabIndex={tab === shown ? 0 : -1}
          onClick={() => onShow(tab)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
