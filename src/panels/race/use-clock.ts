/** @file The race's clock: plays from the start to the end, pauses, goes anywhere. Where motion is reduced it stands at the end. */
import { useEffect, useState } from "react";

/** The whole race takes this long, ms. */
export const RACE_MILLIS = 7000;

export interface Clock {
  /** Part of the race, 0 to 1. */
  readonly part: number;
  readonly playing: boolean;
  readonly toggle: () => void;
  readonly seek: (part: number) => void;
}

/** `begin`: where it stands at first; null plays from the start. `rested` hears where it comes to rest. */
export function useClock(begin: number | null, still: boolean, rested: (part: number) => void): Clock {
  const [part, setPart] = useState(still && begin === null ? 1 : (begin ?? 0));
  const [playing, setPlaying] = useState(begin === null && !still);
  useEffect(() => {
    if (!playing) return undefined;
    let frame = 0;
    let before: number | null = null;
    const advance = (now: number): void => {
      const passed = before === null ? 0 : now - before;
      before = now;
      setPart((at) => Math.min(1, at + passed / RACE_MILLIS));
      frame = requestAnimationFrame(advance);
    };
    frame = requestAnimationFrame(advance);
    return () => cancelAnimationFrame(frame);
  }, [playing]);
  const running = playing && part < 1;
  useEffect(() => {
    if (!running) rested(part);
  }, [running, part, rested]);
  const seek = (to: number): void => {
    setPlaying(false);
    setPart(Math.max(0, Math.min(1, to)));
  };
  return {
    part,
    playing: running,
    seek,
    toggle() {
      if (still) return seek(1);
      if (running) return setPlaying(false);
      if (part >= 1) setPart(0);
      setPlaying(true);
    },
  };
}
