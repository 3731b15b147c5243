/** @file A curve over one variable: the line, zero, both ends of the axis, and the largest value where it is. */
import type { Curve } from "../model/gelu-forms";
import { curvePath } from "../model/curve-path";
import { scientific, significant } from "../model/units";

const SIZE = { width: 300, height: 64 };

export function CurvePlot({ curve }: { readonly curve: Curve }) {
  const { title, least, most } = curve;
  const { path, zero, peak } = curvePath(curve, SIZE.width, SIZE.height);
  const words = `${title}, from ${least} to ${most}: at most ${scientific(Math.abs(peak.value))}, at ${significant(peak.at)}`;
  return (
    <figure className="curve">
      <svg viewBox={`0 0 ${SIZE.width} ${SIZE.height}`} role="img" aria-label={words}>
        <line x1={0} x2={SIZE.width} y1={zero} y2={zero} />
        <path d={path} />
        <circle cx={peak.x} cy={peak.y} r={3} />
      </svg>
      <figcaption>
        <span>{least}</span>
        <span>
          {title}, {scientific(peak.value)} at x = {significant(peak.at)}
        </span>
        <span>{most}</span>
      </figcaption>
    </figure>
  );
}
