/** @file The canvas: the graph at the shown step, with its kernels, its lines and the one open card. */
import "@xyflow/react/dist/style.css";
import "./canvas.css";
import "./ops.css";
import "./lines.css";
import "./card.css";
import "./lists.css";
import {
  Background,
  ConnectionLineType,
  ReactFlow,
  ReactFlowProvider,
  useStore,
  useConnection,
  MiniMap,
} from "@xyflow/react";
import { useEffect, useMemo, useRef, useLayoutEffect, type RefObject, useState } from "react";
import { playground, selectFusion, selectHasHoles, selectKnown, usePlayground, selectSteps } from "../../state";
import { CanvasCard } from "./CanvasCard";
import { CanvasLists } from "./CanvasLists";
import { FoldedNode } from "./nodes/FoldedNode";
import { HullLayer } from "./HullLayer";
import { Legend } from "./Legend";
import { OpNode } from "./nodes/OpNode";
import { PillNode } from "./nodes/PillNode";
import { PipeEdge } from "./PipeEdge";
import { ZoomBar } from "./ZoomBar";
import { useCanvas } from "./canvas-store";
import { type FlowEdge, type FlowNode, flowMaker } from "./flow";
import { useCamera } from "./moves/use-camera";
import { useCard, useShownStep } from "./use-card";
import { useGestures } from "./moves/use-gestures";
import { useAskedEdit, useGraphKeys } from "./moves/use-graph-keys";
import { usePicture } from "./use-picture";
import {
  type Picture,
  MAX_DRAWN,
  plural,
  LEGIBLE,
  MAX_ZOOM,
  WHOLE,
  zoomLevel,
  lastWords,
  marksOf,
} from "../../picture";
import type { FocusTarget } from "./moves/walk";
import { foldBox } from "../../document";
import { targetKey } from "./targets";

const nodeTypes = { op: OpNode, pill: PillNode, folded: FoldedNode };
const edgeTypes = { pipe: PipeEdge };
/** Above this many nodes only what is in sight is in the page. */
const CULL_ABOVE = 150;

/** React Flow takes new nodes in after it has rendered: those that it still holds count too. */
function useCulling(next: number): boolean {
  const held = useStore((s) => s.nodes.length);
  return Math.max(next, held) > CULL_ABOVE;
}

const describe = ({ scene }: Picture, step: number): string => {
  if (scene.nodes.length === 0) return "Op graph, empty";
  const kernels = scene.kernels.map(({ name, title }) => `${name} ${title}`.trim()).join(", ");
  const count = scene.kernels.reduce((sum, kernel) => sum + kernel.count, 0);
  return `Op graph at step ${step}: ${plural(count, "kernel")}${kernels ? `. ${kernels}` : ""}`;
};

function CappedNote({ outOf }: { readonly outOf: number }) {
  return (
    <p className="canvas-note" role="status">
      {plural(MAX_DRAWN, "box", "boxes")} of {outOf.toLocaleString("en-US")} are drawn, around this step. All are
      planned and counted.
    </p>
  );
}

