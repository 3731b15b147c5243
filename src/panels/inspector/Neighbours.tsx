/** @file How 32 neighbouring threads of a kernel meet memory: one box for each segment of 128 bytes, filled as far as it is wanted. */
import { useMemo } from "react";
import type { NeighbourAccess } from "../../fusion";
import { operandPicture, type OperandPicture } from "../model/neighbours";
import "./neighbours.css";

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

export function Neighbours({ accesses }: { readonly accesses: readonly NeighbourAccess[] }) {
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
