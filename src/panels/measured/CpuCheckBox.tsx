/** @file Results without a GPU: the reference's outputs, and the generated kernels run on the CPU against it. */
import { playground, usePlayground, type OutputSummary } from "../../state";
import { count, significant } from "../model/units";
import { Differences } from "./Differences";
import { VerdictBox } from "./VerdictBox";

function Outputs({ outputs }: { readonly outputs: readonly OutputSummary[] }) {
  return (
    <table className="measured-outputs">
      <caption className="offscreen">Outputs of the reference</caption>
      <thead>
        <tr>
          <th scope="col">output</th>
          <th scope="col">min</th>
          <th scope="col">mean</th>
          <th scope="col">max</th>
        </tr>
      </thead>
      <tbody>
        {outputs.map((each) => (
          <tr key={each.output} title={`Starts ${each.first.map((value) => significant(value)).join(", ")}`}>
            <th scope="row">
              <code>{each.output}</code> {each.shape.join("×") || "scalar"}
              {each.compared < each.elements && <small> {count(each.compared)} elements compared</small>}
            </th>
            <td>{significant(each.min)}</td>
            <td>{significant(each.mean)}</td>
            <td>{significant(each.max)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function CpuCheckBox() {
  const check = usePlayground(({ cpuCheck, document }) => (cpuCheck?.program === document.text ? cpuCheck : null));
  const hasPlan = usePlayground(
    (state) => state.derived.compilation?.naive !== undefined && state.derived.compilation?.naive !== null,
  );
  if (!check) {
    return (
      <button
        type="button"
        className="measured-button"
        disabled={!hasPlan}
        onClick={() => void playground.getState().actions.runOnCpu()}
      >
        Check on the CPU
      </button>
    );
  }
  return (
    <div aria-busy={check.status === "running"}>
      <p className="measured-note">{check.text}</p>
      {check.outputs.length > 0 && <Outputs outputs={check.outputs} />}
      <Differences rows={check.check} />
      <VerdictBox rows={check.check} />
    </div>
  );
}
