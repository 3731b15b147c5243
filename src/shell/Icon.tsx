/** @file The shell's line icons, drawn on a 22 by 22 grid. */

const paths = {
  up: "M7 12.5l4-4 4 4",
  down: "M7 9.5l4 4 4-4",
  undo: "M8 5 4.5 8.5 8 12M5 8.5h7a4.5 4.5 0 0 1 0 9H9",
  redo: "M14 5l3.5 3.5L14 12M17 8.5h-7a4.5 4.5 0 0 0 0 9h3",
  find: "M15 10a5 5 0 1 1-10 0 5 5 0 0 1 10 0zM14 14l4 4",
  link: "M9 13.5a4 4 0 0 0 5.7 0l2.6-2.6a4 4 0 0 0-5.7-5.7l-1 1M13 9.5a4 4 0 0 0-5.7 0l-2.6 2.6a4 4 0 0 0 5.7 5.7l1-1",
  help: "M18.5 11a7.5 7.5 0 1 1-15 0 7.5 7.5 0 0 1 15 0zM8.8 9a2.3 2.3 0 1 1 3.4 2c-.8.5-1.2.9-1.2 1.8M11 15.3v.1",
  close: "M6 6l10 10M16 6 6 16",
  copy: "M10 8h5a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2h-5a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2zM5 13V7a2 2 0 0 1 2-2h6",
  check: "M5 11.5l4 4 8-9",
  open: "M12 6l-5 5 5 5M16 5v12",
  fold: "M9 6l5 5-5 5M5 5v12",
  lessons: "M11 6.5C9 5 6.5 4.5 4 5v11c2.5-.5 5 0 7 1.5 2-1.5 4.5-2 7-1.5V5c-2.5-.5-5 0-7 1.5zM11 6.5v11",
  falling: "M4 4v14h14M7.5 6c.6 5.5 3 8.5 10 8.5",
  options: "M4 7h8M16 7h2M4 15h2M10 15h8M14 5v4M8 13v4",
} as const;

export function Icon({ name, size = 18 }: { readonly name: keyof typeof paths; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 22 22"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

export const ThemeIcon = () => (
  <svg
    width="18"
    height="18"
    viewBox="0 0 22 22"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    aria-hidden="true"
  >
    <circle cx="11" cy="11" r="6.5" />
    <path d="M11 4.5v13a6.5 6.5 0 0 0 0-13z" fill="currentColor" />
  </svg>
);

export const RunIcon = ({ stop }: { readonly stop: boolean }) => (
  <svg width="16" height="16" viewBox="0 0 22 22" fill="currentColor" aria-hidden="true">
    <path d={stop ? "M6 6h10v10H6z" : "M8 5.5v11l9-5.5z"} />
  </svg>
);

/** Two ops and the value between them. */
export const Mark = () => (
  <svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true" className="mark">
    <rect
      x="1.5"
      y="1.5"
      width="23"
      height="23"
      rx="7"
      fill="var(--accent-tint)"
      stroke="var(--accent)"
      strokeWidth="1.8"
    />
    <circle cx="9.5" cy="9.5" r="3" fill="var(--accent)" />
    <circle cx="16.5" cy="16.5" r="3" fill="var(--accent)" />
    <path d="M9.5 9.5l7 7" stroke="var(--accent)" strokeWidth="3.5" />
  </svg>
);
