/** @file The program's traffic if its tensors were stored in f16, bf16 or i8. */
import { useMemo } from "react";
import { fusionAt } from "../../../fusion";
import { usePlayground } from "../../../state";
import { storageRows } from "../../model/storage-bytes";
import { showBytes } from "../../model/units";
import "./figures.css";

export function StorageBytes() {
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
