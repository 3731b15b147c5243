/** @file The four sides of a kernel that profilers show: memory, arithmetic, instructions, launch; here as counted and modelled. */
import { useEffect, useState, useMemo } from "react";
import type { Kernel, KernelLook, NeighbourAccess } from "../../fusion";
import { playground, usePlayground } from "../../state";
import { instructionRows, type KernelCard, type Meter } from "../model/kernel/kernel-card";
import { count } from "../model/units";
import { operandPicture, type OperandPicture } from "../model/kernel/neighbours";
import "./card-views.css";
import "./neighbours.css";

const views = ["Memory", "Arithmetic", "Instructions", "Launch"] as const;
type View = (typeof views)[number];

function MeterLine({ meter: { name, share, value, text } }: { readonly meter: Meter }) {
  return (
    <div className="card-meter">
      <dt>{name}</dt>
      <dd>
        <span className="card-bar" role="img" aria-label={`${name}: ${value}`}>
          <i style={{ width: `${share * 100}%` }} />
        </span>
        <b>{value}</b>
        <small>{text}</small>
      </dd>
    </div>
  );
}

/** What the lowered kernel says of itself; null until the worker has answered. */
function useLook({ region, name }: Kernel): KernelLook | null {
  const compilation = usePlayground((state) => state.derived.compilation);
  const cursor = usePlayground((state) => state.cursor);
  const known = usePlayground((state) => state.looks);
  useEffect(() => {
    void playground.getState().actions.askLooks(region);
  }, [compilation, cursor, region]);
  return known?.region === region ? (known.kernels.get(name) ?? null) : null;
}

function Instructions({ look }: { readonly look: KernelLook }) {
  return (
    <>
      <table className="traffic-tallies">
        <caption className="offscreen">What one thread executes at most</caption>
        <tbody>
          {instructionRows(look.instructions).map(([name, times]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{count(times)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>One thread; a loop counts once per iteration, both sides of a branch count, and a vec4 counts once.</p>
    </>
  );
}

interface Props {
  readonly kernel: Kernel;
  readonly card: KernelCard;
}

export function CardViews({ kernel, card }: Props) {
  const [view, setView] = useState<View>("Memory");
  const look = useLook(kernel);
  return (
    <>
      <div className="card-views" role="group" aria-label="Side of the kernel">
        {views.map((each) => (
          <button key={each} type="button" aria-pressed={each === view} onClick={() => setView(each)}>
            {each}
          </button>
        ))}
      </div>
      {view === "Memory" && look && <Neighbours accesses={look.accesses} />}
      {view === "Arithmetic" && card.arithmetic.map((each) => <p key={each}>{each}.</p>)}
      {view === "Instructions" && look && <Instructions look={look} />}
      {view === "Launch" && (
        <dl>
          <MeterLine meter={card.registers} />
          <MeterLine meter={card.occupancy} />
        </dl>
      )}
    </>
  );
}

function Operand({ picture: { name, access, way, cost, tight, boxes } }: { readonly picture: OperandPicture }) {
  return (
    <div className="neighbour" data-tight={tight}>
      <dt>
        <code>{name}</code> <small>{access}</small>
      </dt>
      <dd>
        <span>
          {way}
          {cost && <small>{cost}</small>}
        </span>
        {boxes.length > 0 && (
          <span className="neighbour-boxes" role="img" aria-label={`${name}, ${access}: ${way}. ${cost}`}>
            {boxes.map((share, i) => (
              <i key={i}>
                <u style={{ height: `${share * 100}%` }} />
              </i>
            ))}
          </span>
        )}
      </dd>
    </div>
  );
}

/** How 32 neighbouring threads of a kernel meet memory: one box for each segment of 128 bytes, filled as far as it is wanted. */
function Neighbours({ accesses }: { readonly accesses: readonly NeighbourAccess[] }) {
  const pictures = useMemo(() => accesses.map(operandPicture), [accesses]);
  return (
    <section className="neighbours" aria-label="Neighbouring threads">
      <p>32 neighbouring threads of the first workgroup; one box is a segment of 128 B, filled as far as it is used.</p>
      <dl>
        {pictures.map((picture) => (
          <Operand key={picture.key} picture={picture} />
        ))}
      </dl>
    </section>
  );
}
