/** @file The page inside another page or a slide: counts, graph and steps, a run when it is asked for, the way to the whole playground. */
import { useEffect, useState } from "react";
import { encodeLink } from "../document";
import { playground, selectEnded, selectTitle, sharedState, usePlayground } from "../state";
import { RunSaid } from "../panels";
import { PaneOf } from "./PageLayouts";
import { Mark } from "./Mark";
import { RunButton } from "./RunButton";
import "./embed.css";

/** The address of the whole page with the program and the step that are shown; the page alone until it is made. */
function useWholeAddress(): string {
  const [link, setLink] = useState("");
  useEffect(() => {
    let newest = 0;
    const make = async (): Promise<void> => {
      const mine = ++newest;
      const encoded = await encodeLink(sharedState(playground.getState()));
      if (mine === newest) setLink(encoded.ok ? encoded.value : "");
    };
    void make();
    const stop = playground.subscribe(({ document, cursor, derived }, before) => {
      const same = document === before.document && cursor === before.cursor;
      if (!same || derived.compilation !== before.derived.compilation) void make();
    });
    return () => {
      newest = Infinity;
      stop();
    };
  }, []);
  return `${location.pathname}${link}`;
}

export function EmbedView() {
  const pane = usePlayground((state) => state.pane);
  const title = usePlayground(selectTitle) ?? "Fusion Playground";
  const address = useWholeAddress();
  // The one voice for who listens is elsewhere.
  const ended = usePlayground(selectEnded);
  return (
    <div className="embed">
      <h1 className="offscreen">Fusion Playground: {title}</h1>
      <main className="frame">
        <PaneOf pane={pane} />
      </main>
      <footer className="embed-foot">
        {ended && <RunSaid className="embed-outcome" />}
        <span>
          <Mark />
          <b>{title}</b>
        </span>
        <RunButton short />
        <a href={address} target="_blank" rel="noopener">
          Open in playground
        </a>
      </footer>
    </div>
  );
}
