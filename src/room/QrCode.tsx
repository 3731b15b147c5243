/** @file A QR code of a text; nothing where the text is too long for one. */
import { useMemo } from "react";
import { encode } from "uqr";
import "./room.css";

/** Characters that the largest code holds at the lowest error correction. */
export const MAX_QR_BYTES = 2953;

/** Dark modules as one path, a row of neighbours at a time. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  let path = "";
  for (const [y, row] of rows.entries())
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const from = x;
      while (row[x + 1]) x++;
      path += `M${from} ${y}h${x - from + 1}v1h${from - x - 1}z`;
    }
  return path;
}

export function QrCode({ text, name }: { readonly text: string; readonly name: string }) {
  const code = useMemo(() => (text.length > MAX_QR_BYTES ? null : encode(text, { ecc: "L", border: 4 })), [text]);
  if (!code) return <p className="room-quiet">Too long for a QR code: copy it instead.</p>;
  // Scanners want dark on light, in both themes.
  return (
    <svg
      className="room-qr"
      viewBox={`0 0 ${code.size} ${code.size}`}
      role="img"
      aria-label={name}
      shapeRendering="crispEdges"
    >
      <path className="room-qr-light" d={`M0 0h${code.size}v${code.size}h-${code.size}z`} />
      <path className="room-qr-dark" d={pathOf(code.data)} />
    </svg>
  );
}
