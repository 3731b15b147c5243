/** @file Peak memory and traffic of both plans over a constant of the program. */
import { createElement, useEffect, useState } from "react";
import type { GrowthOf } from "../../fusion";
import { propsOf } from "../../picture";
import { playground, selectExample, selectIsCovered, usePlayground } from "../../state";
import { growthSentence, grown, growths, sizeName, type Grown } from "../model/growth";
import { count } from "../model/units";
import { curveShapes } from "../posters/growth-poster";
import "./growth.css";

const WIDTH = 300;
const HEIGHT = 96;
const ink = (token: string): string => `var(--${token})`;

function Chart({ name, rows, what }: GrowthOf & { readonly what: Grown }) {
  const label = growthSentence(rows, name, what);
  return (
    <>
      <h4 className="growth-title">{grown[what]}</h4>
      <svg viewBox={`-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`} className="growth-chart" role="img" aria-label={label}>
        {curveShapes({ rows, what, width: WIDTH, height: HEIGHT }, ink).map((shape, key) =>
          createElement(shape.name, { key, ...propsOf(shape) }),
        )}
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

function Charts({ name }: { readonly name: string }) {
  const sizes = usePlayground((state) => state.sizes);
  const compilation = usePlayground((state) => state.derived.compilation);
  const stale = sizes === null || sizes.of !== compilation || sizes.name !== name;
  useEffect(() => {
    if (stale) void playground.getState().actions.askSizes(name);
  }, [stale, name]);
  const rows = stale ? null : sizes.rows;
  if (!rows) return <p className="traffic-note">Planning…</p>;
  if (rows.length < 2) return <p className="traffic-note">The program does not plan at other sizes.</p>;
  return growths.map((what) => <Chart key={what} name={name} rows={rows} what={what} />);
}

/** Opens on request: it plans the program at five sizes. */
export function Growth() {
  const text = usePlayground((state) => state.derived.compilation?.text ?? "");
  const example = usePlayground(selectExample);
  const covered = usePlayground(selectIsCovered);
  const [open, setOpen] = useState(false);
  const name = sizeName(text, example?.sizes?.name);
  // Its curves end in the fused plan.
  if (name === undefined || covered) return null;
  return (
    <details className="growth" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Peak memory and traffic over {name}</summary>
      {open && <Charts name={name} />}
    </details>
  );
}
