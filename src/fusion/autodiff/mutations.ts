/** @file Mistakes of derivatives that tests switch on to prove that they would notice. Never on in the product. */
import { faultSwitch } from "../ir";

export const derivativeMutations = ["last-cotangent", "one-slope", "lost-tangent"] as const;
export type DerivativeMutation = (typeof derivativeMutations)[number];

const faults = faultSwitch<DerivativeMutation>();
/** True while a test has switched this mistake on. */
export const mistaken = faults.on;
/** Runs `act` with one mistake switched on. */
export const withDerivativeMutation = faults.during;
