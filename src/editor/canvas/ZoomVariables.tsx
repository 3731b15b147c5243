/** @file Writes the zoom onto the canvas as a level and a counter-scale, so that text stays readable without rendering. */
import { useStore } from "@xyflow/react";
import { useLayoutEffect } from "react";
import type { RefObject } from "react";
import { zoomLevel } from "../../picture";

export function ZoomVariables({ rootRef }: { readonly rootRef: RefObject<HTMLElement | null> }) {
  const zoom = useStore((s) => Math.round(s.transform[2] * 100) / 100);
  useLayoutEffect(() => {
    const element = rootRef.current;
    if (!element) return;
    element.setAttribute("data-zoom", zoomLevel(zoom));
    element.style.setProperty("--counter", String(Math.max(1, 1 / zoom)));
  }, [rootRef, zoom]);
  return null;
}
