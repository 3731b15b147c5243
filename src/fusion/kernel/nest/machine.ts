/** @file What a target says of its machine. */
import type { Target } from "../../ir";
import type { Machine } from "./nest";

/** A machine of which only its limits are known: round numbers of a large GPU. */
const UNKNOWN = { multiprocessors: 108, bandwidth: 2e12, l2Bytes: 50e6, launchMicros: 8 };

export const machineOf = ({
  schedule,
  maxWorkgroupSize,
  maxWorkgroupBytes,
  machine,
  subgroups,
  subgroupSizes,
}: Target): Machine => ({
  sharing: schedule === "cpu" ? "alone" : "threads",
  maxThreads: maxWorkgroupSize,
  maxBytes: maxWorkgroupBytes,
  ...UNKNOWN,
  ...machine,
  ...(subgroups && subgroupSizes && { peers: subgroupSizes[0] }),
});
