/** @file Moves the keyboard focus to an op or a line, and the view along when the place is out of sight. */
import { useReactFlow } from "@xyflow/react";
import { useCallback } from "react";
import type { RefObject } from "react";
import type { NodeId } from "../../fusion";
import type { Picture } from "../../picture";
import type { FocusTarget } from "./walk";

export function useFocus(
  rootRef: RefObject<HTMLElement | null>,
  pictureRef: RefObject<Picture | null>,
): { readonly focus: (target: FocusTarget) => void; readonly jump: (id: NodeId) => void } {
  const { setCenter, getZoom } = useReactFlow();
  const focus = useCallback(
    (target: FocusTarget) => {
      const find = (): HTMLElement | SVGElement | null =>
        rootRef.current?.querySelector<HTMLElement | SVGElement>(
          `.react-flow__${target.kind}[data-id="${CSS.escape(target.id)}"]`,
        ) ?? null;
      const now = find();
      if (now) {
        now.focus();
        return;
      }
      const box = target.kind === "node" ? pictureRef.current?.boxes.get(target.id) : null;
      if (!box) return;
      void setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom: getZoom() });
      requestAnimationFrame(() => find()?.focus());
    },
    [rootRef, pictureRef, setCenter, getZoom],
  );

  const jump = useCallback(
    (id: NodeId) => {
      const box = pictureRef.current?.boxes.get(id);
      if (box) void setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom: Math.max(0.9, getZoom()) });
      requestAnimationFrame(() => focus({ kind: "node", id }));
    },
    [pictureRef, setCenter, getZoom, focus],
  );
  return { focus, jump };
}
