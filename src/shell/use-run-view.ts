/** @file Where a run is looked at: a page without a place for it beside the graph shows its tab or pane when it begins. */
import { useEffect } from "react";
import { playground, usePlayground } from "../state";
import type { PageLayout } from "./use-page-layout";

export function useRunView(layout: PageLayout): void {
  const running = usePlayground(({ run }) => run.status === "running");
  useEffect(() => {
    if (!running || layout === "wide") return;
    const { actions } = playground.getState();
    actions.showTab("run");
    actions.showPane("run");
  }, [running, layout]);
}
