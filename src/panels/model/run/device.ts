/** @file The device line: whose time it is, by which clock, how fine. */
import type { Device } from "./run-types";
import { count, showMicros } from "../units";

/** `GPU clock, tick 100 µs ÷ 400`: a pass repeats its dispatches, so one sample is that much finer than the clock. */
export function clockLine(device: Device, repeats: number | null): string {
  const clock = device.clock === "timestamp-query" ? "GPU clock" : "wall clock";
  const tick = `timer resolution ${showMicros(device.tickNanos / 1e3)}`;
  const divided = repeats !== null && repeats > 1 ? ` ÷ ${count(repeats)}` : "";
  return device.software ? `${tick}${divided}` : `${clock}, ${tick}${divided}`;
}
