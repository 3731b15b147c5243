/** @file What if products stayed alone above another line? Asked when it is let go, not on the way. */
import { ridge } from "../../fusion";
import { libraryLine, playground, profileTitle, usePlayground } from "../../state";
import { LineSlider } from "../LineSlider";
import { significant } from "../model/units";

export function WhatIfLine() {
  const options = usePlayground(({ document }) => document.options);
  const asked = usePlayground(({ whatIf }) =>
    whatIf && whatIf.status !== "none" && whatIf.question.kind === "line" ? whatIf.question.line : null,
  );
  return (
    <>
      <LineSlider
        line={asked ?? libraryLine(options)}
        words={(line) => `A matmul stays alone above ${line} FLOP per byte`}
        onPut={(line) => void playground.getState().actions.askWhatIf({ kind: "line", line })}
      />
      <small>
        The ridge of {profileTitle(options.profile)} is {significant(ridge(options.profile))}.
      </small>
    </>
  );
}
