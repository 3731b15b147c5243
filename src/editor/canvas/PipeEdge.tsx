/** @file A line: a cased pipe through memory, a hairline in registers, a double hairline for a view; and its marks. */
import type { EdgeProps } from "@xyflow/react";
import { EdgeSign } from "./EdgeSign";
import type { FlowEdge } from "./flow";
import { type Line, pillWidth, markPoint, showBytes } from "../../picture";

function BytesLabel({ line }: { readonly line: Line }) {
  if (!line.label) return null;
  const { at, pill } = line.label;
  const text = showBytes(line.edge.bytes);
  const width = pillWidth(text);
  return (
    <g className="pipe-label" data-pill={pill}>
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
  const { kind, width, tone } = line.edge;
  const outer = kind === "memory" ? width + 1 : kind === "view" ? 4 : 1.5;
  const inner = kind === "memory" && width >= 4 ? width - 1.5 : kind === "view" ? 1.5 : 0;
  const colour = tone ? { "--tone": `var(--k${tone})` } : {};
  const at = markPoint(line.points);
  return (
    <g
      className="pipe"
      data-kind={kind}
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
