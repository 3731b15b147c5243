/** @file Mistakes of derivatives that tests switch on to prove that they would notice. Never on in the product. */

export const derivativeMutations = ["last-cotangent", "one-slope", "lost-tangent"] as const;
export type DerivativeMutation = (typeof derivativeMutations)[number];

let active: DerivativeMutation | null = null;

/** True while a test has switched this mistake on. */
export const mistaken = (name: DerivativeMutation): boolean => active === name;

/** Runs `act` with one mistake switched on. */
export function withDerivativeMutation<T>(name: DerivativeMutation, act: () => T): T {
  const before = active;
  active = name;
  try {
    return act();
  } finally {
    active = before;
  }
}
