/** @file Modules whose names are those of other functions elsewhere: they are looked up where the module is named. */

/** Modules whose names mean something of their own, and what the library calls them by. */
export const OWN_MODULES: ReadonlyMap<string, string> = new Map([
  ["itertools", "itertools_"],
  ["torch.autograd.functional", "functional_"],
]);

/** The module with names of its own that a dotted path ends in, `torch.autograd.functional` or `autograd.functional`; null where there is none. */
export const ownModule = (path: string): string | null =>
  [...OWN_MODULES.keys()].find(
    (module) =>
      path === module || (path.includes(".") && (`.${module}`.endsWith(`.${path}`) || path.endsWith(`.${module}`))),
  ) ?? null;
