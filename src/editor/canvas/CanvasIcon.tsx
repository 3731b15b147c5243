/** @file The canvas's line icons, drawn on a 22 by 22 grid. */
const paths = {
  plus: "M11 5v12M5 11h12",
  minus: "M5 11h12",
  fit: "M5 8.5V5h3.5M13.5 5H17v3.500M17 13.5V17h-3.5M8.5 17H5v-3.5",
  list: "M5 6h12M5 11h12M5 16h8",
  transform:
    "M7.500 7.500c1-3 7-3.500 7.500 3 .4 5-2.300 7.500-5 7-3.500-.6-3.500-5.500 0-6.500 2.500-.6 4.300.6 5 2.500",
  map: "M3.5 4.5h15v13h-15zM11 11h5v4h-5z",
  close: "M6 6l10 10M16 6 6 16",
  check: "M5 11.5l4 4 8-9",
} as const;

export function CanvasIcon({ name, size = 15 }: { readonly name: keyof typeof paths; readonly size?: number }) {
  return (
    <svg className="canvas-icon" width={size} height={size} viewBox="0 0 22 22" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
