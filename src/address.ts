/** @file Links in the page's address: opened on start and on change, taken out of the address by the first edit. */
import { decodeLink, isLink } from "./document";
import type { Pane, Playground } from "./state";

const bare = (): string => `${location.pathname}${location.search}`;

async function openAddress(playground: Playground): Promise<void> {
  const address = location.hash;
  if (!isLink(address)) return;
  const opened = await decodeLink(address);
  // The address changed meanwhile, or an edit took the link out of it.
  if (location.hash !== address) return;
  if (!opened.ok) {
    playground.setState({ notice: { tone: "no", text: `${opened.text} Your own program is as it was.` } });
    return;
  }
  const { state, dropped } = opened.value;
  const { actions, previousWorks } = playground.getState();
  actions.openDocument(state.document, state.decision, "link");
  const kept = playground.getState().previousWorks !== previousWorks;
  if (dropped.length > 0) {
    const listed = dropped.slice(0, 3).join(", ");
    playground.setState({
      notice: { tone: "warn", text: `The link was opened without what can't be read: ${listed}.` },
    });
  } else if (kept) {
    playground.setState({
      notice: {
        tone: "info",
        text: "This is a shared program. Yours is kept.",
        action: { label: "Back to mine", kind: "open-draft" },
      },
    });
  }
}

/** Opens the address's link, now and whenever it changes. */
export function followAddress(playground: Playground): void {
  void openAddress(playground);
  window.addEventListener("hashchange", () => void openAddress(playground));
  playground.subscribe((state, before) => {
    // The first edit makes it another program than the link's; a reload must bring back the edit.
    if (state.saved === "saving" && before.saved !== "saving" && isLink(location.hash)) {
      history.replaceState(null, "", bare());
    }
  });
}

const panes: readonly Pane[] = ["text", "graph", "kernels", "run"];

/** The cursor that `step=` means: `naive`, `end`, or a number of steps; null for anything else. */
function cursorOf(step: string | null, steps: number): number | null {
  if (step === "naive") return 0;
  if (step === "end") return steps;
  const at = step === null || step === "" ? Number.NaN : Number(step);
  return Number.isInteger(at) && at >= 0 ? Math.min(at, steps) : null;
}

/** What an embedded page begins with: `example=` where the address holds no program, `pane=`, and `step=` once there is a plan. */
export function showAsked(playground: Playground): void {
  const asked = new URLSearchParams(location.search);
  const { actions } = playground.getState();
  const example = asked.get("example");
  if (example !== null && !isLink(location.hash)) actions.openExample(example);
  const pane = panes.find((each) => each === asked.get("pane"));
  if (pane) actions.showPane(pane);
  const stop = playground.subscribe(({ derived, document }) => {
    // The plan of what was asked for, not of the program that was there before.
    if (derived.compilation?.text !== document.text) return;
    stop();
    const cursor = cursorOf(asked.get("step"), derived.compilation.steps.length);
    if (cursor !== null) actions.stepTo(cursor);
  });
}
