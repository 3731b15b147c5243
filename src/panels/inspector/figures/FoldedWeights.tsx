/** @file Weights before and after a batch norm, or another scale, was folded into them. */
import { useMemo } from "react";
import { fusionAt } from "../../../fusion";
import { usePlayground } from "../../../state";
import { foldedWeights } from "../../model/folded-weights";
import { scientific, significant } from "../../model/units";
import "./figures.css";

export function FoldedWeights() {
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
