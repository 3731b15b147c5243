/** @file Rooflines of datasheets and of this device, with their ridge points and where the program stands; needs no run. */
import { useMemo, useState } from "react";
import { usePlayground } from "../../../state";
import { decadesOf, machinesOf, roofAt, roofAxes, rooflineOf, standsOf, standSentence } from "../../model/run/roofline";
import { decimal, significant } from "../../model/units";
import "./figures.css";

const WIDTH = 320;
const HEIGHT = 170;
/** px left and right of the axes. */
const MARGIN = 4;
/** Room for names above the chart. */
const ABOVE = 26;
/** Between names of roofs, one below the other. */
const NAME = 13;

/** Each roof's name stands on its flat part; where two are close, the higher one's name is further up. */
function nameTops(flats: readonly number[]): readonly number[] {
  const tops: number[] = [];
  let free = Infinity;
  for (const i of flats.map((_, at) => at).sort((a, b) => flats[b]! - flats[a]!)) {
    tops[i] = Math.min(flats[i]! - 4, free);
    free = tops[i]! - NAME;
  }
  return tops;
}

export function Rooflines() {
  const compilation = usePlayground((state) => state.derived.compilation);
  const profile = usePlayground((state) => state.document.options.profile);
  const run = usePlayground((state) => (state.run.status === "done" ? state.run.run.result : null));
  const machines = useMemo(() => machinesOf(profile, run), [profile, run]);
  const [shown, setShown] = useState(0);
  const stands = useMemo(
    () =>
      compilation?.naivePlan && compilation.fusedPlan ? standsOf(compilation.naivePlan, compilation.fusedPlan) : [],
    [compilation],
  );
  const roofs = machines.map(rooflineOf);
  const roof = roofs[Math.min(shown, roofs.length - 1)]!;
  const { x, y } = roofAxes(roofs, stands);
  const at = (value: number, [low, high]: readonly [number, number]): number =>
    Math.log10(value / low) / Math.log10(high / low);
  const left = (value: number): number => at(value, x) * WIDTH;
  const top = (value: number): number => (1 - at(value, y)) * HEIGHT;
  const names = nameTops(roofs.map(({ flops }) => top(flops)));
  return (
    <div className="figure">
      <svg
        viewBox={`${-MARGIN} ${-ABOVE} ${WIDTH + 2 * MARGIN} ${HEIGHT + ABOVE + 4}`}
        role="img"
        aria-label={roofs.map(({ text }) => text).join(" ")}
      >
        {stands.map(({ plan, intensity }) => (
          <line
            key={plan}
            data-plan={plan}
            className="figure-stand"
            x1={left(intensity)}
            x2={left(intensity)}
            y1={0}
            y2={HEIGHT}
          />
        ))}
        {decadesOf(y).map((decade) => (
          <g key={decade} className="figure-tick">
            <line x1={0} x2={4} y1={top(decade)} y2={top(decade)} />
            <text x={7} y={top(decade) + 4}>
              {decimal(decade, "FLOP/s")}
            </text>
          </g>
        ))}
        {decadesOf(x).map((decade) => (
          <line
            key={decade}
            className="figure-decade"
            x1={left(decade)}
            x2={left(decade)}
            y1={HEIGHT - 4}
            y2={HEIGHT}
          />
        ))}
        {roofs.map((each, i) => (
          <g key={each.name} data-shown={each === roof} onPointerEnter={() => setShown(i)}>
            <title>{each.text}</title>
            <polyline
              points={[x[0], each.ridge, x[1]].map((value) => `${left(value)},${top(roofAt(each, value))}`).join(" ")}
            />
            <circle cx={left(each.ridge)} cy={top(each.flops)} r={4} />
            <text x={WIDTH} y={names[i]}>
              {each.name}
            </text>
          </g>
        ))}
      </svg>
      <div className="figure-axis">
        {decadesOf(x).map((decade) => (
          <span key={decade} style={{ left: `${(100 * (left(decade) + MARGIN)) / (WIDTH + 2 * MARGIN)}%` }}>
            {significant(decade)}
          </span>
        ))}
      </div>
      <p className="figure-note">Across: FLOP per byte. Up: FLOP/s.</p>
      <table>
        <caption className="offscreen">Machines, by datasheet or as measured</caption>
        <thead>
          <tr>
            <th scope="col">Machine</th>
            <th scope="col">memory</th>
            <th scope="col">f32</th>
            <th scope="col">ridge</th>
          </tr>
        </thead>
        <tbody>
          {roofs.map((each, i) => (
            <tr key={each.name} data-shown={each === roof}>
              <th scope="row">
                <button type="button" aria-pressed={each === roof} onClick={() => setShown(i)}>
                  {each.name}
                </button>
              </th>
              <td>{decimal(each.bandwidth, "B/s")}</td>
              <td>{decimal(each.flops, "FLOP/s")}</td>
              <td>
                <b>{significant(each.ridge)}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p aria-live="polite">{roof.text}</p>
      {stands.length > 0 && <p>{standSentence(roof, stands)} The lines mark its naive and its fused plan.</p>}
      <p className="figure-note">
        Drawn for f32, which kernels in WGSL compute in. After a run this device is listed, as measured.
      </p>
    </div>
  );
}
