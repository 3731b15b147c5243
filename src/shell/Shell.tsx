/** @file The page: top bar, the layout that fits, and the dialog that is open. */
import { useEffect } from "react";
import { late } from "../panels";
import { afterFirstPaint, usePlayground } from "../state";
import { Announcer } from "./Announcer";
import { Middle, Narrow, Wide } from "./PageLayouts";
import { TopBar } from "./TopBar";
import { Welcome } from "./Welcome";
import { usePageLayout } from "./use-page-layout";
import { useDevice } from "./use-device";
import { useFileDrop } from "./use-file-drop";
import { useKeys } from "./use-keys";
import { useRunView } from "./use-run-view";
import "./buttons.css";
import "./shell.css";

const loadFind = async () => (await import("./FindDialog")).FindDialog;
const dialogs = {
  course: late(async () => (await import("./CourseDialog")).CourseDialog),
  earlier: late(async () => (await import("./EarlierWorkDialog")).EarlierWorkDialog),
  examples: late(async () => (await import("./ExamplesDialog")).ExamplesDialog),
  find: late(loadFind),
  import: late(async () => (await import("./ImportDialog")).ImportDialog),
  keys: late(async () => (await import("./KeysDialog")).KeysDialog),
  notes: late(async () => (await import("./notes/NotesDialog")).NotesDialog),
  options: late(async () => (await import("./options/OptionsDialog")).OptionsDialog),
  share: late(async () => (await import("./ShareDialog")).ShareDialog),
  train: late(async () => {
    const [{ Dialog }, { TrainPanel }] = await Promise.all([import("./Dialog"), import("../train")]);
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
const Tour = late(async () => (await import("./Tour")).Tour);
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
