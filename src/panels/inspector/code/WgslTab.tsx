/** @file The WGSL of one kernel: Monaco where there is room and a keyboard, plain text on touch screens. */
import { useDeferredValue, useSyncExternalStore } from "react";
import type { Graph, Kernel } from "../../../fusion";
import { handText } from "../../../document";
import { afterIntro, lazyModule, usePlayground } from "../../../state";

const useEditorModule = lazyModule(async () => {
  await afterIntro();
  return import("./WgslEditor");
});

const useHandModule = lazyModule(async () => {
  await afterIntro();
  return import("../../by-hand");
});

interface Props {
  readonly kernel: Kernel;
  readonly graph: Graph;
  /** Index of the kernel in its plan, from 0. */
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
    // What does not fit is scrolled with the arrow keys, too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="kernel-plain" role="group" tabIndex={0} aria-label={`WGSL of ${kernel.id}`}>
      {kernel.wgsl}
    </pre>
  );
}

/** Measuring code takes Monaco a while: a new kernel's waits for a task of its own, after the graph and the counts. */
function CodeWgsl(newest: Props) {
  const props = useDeferredValue(newest);
  const editor = useEditorModule();
  return editor ? <editor.WgslEditor {...props} /> : <PlainWgsl kernel={props.kernel} />;
}

export function WgslTab(props: Props) {
  const { kernel } = props;
  const touch = useSyncExternalStore(followTouch, () => matchMedia(TOUCH).matches);
  const own = usePlayground(({ document }) => handText(document.byHand, kernel) !== null);
  // Nothing is edited before a class, nor inside another page.
  const still = usePlayground(({ embed, presenter }) => embed || presenter);
  const byHand = useHandModule();
  if (own && byHand) return <byHand.HandKernel kernel={kernel} plain={touch} />;
  return (
    <div className="wgsl-tab">
      <div className="wgsl-fill">{touch ? <PlainWgsl kernel={kernel} /> : <CodeWgsl {...props} />}</div>
      {!own && !still && byHand && <byHand.WriteStrip kernel={kernel} />}
    </div>
  );
}
