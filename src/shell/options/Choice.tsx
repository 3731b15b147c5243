/** @file One of a few values, as radio buttons under a title. */

interface Props<T extends string> {
  readonly title: string;
  readonly name: string;
  readonly value: T;
  /** Values with their words. */
  readonly choices: readonly (readonly [T, string])[];
  readonly onChoose: (value: T) => void;
}

export function Choice<T extends string>({ title, name, value, choices, onChoose }: Props<T>) {
  return (
    <fieldset className="option">
      <legend>{title}</legend>
      {choices.map(([choice, words]) => (
        <label key={choice} className="check">
          <input type="radio" name={name} checked={choice === value} onChange={() => onChoose(choice)} />
          {words}
        </label>
      ))}
    </fieldset>
  );
}
