/** @file Under generated code: the way to write the kernel oneself. */
import type { Kernel } from "../../fusion";
import { playground } from "../../state";
import { SetAside } from "./SetAside";
import "./by-hand.css";

/** The generated text to begin with: how many workgroups run it is a comment that may be changed. */
const beginning = ({ wgsl, workgroups }: Kernel): string =>
  `// workgroups: ${workgroups.join(" × ")}\n${wgsl.trimEnd()}\n`;

export function WriteStrip({ kernel }: { readonly kernel: Kernel }) {
  return (
    <>
      <div className="hand-strip">
        <button
          type="button"
          className="kernel-action"
          title="Edit this kernel in place. Run compares it with the reference and times it beside the generated one."
          onClick={() => playground.getState().actions.writeKernel(kernel, beginning(kernel))}
        >
          Write it yourself
        </button>
      </div>
      <SetAside kernel={kernel} />
    </>
  );
}
