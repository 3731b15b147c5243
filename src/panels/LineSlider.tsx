/** @file The line above which products stay alone, moved by hand: FLOP per byte, on a logarithmic scale. */
import { useState, type ReactNode } from "react";
import { lineAt, linePosition, linePositions } from "../state";

interface Props {
  /** FLOP per byte, where nobody is moving it. */
  readonly line: number;
  readonly words: (line: number) => ReactNode;
  /** When it is let go. */
  readonly onPut: (line: number) => void;
}

export function LineSlider({ line, words, onPut }: Props) {
  const [moved, setMoved] = useState<number | null>(null);
  const shown = moved === null ? Number(line.toPrecision(3)) : lineAt(moved);
  const put = (): void => {
    if (moved !== null) onPut(shown);
    setMoved(null);
  };
  return (
    <label className="line-slider">
      <span>{words(shown)}</span>
      <input
        type="range"
        aria-label="Line for matmuls, FLOP per byte"
        aria-valuetext={`${shown} FLOP per byte`}
        min={linePositions.least}
        max={linePositions.most}
        step={linePositions.step}
        value={moved ?? linePosition(line)}
        onChange={(event) => setMoved(event.target.valueAsNumber)}
        onPointerUp={put}
        onKeyUp={put}
        onBlur={put}
      />
    </label>
  );
}
