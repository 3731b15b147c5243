/** @file Links in the page's address: opened on start and on change, taken out of the address by the first edit. */
import { decodeLink, isLink, panes, type SharedState } from "./document";
import { defaultOptions } from "./fusion";
import { loadLessonPanel } from "./panels";
import {
  exampleDocument,
  selectLessonAsks,
  withoutLesson,
  type Page,
  type Playground,
  type PlaygroundState,
} from "./state";

const asked = (): URLSearchParams => new URLSearchParams(location.search);

/** The address without the program that it names. */
function bare(): string {
  const rest = asked();
  rest.delete("example");
  return `${location.pathname}${rest.size > 0 ? `?${rest}` : ""}`;
}

/** The program in the address is one that this page opens: a link, or `?example=` with its short name. */
const namesProgram = (): boolean => isLink(location.hash) || asked().has("example");

/** Opens `?example=` where no link says more. */
function openNamed(playground: Playground): void {
  const id = asked().get("example");
  if (id === null || isLink(location.hash)) return;
  const document = exampleDocument(id, defaultOptions, null);
  if (document) playground.getState().actions.openDocument(document, null, "link");
  else playground.setState({ notice: { tone: "warn", text: `There is no example called ${id}.` } });
}

/** `#lesson=memory-is-the-cost/3`: a lesson at its third step. */
const LESSON = /^#lesson=([\w-]+)(?:\/(\d+))?$/;

/** The lesson first, if there is one: it brings the program that its task begins with. */
async function show(playground: Playground, { document, decision, view = { version: 1 } }: SharedState): Promise<void> {
  const { actions, embed } = playground.getState();
  if (embed) {
    // Which pane an embedded page shows is said beside its link.
    const { pane: _, ...rest } = withoutLesson(view);
    return actions.openDocument(document, decision, "link", rest);
  }
  const link = location.hash;
  if (view.lesson) await actions.openLesson(view.lesson.id, view.lesson.step);
  // A question that waits for its answer keeps the plan that it asks about.
  const waits = selectLessonAsks(playground.getState()) && playground.getState().document.text === document.text;
  const opened = playground.getState().lesson ? view : withoutLesson(view);
  actions.openDocument(document, waits ? null : decision, "link", waits ? { ...opened, naive: true } : opened);
  if (location.hash !== link) history.replaceState(null, "", bare() + link);
}

/** `#check`, `#board`, `#teach`: pages for a class. What follows a `=` is theirs to read. */
const ROOM = /^#(check|board|teach)(?:=|$)/;

const pageIn = (hash: string): Page => (ROOM.exec(hash)?.[1] as Page | undefined) ?? "playground";

/** The fragment that stands for what is open: a page for a class, or a lesson's step; empty for neither. */
function fragmentOf({ page, lesson }: PlaygroundState): string {
  if (page !== "playground") return `#${page}`;
  return lesson ? `#lesson=${lesson.content.id}/${lesson.step + 1}` : "";
}

/** `#race`: the program of this address races; `t=` stops the clock there, 0 to 1. */
const RACE = /^#race(?:&t=([\d.]+))?$/;

async function openAddress(playground: Playground): Promise<void> {
  const address = location.hash;
  const page = pageIn(address);
  if (page !== playground.getState().page) playground.getState().actions.showPage(page);
  const lesson = LESSON.exec(address);
  // The lesson asks for it again where this fails.
  if (lesson) loadLessonPanel().catch(() => null);
  if (lesson) return playground.getState().actions.openLesson(lesson[1]!, Number(lesson[2] ?? 1) - 1);
  const race = RACE.exec(address);
  if (race) {
    const at = Number(race[1]);
    return playground.getState().actions.race(at >= 0 && at <= 1 ? { at } : {});
  }
  if (!isLink(address)) return;
  const opened = await decodeLink(address);
  // The address changed meanwhile, or an edit took the link out of it.
  if (location.hash !== address) return;
  if (!opened.ok) {
    playground.setState({ notice: { tone: "no", text: `${opened.text} Your own program is as it was.` } });
    return;
  }
  const { state, dropped } = opened.value;
  const { previousWorks } = playground.getState();
  await show(playground, state);
  const kept = playground.getState().previousWorks !== previousWorks;
  if (dropped.length > 0) {
    const listed = dropped.slice(0, 3).join(", ");
    playground.setState({
      notice: { tone: "warn", text: `The link was opened. This part of it can't be read: ${listed}.` },
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
  openNamed(playground);
  if (asked().get("predict") === "1") playground.getState().actions.togglePredict();
  void openAddress(playground);
  window.addEventListener("hashchange", () => void openAddress(playground));
  playground.subscribe((state, before) => {
    // Another page is somewhere to come back from; another step is not.
    if (state.page !== before.page && pageIn(location.hash) !== state.page)
      history.pushState(null, "", location.pathname + location.search + fragmentOf(state));
    if (state.lesson?.content !== before.lesson?.content || state.lesson?.step !== before.lesson?.step) {
      if (state.lesson || LESSON.test(location.hash)) history.replaceState(null, "", bare() + fragmentOf(state));
    }
    if (!state.race && before.race && RACE.test(location.hash)) history.replaceState(null, "", bare());
    // The first edit makes it another program than the link's; a reload must bring back the edit.
    if (state.saved === "saving" && before.saved !== "saving" && namesProgram() && !state.embed) {
      history.replaceState(null, "", bare());
    }
  });
}

/** The cursor that `step=` means: `naive`, `end`, or a number of steps; null for anything else. */
function cursorOf(step: string | null, steps: number): number | null {
  if (step === "naive") return 0;
  if (step === "end") return steps;
  const at = step === null || step === "" ? Number.NaN : Number(step);
  return Number.isInteger(at) && at >= 0 ? Math.min(at, steps) : null;
}

/** What an embedded page begins with: `pane=`, `fit=whole`, and `step=` once there is a plan. */
export function showAsked(playground: Playground): void {
  const { actions } = playground.getState();
  const pane = panes.find((each) => each !== "lesson" && each === asked().get("pane"));
  if (pane) actions.showPane(pane);
  if (asked().get("fit") === "whole") playground.setState({ fitsWhole: true });
  const stop = playground.subscribe(({ derived, document }) => {
    // The plan of what was asked for, not of the program that was there before.
    if (derived.compilation?.text !== document.text) return;
    stop();
    const cursor = cursorOf(asked().get("step"), derived.compilation.steps.length);
    if (cursor !== null) actions.stepTo(cursor);
  });
}
