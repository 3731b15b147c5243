/** @file What can be looked at beside a program's traffic and beside notes: rooflines, narrower storage, folded weights, the device. */
import { useEffect, useMemo, useState } from "react";
import { fusionAt } from "../../../fusion";
import type { FigureName } from "../../../lessons";
import { usePlayground } from "../../../state";
import { late } from "../../Late";
import { deviceFacts, foldedWeights, otherFeatures, storageRows } from "../../model/notes/tables";
import { scientific, showBytes, significant } from "../../model/units";
import "./figures.css";

/** What both plans would move if tensors were stored in f16, bf16 or i8. */
function StorageBytes() {
  const compilation = usePlayground((state) => state.derived.compilation);
  const rows = useMemo(() => {
    if (!compilation?.naive || !compilation.naivePlan || !compilation.fusedPlan) return [];
    const { graph } = fusionAt(compilation, compilation.steps.length);
    return storageRows(
      { plan: compilation.naivePlan, graph: compilation.naive.graph },
      { plan: compilation.fusedPlan, graph },
    );
  }, [compilation]);
  return (
    <div className="figure">
      <table>
        <caption className="offscreen">Memory traffic of both plans by how numbers are stored</caption>
        <thead>
          <tr>
            <th scope="col">Stored as</th>
            <th scope="col">naive</th>
            <th scope="col">fused</th>
            <th scope="col">as</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, text, naive, fused }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{showBytes(naive)}</td>
              <td>
                <b>{showBytes(fused)}</b>
              </td>
              <td className="figure-note">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="figure-note">
        Counted for the same kernels; indices and masks stay as they are. Programs here store f32 and f16; bf16 and i8
        are counted only.
      </p>
    </div>
  );
}

/** Weights before and after a batch norm, or another scale, was folded into them. */
function FoldedWeights() {
  const compilation = usePlayground((state) => state.derived.compilation);
  const found = useMemo(
    () => (compilation ? foldedWeights(fusionAt(compilation, compilation.steps.length).graph) : []),
    [compilation],
  );
  return (
    <div className="figure">
      {found.map(({ name, from, values, largestChange, largestError }) => (
        <table key={name}>
          <caption>
            <code>{name}</code>
            {from && (
              <>
                {" "}
                from <code>{from}</code>
              </>
            )}
          </caption>
          <tbody>
            {from && (
              <tr>
                <th scope="row">before</th>
                {values.map(({ before }, i) => (
                  <td key={`${i}`}>{significant(before!)}</td>
                ))}
              </tr>
            )}
            <tr>
              <th scope="row">after</th>
              {values.map(({ after }, i) => (
                <td key={`${i}`}>{significant(after)}</td>
              ))}
            </tr>
            <tr>
              <th scope="row">largest difference</th>
              <td colSpan={4}>
                {largestChange !== null && `${significant(largestChange)} by folding, `}
                {largestError === 0 ? "none" : scientific(largestError)} by rounding to f32
              </td>
            </tr>
          </tbody>
        </table>
      ))}
      <p className="figure-note">Four values of each, with the data that a run starts with; exact to 64 bits.</p>
    </div>
  );
}

/** Limits and optional features of this device, and what WebGPU does not tell. */
function DeviceFacts() {
  const device = usePlayground((state) => state.device);
  const refused = usePlayground((state) => state.deviceProblem);
  const actions = usePlayground((state) => state.actions);
  const [told, setTold] = useState<typeof refused>(null);
  const unknown = device === null;
  // The page asked once while it settled; a machine that was busy then may answer now.
  useEffect(() => {
    if (unknown) void actions.describeDevice().then(setTold);
  }, [unknown, actions]);
  const problem = refused ?? told;
  if (!device) return <p className="figure-note">{problem?.text ?? "Asking the device…"}</p>;
  const others = otherFeatures(device);
  return (
    <div className="figure">
      <table>
        <caption>
          <b>{device.name}</b>
          {device.software && ", a software adapter: a CPU does the work of a GPU"}
        </caption>
        <tbody>
          {deviceFacts(device).map(({ name, value, text }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <b>{value}</b>
              </td>
              <td className="figure-note">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {others.length > 0 && <p className="figure-note">Also offered, not used: {others.join(", ")}.</p>}
      <p className="figure-note">
        WebGPU does not report the sizes of caches, the clock rate, the number of multiprocessors, or matrix units.
      </p>
    </div>
  );
}

const FIGURES = {
  rooflines: { title: "Rooflines", Figure: late(async () => (await import("./Rooflines")).Rooflines) },
  storage: {
    title: "Stored in fewer bits",
    Figure: StorageBytes,
  },
  folded: {
    title: "Weights before and after folding",
    Figure: FoldedWeights,
  },
  device: { title: "This device", Figure: DeviceFacts },
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
