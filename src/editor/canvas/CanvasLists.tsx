/** @file The one open list over the canvas: palette, transforms, outline or connection. */
import type { Graph, NodeId } from "../../fusion";
import { ConnectList } from "./ConnectList";
import { Outline } from "./Outline";
import { Palette } from "./Palette";
import { Transforms } from "./Transforms";
import { useCanvas } from "./canvas-store";
import type { Picture } from "../../picture";

interface ListsProps {
  readonly picture: Picture | null;
  readonly graph: Graph | null;
  readonly onJump: (id: NodeId) => void;
}

export function CanvasLists({ picture, graph, onJump }: ListsProps) {
  const list = useCanvas((s) => s.list);
  switch (list.kind) {
    case "none":
      return null;
    case "palette":
      return <Palette at={list.at} />;
    case "transforms":
      return <Transforms />;
    case "outline":
      return picture && <Outline scene={picture.scene} onJump={onJump} />;
    case "connect":
      return graph && <ConnectList graph={graph} from={list.from} />;
  }
}
