/** @file React Flow's nodes and edges of a picture, with the marks of the shown step. */
import { useMemo, useState } from "react";
import { selectStep, selectSteps, usePlayground } from "../../state";
import { flowMaker } from "./flow";
import type { FlowEdge, FlowNode } from "./flow";
import { lastWords, marksOf, type Picture } from "../../picture";

export function useFlow(picture: Picture | null, editable: boolean): { nodes: FlowNode[]; edges: FlowEdge[] } {
  const [make] = useState(flowMaker);
  const step = usePlayground(selectStep);
  const steps = usePlayground(selectSteps);
  const cursor = usePlayground((s) => s.cursor);
  const options = usePlayground((s) => s.document.options);
  const selected = usePlayground((s) => (s.selection.kind === "edge" ? s.selection.id : null));
  const words = useMemo(() => lastWords(steps, cursor), [steps, cursor]);
  const nodes = useMemo(() => (picture ? make.nodes(picture, editable) : []), [make, picture, editable]);
  const edges = useMemo(() => {
    if (!picture) return [];
    const shown = cursor < steps.length ? step : null;
    return make.edges(picture, marksOf(picture.scene.edges, shown, words, options), selected);
  }, [make, picture, step, steps, cursor, words, options, selected]);
  return { nodes, edges };
}
