/** @file Beside the text: FLOPs as hollow bars, bytes as solid ones, each scaled to its own largest line. */
import { showBytes } from "../../fusion";
import type { VisibleLines } from "../../monaco";
import type { CostBar } from "./line-cost";
import { showCount } from "./format";

interface Props {
  readonly visible: VisibleLines;
  readonly bars: ReadonlyMap<number, CostBar>;
  /** Lines that the current step, the selection or the pointer is about. */
  readonly lit: ReadonlySet<number>;
}

function Bars({ bar }: { readonly bar: CostBar }) {
  return (
    <>
      <i className="cost-flop" style={{ width: bar.flopWidth }} />
      <i className="cost-byte" style={{ width: bar.byteWidth }} />
    </>
  );
}

export function CostGutter({ visible, bars, lit }: Props) {
  return (
    <div className="cost-gutter" aria-hidden="true">
      {visible.lines.map(({ line, top }) => {
        const bar = bars.get(line);
        const title = bar ? `${showCount(bar.cost.flops)} FLOP, ${showBytes(bar.cost.bytes)} as written` : undefined;
        return (
          <span key={line} style={{ top }} className={lit.has(line) ? "lit" : undefined} title={title}>
            {bar && <Bars bar={bar} />}
          </span>
        );
      })}
    </div>
  );
}
