/** @file The device card: what was measured of this device, as a profile to plan with. */
import { defaultOptions, deviceProfileFrom, type DeviceProfile } from "../../fusion";
import type { DeviceInfo, Roofs } from "../../gpu";

/**
 * This device as a profile: its measured roofs and launches, and its multiprocessors where they were counted. Its limits are
 * those that every device grants: a plan made here, in a link, runs everywhere.
 */
export function cardOf(device: DeviceInfo, { bandwidth, flops: peakFlops, launchMicros }: Roofs): DeviceProfile {
  const base = defaultOptions.profile;
  const { multiprocessors, counted } = device.target.machine ?? {};
  const machine = counted && multiprocessors ? { ...base, multiprocessors, counted } : base;
  return deviceProfileFrom(device.name || "this device", { bandwidth, peakFlops, launchMicros }, {}, machine);
}
