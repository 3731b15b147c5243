/** @file Parts of the page in chunks of their own. */
import type { ComponentType, ReactNode } from "react";
import { lazyModule } from "../state";

/** A part in a chunk of its own: shown the moment it is there, and at once when it was loaded before. */
export function late<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => ReactNode {
  const usePart = lazyModule(load);
  return function Lazy(props) {
    const Part = usePart();
    return Part && <Part {...props} />;
  };
}
