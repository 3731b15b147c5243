/** @file The device of a run of the bench: what it is, what it reaches, and the profiles that plans and predictions are made on. */
import { generic, type DeviceProfile } from "../src/fusion";
import { createSession, hostEnv, type DeviceInfo, type Roofs, type Session } from "../src/gpu";
import { cardOf } from "../src/state/runs/card";

export const plannedFor = ["generic", "device"] as const;
/** Whose numbers plans are made on: the generic profile's, or those measured on the device. Limits are the device's. */
export type PlannedFor = (typeof plannedFor)[number];

export interface Planning {
  readonly plannedFor: PlannedFor;
  /** Names of passes that are off. */
  readonly without: readonly string[];
  /** Of the device, where somebody has counted them; null: as the session counts. */
  readonly multiprocessors: number | null;
}

export interface Opened {
  readonly session: Session;
  readonly device: DeviceInfo;
  readonly roofs: Roofs;
  /** What plans are made on. */
  readonly profile: DeviceProfile;
  /** The roofs that were measured, with the device's limits: what predictions are made on. */
  readonly measured: DeviceProfile;
}

/** Bytes that a program may take. */
export const MEMORY = 64 * 2 ** 30;

/** The device, described and measured, or a sentence about why there is none. */
export async function openDevice(gpu: GPU, { plannedFor: whose, multiprocessors }: Planning): Promise<Opened | string> {
  const session = createSession(gpu, hostEnv());
  const described = await session.describe();
  if (!described.ok) return described.problem.text;
  const answered = await session.measureRoofs();
  if (!answered.ok) return answered.problem.text;
  const [found, roofs] = [described.value, answered.value];
  const limits = {
    maxBindings: found.target.maxBindings,
    workgroupBytes: found.target.maxWorkgroupBytes,
    maxBindingBytes: found.maxBindingBytes,
    memoryLimitBytes: MEMORY,
  };
  const counted = multiprocessors === null ? {} : { machine: { multiprocessors, counted: true } };
  const device = { ...found, target: { ...found.target, ...counted } };
  const measured = { ...cardOf(device, roofs), ...limits };
  const profile = whose === "device" ? measured : { ...generic, ...limits, name: "bench" };
  return { session, device, roofs, profile, measured };
}

/** Adapter, clock, what it reaches and what is planned for: the head of every table. */
export function deviceText({ device, roofs }: Opened, { plannedFor: whose, without }: Planning): string {
  const reached = `copy ${(roofs.bandwidth / 1e9).toFixed(0)} GB/s, fma ${(roofs.flops / 1e12).toPrecision(3)} TF, launch ${roofs.launchMicros.toPrecision(3)} µs`;
  const numbers = whose === "device" ? "the roofs measured here" : "the generic profile with this device's limits";
  const passes = without.length > 0 ? `, without ${without.join(", ")}` : "";
  return `${device.name} (${device.description})\n${device.clock}, step ${device.tickNanos} ns\n${reached}\nplanned for ${numbers}${passes}\n`;
}
