/** @file The icons of all parts of the page, drawn on a 22 by 22 grid. */
import "./icon.css";

const lines = {
  back: "M13.5 6l-5 5 5 5",
  forward: "M8.5 6l5 5-5 5",
  up: "M7 12.5l4-4 4 4",
  down: "M7 9.5l4 4 4-4",
  check: "M5 11.5l4 4 8-9",
  cross: "M6 6l10 10M16 6 6 16",
  plus: "M11 5v12M5 11h12",
  minus: "M5 11h12",
  warning: "M11 4.5 18 17H4zM11 9v4M11 15v.1",
  undo: "M8 5 4.5 8.5 8 12M5 8.5h7a4.5 4.5 0 0 1 0 9H9",
  redo: "M14 5l3.5 3.5L14 12M17 8.5h-7a4.5 4.5 0 0 0 0 9h3",
  search: "M15 10a5 5 0 1 1-10 0 5 5 0 0 1 10 0zM14 14l4 4",
  link: "M9 13.5a4 4 0 0 0 5.7 0l2.6-2.6a4 4 0 0 0-5.7-5.7l-1 1M13 9.5a4 4 0 0 0-5.7 0l-2.6 2.6a4 4 0 0 0 5.7 5.7l1-1",
  help: "M18.5 11a7.5 7.5 0 1 1-15 0 7.5 7.5 0 0 1 15 0zM8.8 9a2.3 2.3 0 1 1 3.4 2c-.8.5-1.2.9-1.2 1.8M11 15.3v.1",
  hint: "M11 3.5a5 5 0 0 1 3 9V15H8v-2.5a5 5 0 0 1 3-9zM9 18h4",
  copy: "M10 8h5a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2h-5a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2zM5 13V7a2 2 0 0 1 2-2h6",
  open: "M12 6l-5 5 5 5M16 5v12",
  fold: "M9 6l5 5-5 5M5 5v12",
  fit: "M5 8.5V5h3.5M13.5 5H17v3.5M17 13.5V17h-3.5M8.5 17H5v-3.5",
  list: "M5 6h12M5 11h12M5 16h8",
  map: "M3.5 4.5h15v13h-15zM11 11h5v4h-5z",
  transform: "M7.5 7.5c1-3 7-3.5 7.5 3 .4 5-2.3 7.5-5 7-3.5-.6-3.5-5.5 0-6.5 2.5-.6 4.3.6 5 2.5",
  chip: "M6 8a2 2 0 0 1 2-2h6a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2zM9 3v3M13 3v3M9 16v3M13 16v3M3 9h3M3 13h3M16 9h3M16 13h3",
  lessons: "M11 6.5C9 5 6.5 4.5 4 5v11c2.5-.5 5 0 7 1.5 2-1.5 4.5-2 7-1.5V5c-2.5-.5-5 0-7 1.5zM11 6.5v11",
  falling: "M4 4v14h14M7.5 6c.6 5.5 3 8.5 10 8.5",
  options: "M4 7h8M16 7h2M4 15h2M10 15h8M14 5v4M8 13v4",
  theme: "M17.5 11a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0z",
} as const;
/** Filled, over the lines of the same name. */
const areas = {
  play: "M8 5.5v11l9-5.5z",
  pause: "M7 5.5h3v11H7zM12 5.5h3v11h-3z",
  stop: "M6 6h10v10H6z",
  theme: "M11 4.5v13a6.5 6.5 0 0 0 0-13z",
} as const;

export type IconName = keyof typeof lines | keyof typeof areas;

/** `size` in px. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 22 22" aria-hidden="true">
      {name in lines && <path d={lines[name as keyof typeof lines]} />}
      {name in areas && <path d={areas[name as keyof typeof areas]} fill="currentColor" stroke="none" />}
    </svg>
  );
}
