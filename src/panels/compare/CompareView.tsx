/** @file Two plans beside each other, stepped together: what differs is marked on both graphs and told with both reasons. */
import { useEffect, useMemo, useState } from "react";
import { passTitle } from "../../fusion";
import type { Comparison, World } from "../../document";
import { stepNames } from "../../picture";
import { playground, selectMeasuredProfile, usePlayground } from "../../state";
import { Icon, type IconName } from "../../icons";
import { cursorOf, differences, nextDifference, sumsAt, type ComparedTotals } from "../model/plan/compare";
import { tallyOf } from "../model/plan/score";
import { changedRow } from "../model/plan/what-if";
import { presets, sideNames, type Surroundings } from "./choices";
import { Differences } from "./Differences";
import type { Mark, Still } from "../still";
import { useViewKeys } from "../use-view-keys";
import { Side } from "./Side";
import { usePlanAt, useWorlds, type Planned } from "./use-worlds";
import "./compare.css";

const show = (comparison: Comparison | null): void => playground.getState().actions.compare(comparison);

/** Shows `to` of the `total` common steps. */
function stepTo(to: number, total: number): void {
  const { comparison } = playground.getState();
  if (comparison) show({ worlds: comparison.worlds, shown: Math.max(0, Math.min(to, total)) });
}

function useSurroundings(): Surroundings {
  const document = usePlayground((state) => state.document);
  const earlier = usePlayground((state) => state.earlier);
  const measured = usePlayground(selectMeasuredProfile);
  const cursor = usePlayground((state) => state.cursor);
  const steps = usePlayground((state) => state.derived.compilation?.steps.length ?? 0);
  return useMemo(() => ({ document, earlier, measured, cursor, steps }), [document, earlier, measured, cursor, steps]);
}

interface ButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onPress: () => void;
  readonly off?: boolean;
}

const Button = ({ icon, label, onPress, off }: ButtonProps) => (
  <button type="button" className="scrub-button" aria-label={label} title={label} onClick={onPress} disabled={off}>
    <Icon name={icon} size={18} />
  </button>
);

/** Where the common steps stand. */
interface Controls {
  readonly shown: number;
  readonly total: number;
  readonly go: (shown: number) => void;
  readonly differ: (direction: 1 | -1) => void;
  readonly playing: boolean;
  readonly toggle: () => void;
}

/** A step is shown this long, ms. */
const HOLD = 900;

interface Playing {
  readonly playing: boolean;
  readonly toggle: () => void;
}

/** Plays the common steps of both sides, one after the other, to their end. */
function usePlaying(shown: number, total: number, go: (shown: number, total: number) => void): Playing {
  const [on, setOn] = useState(false);
  const playing = on && shown < total;
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setTimeout(() => {
      go(shown + 1, total);
      if (shown + 1 >= total) setOn(false);
    }, HOLD);
    return () => clearTimeout(timer);
  }, [playing, shown, total, go]);
  return {
    playing,
    toggle() {
      if (!playing && shown >= total) go(0, total);
      setOn(!playing);
    },
  };
}

function Steps({ controls, words }: { readonly controls: Controls; readonly words: string }) {
  const { shown, total, go, differ, playing, toggle } = controls;
  return (
    <footer className="compare-steps" data-pane="steps" tabIndex={-1}>
      <Button icon="back" label="Previous step of both" onPress={() => go(shown - 1)} off={shown === 0} />
      <Button
        icon={playing ? "pause" : "play"}
        label={playing ? "Pause" : "Play both"}
        onPress={toggle}
        off={total === 0}
      />
      <Button icon="forward" label="Next step of both" onPress={() => go(shown + 1)} off={shown >= total} />
      <p role="status">{words}</p>
      <button type="button" className="plain" aria-label="Previous difference" onClick={() => differ(-1)}>
        ‹ ≠ <span>Difference</span>
      </button>
      <button type="button" className="plain" aria-label="Next difference" onClick={() => differ(1)}>
        <span>Difference</span> ≠ ›
      </button>
    </footer>
  );
}

/** `Step 3 of 14, fuse row reductions: mean → centre`. */
function wordsAt({ aligned, compilations }: Planned, shown: number): string {
  if (aligned.length === 0) return "There is nothing to decide on either side.";
  const each = aligned[shown - 1];
  if (!each) return `Naive plans. ${aligned.length} ${aligned.length === 1 ? "step follows" : "steps follow"}.`;
  const step = (each.after ?? each.before)!;
  const compilation = compilations[each.after ? 1 : 0];
  return `Step ${shown} of ${aligned.length}, ${passTitle(step.pass).toLowerCase()}: ${stepNames(compilation, step)}`;
}

/** Both graphs scroll as one. */
function useOneScroll(): (element: HTMLElement | null) => void {
  const [root, setRoot] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (!root) return undefined;
    const scrolled = ({ target }: Event): void => {
      if (!(target instanceof Element) || !target.matches(".still")) return;
      for (const other of root.querySelectorAll(".still")) {
        if (other === target) continue;
        other.scrollTop = target.scrollTop;
        other.scrollLeft = target.scrollLeft;
      }
    };
    root.addEventListener("scroll", scrolled, { capture: true, passive: true });
    return () => root.removeEventListener("scroll", scrolled, { capture: true });
  }, [root]);
  return setRoot;
}

const tabs = ["first", "second", "differs"] as const;
type Tab = (typeof tabs)[number];

