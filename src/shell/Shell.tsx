/** @file The page: top bar, the arrangement that fits, and the dialog that is open. */
import { lazy, Suspense, useEffect } from "react";
import { usePlayground } from "../state";
import { Announcer } from "./Announcer";
import { Middle, Narrow, Wide } from "./Arrangements";
import { TopBar } from "./TopBar";
import { useArrangement } from "./use-arrangement";
import { useDevice } from "./use-device";
import { useFileDrop } from "./use-file-drop";
import { useKeys } from "./use-keys";
import "./dialogs.css";
import "./shell.css";

const FindDialog = lazy(async () => ({ default: (await import("./FindDialog")).FindDialog }));
const ImportDialog = lazy(async () => ({ default: (await import("./ImportDialog")).ImportDialog }));
const KeysDialog = lazy(async () => ({ default: (await import("./KeysDialog")).KeysDialog }));
const NotesDialog = lazy(async () => ({ default: (await import("./notes/NotesDialog")).NotesDialog }));
const OptionsDialog = lazy(async () => ({ default: (await import("./options/OptionsDialog")).OptionsDialog }));
const EmbedView = lazy(async () => ({ default: (await import("./EmbedView")).EmbedView }));
const ShareDialog = lazy(async () => ({ default: (await import("./ShareDialog")).ShareDialog }));
const Tour = lazy(async () => ({ default: (await import("./Tour")).Tour }));
const PresenterView = lazy(async () => ({ default: (await import("./PresenterView")).PresenterView }));

function OpenDialog() {
  const dialog = usePlayground((state) => state.dialog);
  return (
    <Suspense>
      {dialog === "find" && <FindDialog />}
      {dialog === "import" && <ImportDialog />}
      {dialog === "keys" && <KeysDialog />}
      {dialog === "notes" && <NotesDialog />}
      {dialog === "options" && <OptionsDialog />}
      {dialog === "share" && <ShareDialog />}
    </Suspense>
  );
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
  const arrangement = useArrangement();
  const presenter = usePlayground((state) => state.presenter);
  const touring = usePlayground((state) => state.tour !== null);
  useDevice();
  useFileDrop();
  if (presenter) {
    return (
      <Suspense>
        <PresenterView />
        <Announcer />
      </Suspense>
    );
  }
  return (
    <div className="page" data-arrangement={arrangement}>
      <TopBar arrangement={arrangement} />
      {arrangement === "wide" ? <Wide /> : arrangement === "middle" ? <Middle /> : <Narrow />}
      <OpenDialog />
      {touring && (
        <Suspense>
          <Tour />
        </Suspense>
      )}
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
    <Suspense>
      <EmbedView />
      <Announcer />
    </Suspense>
  );
}
