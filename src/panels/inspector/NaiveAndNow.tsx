/** @file Numbers of the naive plan beside those of the step that is shown. */

interface Props {
  readonly caption: string;
  /** Head of the first column. */
  readonly of: string;
  readonly rows: readonly (readonly [name: string, naive: string, now: string])[];
}

export function NaiveAndNow({ caption, of, rows }: Props) {
  return (
    <table>
      <caption className="offscreen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{of}</th>
          <th scope="col">naive</th>
          <th scope="col">this step</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, naive, now]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{naive}</td>
            <td>
              <b>{now}</b>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
