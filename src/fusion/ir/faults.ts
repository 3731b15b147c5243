/** @file A switch for mistakes that tests make on purpose, to prove that they would notice. Never on in the product. */

export interface FaultSwitch<T extends string> {
  /** True while a test has switched this mistake on. */
  readonly on: (name: T) => boolean;
  /** Whether any is on. */
  readonly any: () => boolean;
  /** Runs `act` with one mistake switched on. */
  readonly during: <R>(name: T, act: () => R) => R;
}

export function faultSwitch<T extends string>(): FaultSwitch<T> {
  let active: T | null = null;
  return {
    on: (name) => active === name,
    any: () => active !== null,
    during(name, act) {
      const before = active;
      active = name;
      try {
        return act();
      } finally {
        active = before;
      }
    },
  };
}
