/** @file The sign on a line: a violet disc for the candidate, a lock or a diamond for a pin, a small ✕ for a past refusal. */
import type { EdgeMark, Point } from "../../picture";

const signs = {
  refused: "M-4.5-4.5l9 9m0-9l-9 9",
  accepted: "M-5 .5l3.5 3.5L5.500-4",
  forced: "M0-5.500L5.500 0 0 5.500-5.500 0z",
} as const;

export function EdgeSign({ mark, at }: { readonly mark: EdgeMark | null; readonly at: Point }) {
  if (!mark) return null;
  const place = `translate(${at.x} ${at.y})`;
  if (mark.candidate?.disc) {
    return (
      <g className="edge-disc" data-outcome={mark.candidate.outcome} transform={place}>
        <circle r="12" />
        <path d={signs[mark.candidate.outcome]} />
      </g>
    );
  }
  if (mark.pin === "forced") {
    return (
      <g className="edge-pin" transform={place}>
        <path d="M0-8L8 0 0 8-8 0z" />
      </g>
    );
  }
  if (mark.pin === "forbidden") {
    return (
      <g className="edge-pin" transform={place}>
        <circle r="11" />
        <path d="M-5-1.500h10v7h-10zM-3-1.500v-2a3 3 0 0 1 6 0v2" />
      </g>
    );
  }
  return mark.refused ? (
    <g className="edge-refused" transform={place}>
      <path d="M-4-4l8 8m0-8l-8 8" />
    </g>
  ) : null;
}