function Canvas({ cards }: CanvasProps) {
  const root = useRef<HTMLDivElement>(null);
  const { picture, outOf, folds } = usePicture();
  const card = useCard(picture?.scene ?? null);
  const step = usePlayground((s) => s.cursor);
  const status = usePlayground((s) => s.derived.status);
  const editable = status !== "broken";
  const flow = useFlow(picture, editable);
  const culling = useCulling(flow.nodes.length);
  // No step has a card while operands are missing.
  const waits = usePlayground(selectHasHoles);
  const decided = usePlayground((s) => selectSteps(s).length > 0);
  const camera = useCamera(root, picture, folds, cards && !waits && decided);
  const gestures = useGestures(picture, editable, camera.flowPoint);
  const onKeyDown = useGraphKeys(picture, editable, camera.focus);
  useAskedEdit(editable);
  useFocusChosen(picture, camera.focus);
  useFocusFolded(root, picture, camera.focus);
  const announcement = useCanvas((s) => s.announcement);
  const graph = usePlayground(selectFusion)?.graph ?? null;
  useEffect(() => useCanvas.setState({ shown: picture }), [picture]);
  const label = useMemo(() => (picture ? describe(picture, step) : "Op graph"), [picture, step]);
  return (
    <div ref={root} className="canvas" role="group" aria-label={label} data-status={status}>
      <ReactFlow<FlowNode, FlowEdge>
        nodes={flow.nodes}
        edges={flow.edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        {...gestures}
        onKeyDown={onKeyDown}
        onPaneClick={() => playground.getState().actions.select({ kind: "none" })}
        nodesDraggable={editable}
        nodesConnectable={editable}
        elementsSelectable={false}
        nodesFocusable
        edgesFocusable
        disableKeyboardA11y
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        nodeDragThreshold={3}
        connectionRadius={24}
        connectionLineType={ConnectionLineType.Straight}
        minZoom={WHOLE}
        maxZoom={MAX_ZOOM}
        onlyRenderVisibleElements={culling}
        attributionPosition="bottom-left"
      >
        <Background gap={22} size={1.2} />
        {picture && picture.scene.edges.length > 0 && <Legend picture={picture} />}
        <ZoomVariables rootRef={root} />
        {picture && <HullLayer hulls={picture.hulls} brackets={picture.brackets} headings={picture.headings} />}
        <ConnectHint />
        <GraphMap />
      </ReactFlow>
      {outOf !== null && <CappedNote outOf={outOf} />}
      <ZoomBar onFit={camera.fit} onZoom={camera.hold} editable={editable} />
      {picture && cards && <CanvasCard open={card} picture={picture} editable={editable} held={camera.held} />}
      <CanvasLists picture={picture} graph={graph} onJump={camera.jump} />
      <p className="canvas-announcement" role="status">
        {announcement}
      </p>
    </div>
  );
}

/** What has the focus where no control has it: the page, or one of its panes. */
const NOWHERE = "body, header, main, section, aside, footer";
/** An op or a line from which the keys went on before. */
const ON_CANVAS = ".react-flow__node, .react-flow__edge";

/** The keys go on from an op that was just chosen or added: where no control has the focus, it gets it as soon as it is drawn. */
function useFocusChosen(picture: Picture | null, focus: (target: FocusTarget) => void): void {
  const chosen = usePlayground((s) => (s.selection.kind === "node" ? s.selection.id : null));
  const settled = useRef(chosen);
  useEffect(() => {
    if (chosen === settled.current) return;
    const lost = chosen !== null && document.activeElement?.matches(`${NOWHERE}, ${ON_CANVAS}`) === true;
    const box = lost ? [chosen, foldBox(chosen)].find((id) => picture?.boxes.has(id)) : undefined;
    if (lost && box === undefined) return;
    settled.current = chosen;
    // What is not drawn a frame later is out of sight.
    if (box !== undefined) requestAnimationFrame(() => focus({ kind: "node", id: box }));
  }, [chosen, picture, focus]);
}

/** A control that a fold takes away, such as the op in it or its kernel's name, leaves the focus to the box that stands for it. */
function useFocusFolded(
  rootRef: RefObject<HTMLElement | null>,
  picture: Picture | null,
  focus: (target: FocusTarget) => void,
): void {
  const last = useRef<Element | null>(null);
  useEffect(() => {
    const root = rootRef.current;
    const remember = ({ target }: FocusEvent): void => void (last.current = target as Element);
    root?.addEventListener("focusin", remember);
    return () => root?.removeEventListener("focusin", remember);
  }, [rootRef]);
  const boxes = useRef<Picture["boxes"] | null>(null);
  useEffect(() => {
    const before = boxes.current;
    boxes.current = picture?.boxes ?? null;
    const folded = picture?.scene.nodes.filter(({ id, kind }) => kind === "folded" && before?.has(id) === false) ?? [];
    if (folded.length !== 1) return;
    requestAnimationFrame(() => {
      const isLost = last.current?.isConnected === false && document.activeElement === document.body;
      if (isLost) focus({ kind: "node", id: folded[0]!.id });
    });
  }, [picture, focus]);
}

interface CanvasProps {
  /** The card of the step, an edge or an op stands over the graph; without it the view has all the room. */
  readonly cards: boolean;
}

export function GraphCanvas({ cards }: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas cards={cards} />
    </ReactFlowProvider>
  );
}

