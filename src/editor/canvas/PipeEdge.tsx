/** @file A line: a cased pipe through memory, a hairline in registers, a double hairline for a view; and its marks. */
import type { EdgeProps } from "@xyflow/react";
import type { FlowEdge } from "./flow";
import { type Line, pillWidth, markPoint, showBytes, type EdgeMark, type Point } from "../../picture";

function BytesLabel({ line }: { readonly line: Line }) {
  if (!line.label) return null;
  const { at, pill, grows, roomy } = line.label;
  const text = showBytes(line.edge.bytes);
  const width = pillWidth(text);
  return (
    <g className="pipe-label" data-pill={pill} data-roomy={roomy} style={{ transformOrigin: grows }}>
      {pill && <rect x={at.x - width / 2} y={at.y - 10} width={width} height={20} rx={10} />}
      <text x={at.x} y={at.y + 4}>
        {text}
      </text>
    </g>
  );
}

export function PipeEdge({ data }: EdgeProps<FlowEdge>) {
  if (!data) return null;
  const { line, mark, selected } = data;
  const { kind, width, tone, again } = line.edge;
  const outer = kind === "memory" ? width + 1 : kind === "view" ? 4 : 1.5;
  const inner = kind === "memory" && width >= 4 ? width - 1.5 : kind === "view" ? 1.5 : 0;
  const colour = tone ? { "--tone": `var(--k${tone})` } : {};
  const at = markPoint(line.points);
  return (
    <g
      className="pipe"
      data-kind={kind}
      data-again={again}
      data-selected={selected}
      data-candidate={Boolean(mark?.candidate)}
      style={colour as never}
    >
      <path className="pipe-hit" d={line.path} />
      {(selected || mark?.candidate) && <path className="pipe-halo" d={line.path} />}
      <path className="pipe-case" d={line.path} style={{ strokeWidth: outer }} />
      <path className="pipe-core" d={line.path} style={{ strokeWidth: inner }} />
      {mark?.candidate && <path className="pipe-dashes" d={line.path} />}
      {!mark?.candidate && <BytesLabel line={line} />}
      <EdgeSign mark={mark} at={at} />
    </g>
  );
}

const signs = {
  refused: "M-4.5-4.5l9 9m0-9l-9 9",
  accepted: "M-5 .5l3.5 3.5L5.500-4",
  forced: "M0-5.500L5.500 0 0 5.500-5.500 0z",
} as const;

/** The sign on a line: a violet disc for the candidate, a lock or a diamond for a pin, a small ✕ for a past refusal. */
function EdgeSign({ mark, at }: { readonly mark: EdgeMark | null; readonly at: Point }) {
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
