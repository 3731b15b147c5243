/** @file What can be looked at beside a program's traffic, each opened on request, and each beside a note too. */
import { useState } from "react";
import type { FigureName } from "../../../lessons";
import { usePlayground } from "../../../state";
import { late } from "../../Late";

/** In chunks of their own. */
const FIGURES = {
  rooflines: { title: "Rooflines", Figure: late(async () => (await import("./Rooflines")).Rooflines) },
  storage: {
    title: "Stored in fewer bits",
    Figure: late(async () => (await import("./Tables")).StorageBytes),
  },
  folded: {
    title: "Weights before and after folding",
    Figure: late(async () => (await import("./Tables")).FoldedWeights),
  },
  device: { title: "This device", Figure: late(async () => (await import("./Tables")).DeviceFacts) },
} as const satisfies Readonly<Record<FigureName, unknown>>;

/** The figure beside a note. */
export function Figure({ name }: { readonly name: FigureName }) {
  const { Figure: Shown } = FIGURES[name];
  return <Shown />;
}

function Opened({ name }: { readonly name: FigureName }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="figure-details" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{FIGURES[name].title}</summary>
      {open && <Figure name={name} />}
    </details>
  );
}

/** Under the traffic table; weights only where some were folded. */
export function Figures() {
  const folds = usePlayground(
    ({ derived }) =>
      derived.compilation?.steps.some(({ patch }) => patch?.addedNodes.some(({ recipe }) => recipe)) ?? false,
  );
  const names: readonly FigureName[] = ["rooflines", "storage", ...(folds ? (["folded"] as const) : []), "device"];
  return names.map((name) => <Opened key={name} name={name} />);
}
