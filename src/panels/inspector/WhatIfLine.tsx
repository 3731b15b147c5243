/** @file What if products stayed alone above another line: a slider of FLOP per byte, on a logarithmic scale. */
import { useState } from "react";
import { ridge } from "../../fusion";
import { lineAt, linePosition, linePositions, playground, profileTitle, usePlayground } from "../../state";
import { significant } from "../model/units";

/** Asked when the slider is let go, not on the way. */
export function WhatIfLine() {
  const options = usePlayground(({ document }) => document.options);
  const [position, setPosition] = useState(() => linePosition(options));
  const line = lineAt(position);
  const put = (): void => void playground.getState().actions.askWhatIf({ kind: "line", line });
  return (
    <label className="what-if-line">
      <span>A matmul stays alone above {line} FLOP per byte</span>
      <input
        type="range"
        aria-label="Line for matmuls, FLOP per byte"
        aria-valuetext={`${line} FLOP per byte`}
        min={linePositions.least}
        max={linePositions.most}
        step={linePositions.step}
        value={position}
        onChange={(event) => setPosition(event.target.valueAsNumber)}
        onPointerUp={put}
        onKeyUp={put}
      />
      <small>
        The ridge of {profileTitle(options.profile)} is {significant(ridge(options.profile))}.
      </small>
    </label>
  );
}
