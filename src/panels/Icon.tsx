/** @file The panels' line icons, drawn on a 22 by 22 grid. */

const paths = {
  back: "M13.5 6l-5 5 5 5",
  forward: "M8.5 6l5 5-5 5",
  check: "M5 11.5l4 4 8-9",
  cross: "M6 6l10 10M16 6 6 16",
  minus: "M6 11h10",
  warning: "M11 4.5 18 17H4zM11 9v4M11 15v.1",
  chip: "M6 8a2 2 0 0 1 2-2h6a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2zM9 3v3M13 3v3M9 16v3M13 16v3M3 9h3M3 13h3M16 9h3M16 13h3",
  copy: "M10 8h5a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2h-5a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2zM5 13V7a2 2 0 0 1 2-2h6",
  hint: "M11 3.5a5 5 0 0 1 3 9V15H8v-2.5a5 5 0 0 1 3-9zM9 18h4",
  search: "M15 10a5 5 0 1 1-10 0 5 5 0 0 1 10 0zM14 14l4 4",
} as const;
const solid = { play: "M8 5.5v11l9-5.5z", pause: "M7 5.5h3v11H7zM12 5.5h3v11h-3z" } as const;

export type IconName = keyof typeof paths | keyof typeof solid;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  const filled = name in solid;
  const path = filled ? solid[name as keyof typeof solid] : paths[name as keyof typeof paths];
  return (
    <svg className="panel-icon" width={size} height={size} viewBox="0 0 22 22" aria-hidden="true">
      <path
        d={path}
        fill={filled ? "currentColor" : "none"}
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
