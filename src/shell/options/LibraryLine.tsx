/** @file The line between products that fuse and products that stay alone: a slider of FLOP per byte, on a logarithmic scale. */
import { useState } from "react";
import { ridge } from "../../fusion";
import { libraryLine, lineAt, linePosition, linePositions, playground, usePlayground } from "../../state";

/** Drawn as it is moved; one undo step when it is let go. */
export function LibraryLine() {
  const options = usePlayground((state) => state.document.options);
  const [moved, setMoved] = useState<number | null>(null);
  const line = moved === null ? Number(libraryLine(options).toPrecision(3)) : lineAt(moved);
  const put = (): void => {
    if (moved !== null) playground.getState().actions.setLibraryLine(line);
    setMoved(null);
  };
  return (
    <div className="line-choice">
      <label>
        <span>
          The line: <b>{line}</b> FLOP per byte
        </span>
        <input
          type="range"
          aria-label="Line for matmuls, FLOP per byte"
          aria-valuetext={`${line} FLOP per byte`}
          min={linePositions.least}
          max={linePositions.most}
          step={linePositions.step}
          value={moved ?? linePosition(options)}
          onChange={(event) => setMoved(event.target.valueAsNumber)}
          onPointerUp={put}
          onKeyUp={put}
          onBlur={put}
        />
      </label>
      <button
        type="button"
        disabled={options.libraryAbove === undefined}
        onClick={() => playground.getState().actions.setLibraryLine(null)}
      >
        At the ridge, {Number(ridge(options.profile).toPrecision(3))}
      </button>
    </div>
  );
}
