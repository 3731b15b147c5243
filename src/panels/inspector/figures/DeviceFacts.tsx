/** @file Limits and optional features of this device, and what WebGPU does not tell. */
import { usePlayground } from "../../../state";
import { deviceFacts, otherFeatures } from "../../model/device-facts";
import "./figures.css";

export function DeviceFacts() {
  const device = usePlayground((state) => state.device);
  const problem = usePlayground((state) => state.deviceProblem);
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
      {others.length > 0 && <p className="figure-note">Also there, not used: {others.join(", ")}.</p>}
      <p className="figure-note">
        Not told: the sizes of caches, the clock rate, the number of multiprocessors, matrix units.
      </p>
    </div>
  );
}