/** Which part a narrow window shows. */
function Tabs({
  tab,
  names,
  onTab,
}: {
  readonly tab: Tab;
  readonly names: readonly [string, string];
  readonly onTab: (tab: Tab) => void;
}) {
  const titles: Readonly<Record<Tab, string>> = { first: names[0], second: names[1], differs: "What differs" };
  return (
    <nav className="compare-tabs" aria-label="Parts of the comparison">
      {tabs.map((each) => (
        <button key={each} type="button" aria-current={each === tab ? "page" : undefined} onClick={() => onTab(each)}>
          {titles[each]}
        </button>
      ))}
    </nav>
  );
}

function Head({ comparison, around }: { readonly comparison: Comparison; readonly around: Surroundings }) {
  const pairs = presets(around);
  const found = pairs.find(({ worlds }) => JSON.stringify(worlds) === JSON.stringify(comparison.worlds));
  return (
    <header className="compare-head">
      <h2>Compare</h2>
      <select
        className="field"
        aria-label="What is compared"
        value={found?.id ?? ""}
        onChange={({ target }) => {
          const chosen = pairs.find(({ id }) => id === target.value);
          if (chosen) show({ worlds: chosen.worlds });
        }}
      >
        {!found && <option value="">your own pair</option>}
        {pairs.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <span className="grow" />
      <button type="button" className="plain" onClick={() => playground.getState().actions.openDialog("share")}>
        Link
      </button>
      <button type="button" className="plain" onClick={() => show(null)}>
        Close
      </button>
    </header>
  );
}

export function CompareView({ Still }: { readonly Still: Still }) {
  const comparison = usePlayground((state) => state.comparison)!;
  const around = useSurroundings();
  const { planned, problem, busy } = useWorlds(comparison);
  const names = useMemo(() => sideNames(comparison.worlds, around), [comparison.worlds, around]);
  const [tab, setTab] = useState<Tab>("first");
  const scrolling = useOneScroll();
  const aligned = planned?.aligned ?? [];
  const total = aligned.length;
  const shown = Math.min(comparison.shown ?? total, total);
  const go = (to: number): void => stepTo(to, total);
  const differ = (direction: 1 | -1): void => {
    const to = nextDifference(aligned, shown, direction);
    if (to !== null) go(to);
  };
  const { playing, toggle } = usePlaying(shown, total, stepTo);
  const controls = { shown, total, go, differ, playing, toggle };
  // Arrows step both sides, with Shift from difference to difference.
  useViewKeys({
    ArrowRight: () => go(shown + 1),
    ArrowLeft: () => go(shown - 1),
    "Shift ArrowRight": () => differ(1),
    "Shift ArrowLeft": () => differ(-1),
    Home: () => go(0),
    End: () => go(total),
    ".": toggle,
  });
  const found = useMemo(() => differences(planned?.aligned ?? []), [planned]);
  const marks = useMemo(
    () =>
      // Where most decisions differ, marks on all would tell nothing apart: the shown one has its mark.
      found
        .filter(({ shown: at }) => found.length * 2 <= total || at === shown)
        .map(({ change, shown: at }): Mark => ({
          key: String(at),
          title: `Differs at step ${at}: ${planned ? changedRow(change, ...planned.compilations).about : ""}`,
          sign: "≠",
          pressed: at === shown,
          edges: change.edges,
          nodes: change.nodes,
        })),
    [found, shown, total, planned],
  );
  const cursors = (["before", "after"] as const).map((side) => cursorOf(aligned, side, shown));
  const plans = [
    usePlanAt(planned?.compilations[0] ?? null, cursors[0]!),
    usePlanAt(planned?.compilations[1] ?? null, cursors[1]!),
  ];
  const totals = planned?.compilations.map((each, i): ComparedTotals | null => {
    const sums = sumsAt(each, cursors[i]!);
    return sums && { ...sums, peakBytes: plans[i]?.totals.peakBytes ?? null };
  });
  const steps = (side: "before" | "after") => aligned.flatMap((each) => each[side] ?? []);
  const naive = (planned?.compilations ?? []).flatMap(({ naivePlan }) => naivePlan?.totals ?? []);
  const tally = tallyOf(...naive);
  const tallest = Math.max(1, ...naive.map(tally.of));
  const change = (side: 0 | 1) => (world: World) => {
    const [first, second] = comparison.worlds;
    show({ worlds: side === 0 ? [world, second] : [first, world] });
  };
  const side = (i: 0 | 1) => (
    <Side
      {...{ Still, aligned, shown, tallest, tally, around, marks }}
      which={i === 0 ? "First" : "Second"}
      side={i === 0 ? "before" : "after"}
      name={names[i]}
      world={comparison.worlds[i]}
      onChange={change(i)}
      compilation={planned?.compilations[i] ?? null}
      layout={planned?.layouts[i] ?? null}
      cursor={cursors[i]!}
      plan={plans[i]!}
      onShow={go}
      onMark={(key) => {
        go(Number(key));
        setTab("differs");
      }}
    />
  );
  return (
    <main className="frame compare" aria-label="Comparison" ref={scrolling} data-tab={tab} aria-busy={busy}>
      <Head comparison={comparison} around={around} />
      {problem && (
        <p className="compare-problem" role="alert">
          {problem}
        </p>
      )}
      <Tabs tab={tab} names={names} onTab={setTab} />
      <div className="compare-parts">
        {side(0)}
        {side(1)}
        {planned && totals?.[0] && totals[1] ? (
          <Differences
            {...{ found, total, shown, names }}
            compilations={planned.compilations}
            steps={[steps("before"), steps("after")]}
            totals={[totals[0], totals[1]]}
            atEnd={shown === total}
            onShow={go}
          />
        ) : (
          <aside className="compare-differs">{!problem && <p className="differs-none">Planning both sides…</p>}</aside>
        )}
      </div>
      <Steps controls={controls} words={planned ? wordsAt(planned, shown) : ""} />
    </main>
  );
}
