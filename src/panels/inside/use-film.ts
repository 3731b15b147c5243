/** @file The clock of a recorded kernel: plays moment after moment, pauses, goes anywhere. Where motion is reduced nothing moves by itself. */
import { useEffect, useRef, useState } from "react";

/** A whole recording takes about this long at the usual speed, ms; but no moment is held longer than `MAX_STEP`. */
const WHOLE = 24_000;
const MAX_STEP = 900;

export interface Film {
  /** The moment that is shown, from 0. */
  readonly at: number;
  readonly playing: boolean;
  readonly toggle: () => void;
  readonly seek: (at: number) => void;
}

/**
 * @param length moments
 * @param begin where it stands at first; null plays from the start
 * @param speed times the usual one
 * @param frame draws a moment, as far as a part (0 to 1) of it has passed
 * @param rested hears where it comes to rest
 */
export function useFilm(
  length: number,
  begin: number | null,
  still: boolean,
  speed: number,
  frame: (at: number, part: number) => void,
  rested: (at: number) => void,
): Film {
  const [at, setAt] = useState(Math.min(begin ?? 0, length - 1));
  const [playing, setPlaying] = useState(begin === null && !still);
  const time = useRef(at);
  const draw = useRef(frame);
  useEffect(() => {
    draw.current = frame;
  });
  useEffect(() => {
    if (!playing) return undefined;
    let asked = 0;
    let before: number | null = null;
    const hold = Math.min(MAX_STEP, WHOLE / length) / speed;
    const advance = (now: number): void => {
      time.current = Math.min(length - 1, time.current + (before === null ? 0 : (now - before) / hold));
      before = now;
      const moment = Math.floor(time.current);
      setAt(moment);
      draw.current(moment, Math.min(1, (time.current - moment) * 1.25));
      if (time.current >= length - 1) setPlaying(false);
      else asked = requestAnimationFrame(advance);
    };
    asked = requestAnimationFrame(advance);
    return () => cancelAnimationFrame(asked);
  }, [playing, length, speed]);
  useEffect(() => {
    if (!playing) rested(at);
  }, [playing, at, rested]);
  const seek = (to: number): void => {
    setPlaying(false);
    time.current = Math.max(0, Math.min(length - 1, to));
    setAt(time.current);
  };
  return {
    at,
    playing,
    seek,
    toggle() {
      if (still) return seek(at + 1);
      if (!playing && time.current >= length - 1) time.current = 0;
      setPlaying(!playing);
    },
  };
}
