/** @file Which injected bug runs: none, but while a test asks for one. */
let active: string | null = null;

/** True while a test has switched this bug on. */
export const on = (name: string): boolean => active === name;
/** Whether any is on. */
export const any = (): boolean => active !== null;

/** Runs `act` with one bug switched on. */
export function during<R>(name: string, act: () => R): R {
  const before = active;
  active = name;
  try {
    return act();
  } finally {
    active = before;
  }
}
