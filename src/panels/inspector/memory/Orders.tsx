/** @file The same transformations in another order: kernels, bytes and predicted time of each. */
import { useEffect, useState } from "react";
import type { Compilation, OrderQuestion, OrderRow } from "../../../fusion";
import { playground, selectIsCovered, usePlayground } from "../../../state";
import { count, showBytes, showMicros } from "../../model/units";

const titles: Readonly<Record<OrderQuestion, readonly [last: string, first: string]>> = {
  batch: ["a batch of 8, then fuse", "fuse, then 8 times"],
  derivative: ["derivative, then fuse", "fuse each pass alone"],
  layout: ["transposes, then fuse", "fuse, then transposes"],
};

function Table({ rows }: { readonly rows: readonly OrderRow[] }) {
  return (
    <table className="saved-rows">
      <caption>Plans by order</caption>
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">kernels</th>
          <th scope="col">bytes</th>
          <th scope="col">peak</th>
          <th scope="col">predicted</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ question, fusesLast, totals }) => (
          <tr key={`${question} ${fusesLast}`}>
            <th scope="row">{titles[question][fusesLast ? 0 : 1]}</th>
            <td>{count(totals.kernels)}</td>
            <td>{showBytes(totals.bytes)}</td>
            <td>{showBytes(totals.peakBytes)}</td>
            <td>{showMicros(totals.predictedMicros)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Sheet() {
  const compilation = usePlayground((state) => state.derived.compilation);
  const [answer, setAnswer] = useState<{ readonly of: Compilation; readonly rows: readonly OrderRow[] } | null>(null);
  useEffect(() => {
    if (!compilation) return undefined;
    let late = false;
    void playground
      .getState()
      .actions.askOrders()
      .then((rows) => late || setAnswer({ of: compilation, rows }));
    return () => {
      late = true;
    };
  }, [compilation]);
  if (!answer) return <p className="traffic-note">Planning…</p>;
  if (answer.rows.length === 0)
    return <p className="traffic-note">No transformation of this program can be taken in another order.</p>;
  return (
    <div aria-busy={answer.of !== compilation}>
      <Table rows={answer.rows} />
      <p className="traffic-note">
        Fusion that comes last sees the ops of all other transformations. Eight launches of one plan each read the
        parameters again.
      </p>
    </div>
  );
}

/** Opens on request: it plans the program up to seven times. */
export function Orders() {
  const covered = usePlayground(selectIsCovered);
  const planned = usePlayground((state) => state.derived.compilation?.naive != null);
  const [open, setOpen] = useState(false);
  if (covered || !planned) return null;
  return (
    <details className="growth saved" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Orders of transformations</summary>
      {open && <Sheet />}
    </details>
  );
}
