/** @file All examples, in a dialog. */
import { Dialog } from "./Dialog";
import { ExamplePicker } from "../examples/ExamplePicker";
import { playground, selectExample, usePlayground } from "../../state";

export function ExamplesDialog() {
  const shown = usePlayground(selectExample);
  return (
    <Dialog title="Examples" size="widest" bare>
      <ExamplePicker shown={shown?.id ?? null} onClose={() => playground.getState().actions.openDialog("none")} />
    </Dialog>
  );
}
