/** @file How 32 neighbouring threads of the shown kernel meet memory: one box for each segment of 128 bytes, filled as far as it is wanted. */
import { useEffect, useMemo } from "react";
import type { Kernel, NeighbourAccess } from "../../fusion";
import { playground, usePlayground } from "../../state";
import { operandPicture, type OperandPicture } from "../model/neighbours";
import "./neighbours.css";

const NONE: readonly NeighbourAccess[] = [];

function useAccesses({ region, name }: Kernel): readonly NeighbourAccess[] {
  const compilation = usePlayground((state) => state.derived.compilation);
  const cursor = usePlayground((state) => state.cursor);
  const known = usePlayground((state) => state.neighbours);
  useEffect(() => {
    void playground.getState().actions.askNeighbours(region);
  }, [compilation, cursor, region]);
  return known?.region === region ? (known.kernels.get(name) ?? NONE) : NONE;
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

export function Neighbours({ kernel }: { readonly kernel: Kernel }) {
  const accesses = useAccesses(kernel);
  const pictures = useMemo(() => accesses.map(operandPicture), [accesses]);
  if (pictures.length === 0) return null;
  return (
    <section className="neighbours" aria-label="Neighbouring threads">
      <h3>
        32 neighbouring threads <span>first workgroup, one box is 128 B</span>
      </h3>
      <dl>
        {pictures.map((picture) => (
          <Operand key={picture.key} picture={picture} />
        ))}
      </dl>
    </section>
  );
}
