/** @file The page: top bar, the layout that fits, and the dialog that is open. */
import { useEffect } from "react";
import { late, RunSaid, stepAnnouncement } from "../panels";
import { afterFirstPaint, usePlayground, playground, selectEnded, selectStep, selectPlanned } from "../state";
import { Middle, Narrow, Wide } from "./PageLayouts";
import { TopBar } from "./TopBar";
import { Welcome } from "./examples/Welcome";
import { usePageLayout, type PageLayout } from "./use-page-layout";
import { useKeys } from "./use-keys";
import "./buttons.css";
import "./shell.css";
import { takeFile } from "./open-file";

const loadFind = async () => (await import("./dialogs/FindDialog")).FindDialog;
const dialogs = {
  course: late(async () => (await import("./dialogs/CourseDialog")).CourseDialog),
  earlier: late(async () => (await import("./dialogs/EarlierWorkDialog")).EarlierWorkDialog),
  examples: late(async () => (await import("./dialogs/ExamplesDialog")).ExamplesDialog),
  find: late(loadFind),
  import: late(async () => (await import("./dialogs/ImportDialog")).ImportDialog),
  keys: late(async () => (await import("./dialogs/KeysDialog")).KeysDialog),
  notes: late(async () => (await import("./notes/NotesDialog")).NotesDialog),
  options: late(async () => (await import("./options/OptionsDialog")).OptionsDialog),
  share: late(async () => (await import("./dialogs/ShareDialog")).ShareDialog),
  train: late(async () => {
    const [{ Dialog }, { TrainPanel }] = await Promise.all([import("./dialogs/Dialog"), import("../train")]);
    return function TrainDialog() {
      return (
        <Dialog title="Train" size="widest">
          <TrainPanel />
        </Dialog>
      );
    };
  }),
};
const EmbedView = late(async () => (await import("./EmbedView")).EmbedView);
const RoomView = late(async () => (await import("./RoomView")).RoomView);
const Tour = late(async () => (await import("./examples/Tour")).Tour);
const Compare = late(async () => (await import("./SideBySide")).Compare);
const Race = late(async () => (await import("./SideBySide")).Race);
const Inside = late(async () => (await import("./SideBySide")).Inside);
const PresenterView = late(async () => (await import("./PresenterView")).PresenterView);

// Who opens it types at once: no letter may be lost while its chunk is on the way.
void afterFirstPaint().then(loadFind);

function OpenDialog() {
  const dialog = usePlayground((state) => state.dialog);
  if (dialog === "none") return null;
  const Shown = dialogs[dialog];
  return <Shown />;
}

function useTheme(): void {
  const theme = usePlayground((state) => state.shownTheme);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    const bar = getComputedStyle(document.documentElement).getPropertyValue("--bg").trim();
    document.querySelector("meta[name=theme-color]")?.setAttribute("content", bar);
  }, [theme]);
}

function Whole() {
  const layout = usePageLayout();
  const presenter = usePlayground((state) => state.presenter);
  const page = usePlayground((state) => state.page);
  const comparing = usePlayground((state) => state.comparison !== null);
  const racing = usePlayground((state) => state.race !== null);
  const inside = usePlayground((state) => state.inside !== null);
  const touring = usePlayground((state) => state.tour !== null);
  const broken = usePlayground((state) => state.derived.status === "broken");
  useDevice();
  useRunView(layout);
  useFileDrop();
  if (presenter && !inside && !racing && !comparing) {
    return (
      <>
        <PresenterView />
        <OpenDialog />
        <Announcer />
      </>
    );
  }
  if (page !== "playground") {
    return (
      <div className="page" data-layout={layout}>
        <RoomView />
        <OpenDialog />
        <Announcer />
      </div>
    );
  }
  return (
    <div className="page" data-layout={layout} data-broken={broken} data-presenting={presenter}>
      {!presenter && <TopBar layout={layout} />}
      {!comparing && !racing && !inside && <Welcome />}
      {inside ? (
        <Inside />
      ) : racing ? (
        <Race />
      ) : comparing ? (
        <Compare />
      ) : layout === "wide" ? (
        <Wide />
      ) : layout === "middle" ? (
        <Middle />
      ) : (
        <Narrow />
      )}
      <OpenDialog />
      {touring && <Tour />}
      <Announcer />
    </div>
  );
}

export function Shell() {
  const embed = usePlayground((state) => state.embed);
  useTheme();
  useKeys();
  if (!embed) return <Whole />;
  return (
    <>
      <EmbedView />
      <Announcer />
    </>
  );
}

/** A page that has just drawn its graph is still busy with the editor. */
const SETTLED_MILLIS = 1500;

function useDevice(): void {
  const drawn = usePlayground((state) => state.derived.compilation !== null);
  const actions = usePlayground((state) => state.actions);
  useEffect(() => {
    if (!drawn) return;
    const timer = setTimeout(() => void actions.describeDevice(), SETTLED_MILLIS);
    return () => clearTimeout(timer);
  }, [drawn, actions]);
}

const carriesFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") ?? false;

function drop(event: DragEvent): void {
  const file = event.dataTransfer?.files[0];
  // A page for a class reads files in its own way.
  if (!file || event.defaultPrevented) return;
  event.preventDefault();
  void takeFile(file);
}

/** Without this the browser would leave the page for the file. */
function useFileDrop(): void {
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (carriesFiles(event)) event.preventDefault();
    };
    window.addEventListener("dragover", over);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("drop", drop);
    };
  }, []);
}

/** Where a run is looked at: a page without a place for it beside the graph shows its tab or pane when it begins. */
function useRunView(layout: PageLayout): void {
  const running = usePlayground(({ run }) => run.status === "running");
  useEffect(() => {
    if (!running || layout === "wide") return;
    const { actions } = playground.getState();
    actions.showTab("run");
    actions.showPane("run");
  }, [running, layout]);
}

/** Says each step, and how a run ended, to screen readers, politely. The one voice: what draws them is silent. */
function Announcer() {
  const planned = usePlayground(selectPlanned);
  const step = usePlayground(selectStep);
  const ended = usePlayground(selectEnded);
  return (
    <>
      <p className="offscreen" role="status">
        {planned && (step ? stepAnnouncement(planned, step) : "Naive plan.")}
      </p>
      <p className="offscreen" role="status">
        {ended && <RunSaid />}
      </p>
    </>
  );
}
