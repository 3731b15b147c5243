/** @file Device profiles as data: what the planner believes about a machine. Measured machines become profiles here too. */
import { MAX_BINDINGS, type CompileOptions, type DeviceProfile, type Target } from "../ir";

const MIB = 1 << 20;
const GIB = 1 << 30;

/** The default: round numbers of a data-centre GPU with WebGPU's default limits. Links and examples are planned with it. */
export const generic: DeviceProfile = {
  name: "generic",
  bandwidth: 2e12,
  l2Bytes: 50e6,
  peakFlops: 100e12,
  launchMicros: 8,
  multiprocessors: 108,
  registersPerMultiprocessor: 65_536,
  maxBindings: MAX_BINDINGS,
  workgroupBytes: 16_384,
  maxBindingBytes: 128 * MIB,
  memoryLimitBytes: 8 * GIB,
};

/** NVIDIA A100 80 GB, datasheet: 2.04 TB/s, 312 TFLOP/s (f16 tensor cores: a ridge of about 156 FLOP/B), 19.5 TFLOP/s in f32. */
export const a100: DeviceProfile = {
  ...generic,
  name: "a100",
  bandwidth: 2e12,
  l2Bytes: 40e6,
  peakFlops: 312e12,
  shaderFlops: 19.5e12,
  memoryLimitBytes: 80 * GIB,
};

/** NVIDIA H100 SXM, datasheet: 3.35 TB/s, 1,000 TFLOP/s (f16 tensor cores: a ridge of about 298 FLOP/B), 67 TFLOP/s in f32. */
export const h100: DeviceProfile = {
  ...generic,
  name: "h100",
  bandwidth: 3.35e12,
  l2Bytes: 50e6,
  peakFlops: 1e15,
  shaderFlops: 67e12,
  multiprocessors: 132,
  memoryLimitBytes: 80 * GIB,
};

/** An integrated GPU that shares its memory with the CPU. */
export const laptop: DeviceProfile = {
  ...generic,
  name: "laptop",
  bandwidth: 60e9,
  l2Bytes: 4e6,
  peakFlops: 2e12,
  launchMicros: 30,
  multiprocessors: 24,
  memoryLimitBytes: 2 * GIB,
};

export const allProfiles: readonly DeviceProfile[] = [generic, a100, h100, laptop];

/** What a copy kernel, an FMA kernel and a train of empty dispatches measured. */
export interface MeasuredRoofs {
  /** bytes/s */
  readonly bandwidth: number;
  /** FLOP/s */
  readonly peakFlops: number;
  /** µs; null keeps the base profile's. */
  readonly launchMicros: number | null;
}

/**
 * A profile of the machine at hand: its measured roofs and granted limits, the rest from `base`.
 * A roof that is not a positive number keeps the base's.
 */
export function deviceProfileFrom(
  name: string,
  roofs: MeasuredRoofs,
  limits: Partial<Pick<DeviceProfile, "maxBindings" | "workgroupBytes" | "maxBindingBytes" | "memoryLimitBytes">> = {},
  base: DeviceProfile = generic,
): DeviceProfile {
  const positive = (value: number | null, otherwise: number): number =>
    value !== null && Number.isFinite(value) && value > 0 ? value : otherwise;
  return {
    ...base,
    ...limits,
    name,
    bandwidth: positive(roofs.bandwidth, base.bandwidth),
    peakFlops: positive(roofs.peakFlops, base.peakFlops),
    launchMicros: positive(roofs.launchMicros, base.launchMicros),
  };
}

/** A number of a profile. */
export type ProfileField = Exclude<keyof DeviceProfile, "name" | "base" | "counted" | "shaderFlops">;

/** What a profile of changed numbers is called. */
const OWN = "own";

/** The ready profile that `profile` is, or was changed from; null for a machine that only the profile itself describes. */
export const baseOf = (profile: DeviceProfile, known: readonly DeviceProfile[] = allProfiles): DeviceProfile | null =>
  known.find(({ name }) => name === (profile.base ?? profile.name)) ?? null;

/** `profile` with one number changed; `base` itself again when nothing differs from it any more. */
export function withField(
  profile: DeviceProfile,
  base: DeviceProfile | null,
  field: ProfileField,
  value: number,
): DeviceProfile {
  const changed = { ...profile, name: OWN, base: base?.name, [field]: value };
  // A peak that somebody states is the peak that shaders reach.
  if (field === "peakFlops") delete changed.shaderFlops;
  return base && changedFields(changed, base).length === 0 ? base : changed;
}

/** Numbers in which two profiles differ. */
export const changedFields = (profile: DeviceProfile, base: DeviceProfile): ProfileField[] =>
  (Object.keys(generic) as (keyof DeviceProfile)[]).filter(
    (key): key is ProfileField => key !== "name" && key !== "base" && profile[key] !== base[key],
  );

const targets = new WeakMap<DeviceProfile, Target>();
/** What of the options decides how kernels are written. */
type Chosen = Pick<CompileOptions, "profile" | "knobs" | "strict">;
const chosen = new WeakMap<Chosen, Target>();

/** The GPU schedule's limits that belong to a profile: what `plan` counts and shows, whatever machine the page runs on. */
export function targetOf(profile: DeviceProfile): Target {
  const known = targets.get(profile);
  if (known) return known;
  const target: Target = {
    schedule: "gpu",
    maxWorkgroupSize: 256,
    maxWorkgroupBytes: profile.workgroupBytes,
    maxBindings: profile.maxBindings,
    maxWorkgroupsPerDimension: 65_535,
    shaderF16: false,
    subgroups: true,
    machine: {
      multiprocessors: profile.multiprocessors,
      bandwidth: profile.bandwidth,
      peakFlops: shaderRate(profile),
      l2Bytes: profile.l2Bytes,
      launchMicros: profile.launchMicros,
      counted: profile.counted,
    },
  };
  targets.set(profile, target);
  return target;
}

const machines = new WeakMap<Target, WeakMap<DeviceProfile, Target>>();

/**
 * A machine that will run a plan, with what is known of its speed: schedules weigh bytes and launches as the predicted times do.
 * The same object for the same pair.
 */
export function targetOn(target: Target, profile: DeviceProfile): Target {
  if (target === targetOf(profile)) return target;
  const made = machines.get(target) ?? new WeakMap<DeviceProfile, Target>();
  machines.set(target, made);
  const known = made.get(profile) ?? { ...target, machine: { ...targetOf(profile).machine!, ...target.machine } };
  made.set(profile, known);
  return known;
}

/** A target with the choices of a document laid over it: what its kernels are generated for. The same object for the same options and profile. */
export function chosenFor(options: Chosen, target: Target = targetOf(options.profile)): Target {
  const { knobs, strict } = options;
  if (!knobs) return target;
  const own = target === targetOf(options.profile);
  const known = own ? chosen.get(options) : undefined;
  if (known) return known;
  const made = { ...target, knobs, strict };
  if (own) chosen.set(options, made);
  return made;
}

/** FLOP per byte moved; 0 for a kernel that moves nothing. */
export const intensity = (flops: number, bytes: number): number => (bytes === 0 ? 0 : flops / bytes);

/** FLOP/s that converts a kernel's FLOP into time. */
export const shaderRate = ({ shaderFlops, peakFlops }: DeviceProfile): number => shaderFlops ?? peakFlops;

/** FLOP/B where the roofline bends. */
export const ridge = (profile: DeviceProfile): number => profile.peakFlops / profile.bandwidth;