/** Beside the pointer while a line is drawn: why the port under it does not take the value. */
function ConnectHint() {
  const { toHandle, pointer } = useConnection((c) => ({
    toHandle: c.inProgress ? c.toHandle : null,
    pointer: c.inProgress ? c.pointer : null,
  }));
  const target = useCanvas((s) => {
    const operand = /^in(\d+)$/.exec(toHandle?.id ?? "")?.[1];
    return operand === undefined
      ? null
      : (s.connecting?.targets.get(targetKey(toHandle!.nodeId, Number(operand))) ?? null);
  });
  if (!toHandle || !pointer) return null;
  const text = target === null ? "This operand can't be fed from here." : target.ok ? null : target.reason;
  return text === null ? null : (
    <p className="connect-hint" role="status" style={{ left: pointer.x + 14, top: pointer.y + 14 }}>
      {text}
    </p>
  );
}

/** Its kernel's colour, in full: boxes are a few px. */
const colourOf = ({ data }: FlowNode): string => {
  const tone = data.node.kernel?.tone;
  return tone ? `var(--k${tone})` : "var(--line-strong)";
};

function GraphMap() {
  const isShown = useCanvas((s) => s.map);
  if (!isShown) return null;
  return (
    <MiniMap<FlowNode>
      pannable
      zoomable
      position="bottom-left"
      ariaLabel="Map of the graph"
      style={{ width: 168, height: 120 }}
      nodeColor={colourOf}
      nodeStrokeWidth={0}
      nodeBorderRadius={14}
    />
  );
}

/** Writes the zoom onto the canvas as a level and a counter-scale, so that text stays readable without rendering. */
function ZoomVariables({ rootRef }: { readonly rootRef: RefObject<HTMLElement | null> }) {
  const zoom = useStore((s) => Math.round(s.transform[2] * 100) / 100);
  useLayoutEffect(() => {
    const element = rootRef.current;
    if (!element) return;
    element.setAttribute("data-zoom", zoomLevel(zoom));
    element.toggleAttribute("data-bytes", zoom >= LEGIBLE);
    element.style.setProperty("--counter", String(Math.max(1, 1 / zoom)));
  }, [rootRef, zoom]);
  return null;
}

/** React Flow's nodes and edges of a picture, with the marks of the shown step. */
function useFlow(picture: Picture | null, editable: boolean): { nodes: FlowNode[]; edges: FlowEdge[] } {
  const [make] = useState(flowMaker);
  const shown = useShownStep();
  const steps = usePlayground(selectSteps);
  // A sign is a verdict: it stays covered as long as the verdict does.
  const known = usePlayground((s) => Math.min(s.cursor, selectKnown(s)));
  const step = shown && shown.seq > known ? null : shown;
  const options = usePlayground((s) => s.document.options);
  const selected = usePlayground((s) => (s.selection.kind === "edge" ? s.selection.id : null));
  const words = useMemo(() => lastWords(steps, known), [steps, known]);
  const nodes = useMemo(() => (picture ? make.nodes(picture, editable) : []), [make, picture, editable]);
  const edges = useMemo(() => {
    if (!picture) return [];
    return make.edges(picture, marksOf(picture.scene.edges, step, words, options), selected);
  }, [make, picture, step, words, options, selected]);
  return { nodes, edges };
}
