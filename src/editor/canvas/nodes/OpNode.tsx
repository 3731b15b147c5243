/** @file An op: glyph, name, formula; shape and where its value lives. */
import type { NodeProps } from "@xyflow/react";
import type { CSSProperties } from "react";
import { selectStep, usePlayground } from "../../../state";
import type { PlaygroundState } from "../../../state";
import { Glyph } from "./Glyph";
import { Ports } from "./Ports";
import type { FlowNode } from "../flow";
import { type SceneNode, showBytes } from "../../../picture";

export const colourStyle = (tone: number | null | undefined): CSSProperties =>
  ({
    "--tone": tone ? `var(--k${tone})` : "var(--line-strong)",
    "--tone-ink": tone ? `var(--k${tone})` : "var(--ink)",
    "--tone-hull": tone ? `var(--k${tone}-hull)` : "var(--sunken)",
  }) as CSSProperties;

/** The shown step is about this op itself, not about a line: a rewrite. */
function isLit(state: PlaygroundState, id: string): boolean {
  const step = selectStep(state);
  if (!step || step.edge !== null || step.edges.length > 0) return false;
  return state.cursor < (state.derived.compilation?.steps.length ?? 0) && step.nodes.some((each) => each === id);
}

function Lives({ node }: { readonly node: SceneNode }) {
  if (node.lives === "memory") return <b className="op-bytes">{showBytes(node.bytes)}</b>;
  if (node.lives === "nowhere") return null;
  return <i className="op-register">{node.lives}</i>;
}

export function OpNode({ id, data: { node, ports }, isConnectable }: NodeProps<FlowNode>) {
  const selected = usePlayground((s) => s.selection.kind === "node" && s.selection.id === id);
  const hovered = usePlayground((s) => s.hovered === id);
  const lit = usePlayground((s) => isLit(s, id));
  return (
    <>
      <div
        className="op-box"
        data-selected={selected}
        data-hovered={hovered}
        data-lit={lit}
        data-in-hull={node.kernel !== null && !node.alone}
        data-waiting={node.holes.length > 0}
        style={colourStyle(node.kernel?.tone)}
      >
        <span className="op-row">
          <Glyph name={node.glyph} />
          <span className="op-name">{node.title}</span>
          {node.alone && node.kernel ? (
            <span className="op-pill">{node.kernel.name}</span>
          ) : (
            <code className="op-formula">{node.formula}</code>
          )}
        </span>
        <span className="op-row op-second">
          <span className="op-shape">{node.shape}</span>
          <Lives node={node} />
        </span>
      </div>
      <Ports node={node} ports={ports} start={isConnectable} />
    </>
  );
}
