/** @file The whole recording as bars: the height is how many threads are busy, barriers stand out; dragging goes to a moment. */
import { useMemo } from "react";
import type { KernelRecording } from "../../fusion";
import { lengthOf, threadsOf } from "../model/kernel/inside";
import { useSize } from "../use-size";

const HEIGHT = 56;

interface Props {
  readonly recording: KernelRecording;
  readonly at: number;
  readonly words: string;
  readonly onSeek: (at: number) => void;
}

export function BusyBars({ recording, at, words, onSeek }: Props) {
  const [host, { width }] = useSize();
  const length = lengthOf(recording);
  const bars = useMemo(() => {
    const threads = threadsOf(recording);
    const step = Math.max(1, Math.ceil((length * 3) / Math.max(1, width)));
    const found: { readonly from: number; readonly part: number; readonly kind: string }[] = [];
    for (let from = 0; from < recording.moments.length; from += step) {
      const some = recording.moments.slice(from, from + step);
      const most = Math.max(...some.map((moment) => moment.threads.length));
      const kind =
        some.find(({ doing }) => doing === "barrier")?.doing ??
        some.find(({ doing }) => doing === "load" || doing === "store")?.doing ??
        "compute";
      found.push({ from, part: most / threads, kind });
    }
    return { step, found };
  }, [recording, length, width]);
  const one = width / length;
  return (
    <div ref={host} className="inside-bars">
      {width > 0 && (
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {bars.found.map(({ from, part, kind }) => (
            <rect
              key={from}
              data-kind={kind}
              data-past={from <= at}
              x={from * one}
              y={HEIGHT - 2 - part * (HEIGHT - 6)}
              width={Math.max(1, one * bars.step - (one * bars.step > 3 ? 1 : 0))}
              height={Math.max(2, part * (HEIGHT - 6))}
            />
          ))}
          <rect className="inside-now" x={at * one} y={0} width={Math.max(2, one)} height={HEIGHT} />
        </svg>
      )}
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={`${at + 1} of ${length}: ${words}`}
        min={0}
        max={length - 1}
        step={1}
        value={at}
        onChange={({ target }) => onSeek(Number(target.value))}
      />
      <p aria-hidden="true">
        Height: threads busy. <i data-kind="load" /> load or store <i data-kind="compute" /> compute{" "}
        <i data-kind="barrier" /> barrier <i data-kind="odd" /> ∞ or NaN
      </p>
    </div>
  );
}
