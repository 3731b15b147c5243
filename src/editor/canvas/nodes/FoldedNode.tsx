/** @file A folded kernel, call, `def` or repeat: one box with a second edge behind it. */
import type { NodeProps } from "@xyflow/react";
import { usePlayground } from "../../../state";
import { Glyph } from "./Glyph";
import { Ports } from "./Ports";
import { colourStyle } from "./OpNode";
import { isDrawnWith, type FlowNode } from "../flow";
import { showBytes, type SceneNode } from "../../../picture";

/** px of a call's box for its name and facts, and for the name of one of its ops: in full, and where text is drawn at its screen size. */
const FULL = { head: 60, row: 19 };
const SMALL = { head: 70, row: 28 };

/** What a call's box has room to name, and where: the ops that stand here once it opens. */
function partsIn({ parts = [] }: SceneNode, height: number): { names: readonly string[]; always: boolean } {
  const fits = ({ head, row }: typeof FULL): boolean => height >= head + parts.length * row;
  return { names: fits(FULL) ? parts : [], always: fits(SMALL) };
}

/** A kernel's facts, or a call's: that one looks like the op that it is, and says what it holds where there is room. */
function Facts({ node, height }: { readonly node: SceneNode; readonly height: number }) {
  const bytes = node.lives === "memory" && showBytes(node.bytes);
  if (!node.lid) return <span className="folded-ops">{node.formula}</span>;
  return (
    <>
      <span className="op-row op-second">
        <span className="op-shape">{node.shape}</span>
        {bytes ? <b className="op-bytes">{bytes}</b> : <i className="op-register">{node.lives}</i>}
      </span>
      {height >= FULL.head && <span className="folded-ops">{node.formula}</span>}
    </>
  );
}

export function FoldedNode({ data: { node, ports }, height = 0 }: NodeProps<FlowNode>) {
  const { names, always } = partsIn(node, height);
  const region = node.kernel?.region ?? null;
  const selected = usePlayground(({ selection }) =>
    selection.kind === "region"
      ? selection.id === region
      : node.lid === true && selection.kind === "node" && selection.id === node.inside.at(-1),
  );
  const hovered = usePlayground((s) => s.hovered !== null && node.inside.includes(s.hovered));
  return (
    <>
      <div
        className="op-box folded-box"
        data-lid={node.lid}
        data-hatched={node.kernel?.hatched}
        title={node.title}
        data-selected={selected}
        data-hovered={hovered}
        data-waiting={node.holes.length > 0}
        style={colourStyle(node.kernel?.tone)}
      >
        <span className="op-row">
          <Glyph name="folded" />
          <span className="op-name">{node.title}</span>
          {node.lid && node.kernel ? (
            <span className="op-pill">{node.kernel.name}</span>
          ) : (
            node.lives === "memory" && !node.lid && <span className="folded-bytes">{showBytes(node.bytes)}</span>
          )}
        </span>
        <Facts node={node} height={height} />
        {names.length > 0 && (
          <span className="folded-parts" data-always={always} aria-hidden="true">
            {names.map((part, i) => (
              <span key={i}>{part}</span>
            ))}
          </span>
        )}
      </div>
      <Ports node={node} ports={ports} start={isDrawnWith(node)} />
    </>
  );
}
