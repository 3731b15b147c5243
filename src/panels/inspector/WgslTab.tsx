/** @file The WGSL of one kernel: Monaco where there is room and a keyboard, plain text on touch screens. */
import { lazy, Suspense, useSyncExternalStore } from "react";
import type { Graph, Kernel } from "../../fusion";

const WgslEditor = lazy(() => import("./WgslEditor").then(({ WgslEditor: editor }) => ({ default: editor })));

interface Props {
  readonly kernel: Kernel;
  readonly graph: Graph;
  /** Place of the kernel in its plan, from 0. */
  readonly index: number;
}

const TOUCH = "(pointer: coarse)";
const followTouch = (changed: () => void): (() => void) => {
  const query = matchMedia(TOUCH);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
};

function PlainWgsl({ kernel }: { readonly kernel: Kernel }) {
  return (
    <pre className="kernel-plain" aria-label={`WGSL of ${kernel.id}`}>
      {kernel.wgsl}
    </pre>
  );
}

export function WgslTab(props: Props) {
  const touch = useSyncExternalStore(followTouch, () => matchMedia(TOUCH).matches);
  if (touch) return <PlainWgsl kernel={props.kernel} />;
  return (
    <Suspense fallback={<PlainWgsl kernel={props.kernel} />}>
      <WgslEditor {...props} />
    </Suspense>
  );
}
