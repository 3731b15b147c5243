/** @file Files dropped anywhere on the page are opened. */
import { useEffect } from "react";
import { playground } from "../state";
import { openFile } from "./open-file";

const carriesFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") ?? false;

function drop(event: DragEvent): void {
  const file = event.dataTransfer?.files[0];
  // A page for a class reads files in its own way.
  if (!file || event.defaultPrevented) return;
  event.preventDefault();
  void openFile(file).then((refusal) => {
    if (refusal) playground.setState({ notice: { tone: "no", text: refusal } });
  });
}

/** Without this the browser would leave the page for the file. */
export function useFileDrop(): void {
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
