/** @file A model on its way in: what it leaves open is asked for, what can't be said in the language is told. */
import { useEffect, useRef, useState, type FormEvent } from "react";
import { playground, usePlayground, type Importing, type OpenQuestion } from "../../state";
import { Dialog } from "./Dialog";

const close = (): void => playground.getState().actions.openDialog("none");

/** `2, 3, 224` as numbers; null when one of them is no extent. */
export function extentsIn(words: string): readonly number[] | null {
  const extents = words
    .split(/[\s,×x]+/)
    .filter(Boolean)
    .map(Number);
  const valid = extents.length > 0 && extents.every((extent) => Number.isInteger(extent) && extent > 0);
  return valid ? extents : null;
}

/** A first guess that the person can change: one item in a batch, a short sequence. */
const guessFor = ({ name, kind }: OpenQuestion): string =>
  kind === "shape" ? "" : /batch|^n$/i.test(name) ? "1" : "128";

function Questions({ questions }: { readonly questions: readonly OpenQuestion[] }) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const [said, setSaid] = useState<Readonly<Record<string, string>>>({});
  const answers = questions.map((question) => {
    const words = said[question.name] ?? guessFor(question);
    const extents = extentsIn(words);
    const fits = extents !== null && (question.kind === "shape" || extents.length === 1);
    return { question, words, extents: fits ? extents : null };
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const given = new Map(answers.flatMap(({ question, extents }) => (extents ? [[question.name, extents]] : [])));
    if (given.size === questions.length) void playground.getState().actions.answerImport(given);
  };
  return (
    <form ref={form} onSubmit={submit}>
      <p className="dialog-note">The model does not fix these sizes. Enter a number for each.</p>
      {answers.map(({ question: { name, kind, inputs }, words, extents }) => (
        <label className="import-question" key={name}>
          <code>{name}</code>
          <input
            className="field"
            inputMode={kind === "dim" ? "numeric" : "text"}
            value={words}
            placeholder={kind === "dim" ? "extent" : "shape: 1, 3, 224, 224"}
            aria-invalid={extents === null && words !== ""}
            onChange={(event) => setSaid({ ...said, [name]: event.target.value })}
          />
          <span>{kind === "dim" ? `in ${inputs.join(", ")}` : "its whole shape"}</span>
        </label>
      ))}
      <footer className="dialog-foot">
        <button type="submit" className="action" disabled={answers.some(({ extents }) => extents === null)}>
          Open model
        </button>
        <button type="button" className="plain" onClick={close}>
          Cancel
        </button>
      </footer>
    </form>
  );
}

/** Reasons that are codes, in words. */
const SAID: ReadonlyMap<string, string> = new Map([
  ["dtype", "a number format that no kernel here has"],
  ["no rule", "unknown here"],
  ["string", "works on text"],
  ["random", "has its own random generator"],
]);

/** What became of what they would have given. */
function withoutThem(unsupported: Extract<Importing, { status: "partial" }>["unsupported"]): string {
  const total = unsupported.reduce((sum, { count }) => sum + count, 0);
  const given = unsupported.reduce((sum, op) => sum + op.given, 0);
  if (total === 0) return "The model is open.";
  const start = `The model is open, without ${total} of its ops`;
  if (given === 0) return `${start} and all that reads them.`;
  if (given === total) return `${start}. ${total === 1 ? "Its" : "Their"} results are inputs instead.`;
  return `${start}. The results of ${given} of them are inputs instead; what reads the others is left out.`;
}

function Partial({ unsupported, wanted, numbers }: Extract<Importing, { status: "partial" }>) {
  return (
    <>
      <p className="dialog-note">
        {withoutThem(unsupported)}
        {numbers}
      </p>
      {unsupported.length > 0 && (
        <ul className="import-missing">
          {unsupported.map(({ op, count, why }) => (
            <li key={op}>
              <b>{op}</b> × {count} <span>{SAID.get(why) ?? why}</span>
            </li>
          ))}
        </ul>
      )}
      {wanted.length > 0 && (
        <p className="dialog-note">
          Shapes depend on the numbers in {wanted.join(", ")}, which the file does not hold.
        </p>
      )}
      <footer className="dialog-foot">
        <button type="button" className="action" onClick={close}>
          See the program
        </button>
      </footer>
    </>
  );
}

export function ImportDialog() {
  const importing = usePlayground((state) => state.importing);
  if (!importing) return null;
  return (
    <Dialog title={`Import ${importing.file}`}>
      {importing.status === "reading" && <p role="status">Reading the model…</p>}
      {importing.status === "failed" && <p className="dialog-refusal">{importing.text}</p>}
      {importing.status === "asking" && <Questions questions={importing.questions} />}
      {importing.status === "partial" && <Partial {...importing} />}
    </Dialog>
  );
}
