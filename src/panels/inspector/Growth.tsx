/** @file Peak memory of both plans over a constant of the program. */
import { useEffect, useState } from "react";
import { constantsOf, playground, selectExample, selectIsCovered, usePlayground } from "../../state";
import { growthCurves, growthSentence } from "../model/growth";
import { count } from "../model/units";
import "./growth.css";

const WIDTH = 300;
const HEIGHT = 96;

function Chart({ name }: { readonly name: string }) {
  const sizes = usePlayground((state) => state.sizes);
  const compilation = usePlayground((state) => state.derived.compilation);
  const stale = sizes === null || sizes.of !== compilation || sizes.name !== name;
  useEffect(() => {
    if (stale) void playground.getState().actions.askSizes(name);
  }, [stale, name]);
  const rows = stale ? null : sizes.rows;
  if (!rows) return <p className="traffic-note">Planning…</p>;
  const curves = growthCurves(rows);
  if (curves.length === 0) return <p className="traffic-note">The program does not plan at other sizes.</p>;
  const label = growthSentence(rows, name);
  return (
    <>
      <svg viewBox={`-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`} className="growth-chart" role="img" aria-label={label}>
        {curves.map(({ plan, points }) => (
          <g key={plan} data-plan={plan}>
            <polyline points={points.map(([x, y]) => `${x * WIDTH},${(1 - y) * HEIGHT}`).join(" ")} />
            {points.map(([x, y]) => (
              <circle key={x} cx={x * WIDTH} cy={(1 - y) * HEIGHT} r={3} />
            ))}
          </g>
        ))}
      </svg>
      <p className="growth-axis">
        <span>{count(rows[0]!.value)}</span>
        <span>{name}, both axes logarithmic</span>
        <span>{count(rows.at(-1)!.value)}</span>
      </p>
      <p className="traffic-note">{label}</p>
    </>
  );
}

/** Opens on request: it plans the program at five sizes. */
export function Growth() {
  const text = usePlayground((state) => state.derived.compilation?.text ?? "");
  const example = usePlayground(selectExample);
  const covered = usePlayground(selectIsCovered);
  const [open, setOpen] = useState(false);
  const constants = constantsOf(text);
  const preferred = example?.sizes?.name ?? "";
  const name = constants.has(preferred) ? preferred : constants.keys().next().value;
  // Its curves end in the fused plan.
  if (name === undefined || covered) return null;
  return (
    <details className="growth" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Peak memory over {name}</summary>
      {open && <Chart name={name} />}
    </details>
  );
}
