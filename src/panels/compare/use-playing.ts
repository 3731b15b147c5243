/** @file Plays the common steps of both sides, one after the other, to their end. */
import { useEffect, useState } from "react";

/** A step is shown this long, ms. */
const HOLD = 900;

interface Playing {
  readonly playing: boolean;
  readonly toggle: () => void;
}

export function usePlaying(shown: number, total: number, go: (shown: number, total: number) => void): Playing {
  const [on, setOn] = useState(false);
  const playing = on && shown < total;
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setTimeout(() => {
      go(shown + 1, total);
      if (shown + 1 >= total) setOn(false);
    }, HOLD);
    return () => clearTimeout(timer);
  }, [playing, shown, total, go]);
  return {
    playing,
    toggle() {
      if (!playing && shown >= total) go(0, total);
      setOn(!playing);
    },
  };
}
