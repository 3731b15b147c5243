/** @file The inspector of the selected op: name, type, attributes, operands; connect and remove. */
import { useEffect, useState } from "react";
import type { NodeId } from "../../../fusion";
import { playground, usePlayground } from "../../../state";
import { Icon } from "../../../icons";
import { openList, say } from "../canvas-store";
import { choiceWords, isChoice, showBytes, type Inspected } from "../../../picture";

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly disabled?: boolean;
  /** Answers why it could not be done, or null. */
  readonly onCommit: (text: string) => Promise<string | null>;
}

/** A text field that commits on Enter or when left, and says what was wrong. */
function Field({ label, value, hint, disabled = false, onCommit }: FieldProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const commit = async (): Promise<void> => {
    if (draft === null || draft.trim() === value) {
      setDraft(null);
      return;
    }
    const answer = await onCommit(draft.trim());
    setWrong(answer);
    if (answer === null) setDraft(null);
  };
  return (
    <label className="node-field">
      <span>{label}</span>
      <input
        value={draft ?? value}
        disabled={disabled}
        spellCheck={false}
        title={hint}
        aria-invalid={wrong !== null}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={() => void commit()}
        onKeyDown={(event) => {
          if (event.key === "Enter") void commit();
          if (event.key === "Escape" && draft !== null) {
            event.stopPropagation();
            setDraft(null);
            setWrong(null);
          }
        }}
      />
      {wrong && <em role="alert">{wrong}</em>}
    </label>
  );
}

/** Name, type, attributes and operands. */
function Facts({ node, editable }: { readonly node: Inspected; readonly editable: boolean }) {
  const { actions } = playground.getState();
  const fixed = !editable || node.locked !== null;
  return (
    <>
      <div className="node-fields">
        {node.name !== null && (
          <Field
            key={`name ${node.id}`}
            label="Name"
            value={node.name}
            disabled={!editable}
            onCommit={(text) => actions.renameNode(node.id, text)}
          />
        )}
        <Field
          key={`type ${node.id}`}
          label="Type"
          value={node.type}
          disabled={!editable || !node.isInput}
          onCommit={(text) => actions.setInputType(node.id, text)}
        />
        {node.attrs.map(({ name, label, value, doc }) => (
          <Field
            key={`${name} ${node.id}`}
            label={label}
            value={value}
            hint={doc}
            disabled={fixed}
            onCommit={(text) => actions.setAttr(node.id, name, text)}
          />
        ))}
      </div>
      {node.operands.length > 0 && (
        <ul className="node-operands" aria-label="Operands">
          {node.operands.map(({ name, from }) => (
            <li key={name}>
              <span>{name}</span>
              <code>{from}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** On a narrow page the numbers stand in another pane. */
function showValues(id: NodeId): void {
  const { actions } = playground.getState();
  actions.select({ kind: "node", id });
  actions.showTab("values");
  actions.showPane("kernels");
}

/** What becomes of a value of the forward pass that the backward pass reads; nothing for others. */
function SavedField({ id }: { readonly id: NodeId }) {
  const compilation = usePlayground((state) => state.derived.compilation);
  const asked = usePlayground((state) => state.savedSheet);
  const nodes = compilation?.naive?.graph.nodes;
  const isRead = [...(nodes?.values() ?? [])].some(({ phase, inputs }) => phase === "backward" && inputs.includes(id));
  const isEarly = nodes?.has(id) === true && nodes.get(id)!.phase !== "backward";
  const waits = isRead && isEarly && asked?.of !== compilation;
  useEffect(() => {
    if (waits) void playground.getState().actions.askSaved();
  }, [waits, compilation]);
  const value = isRead && isEarly ? asked?.sheet?.values.find(({ node }) => node === id) : undefined;
  if (!value) return null;
  return (
    <label className="node-field">
      <span>Backward</span>
      <select
        aria-label={`For the backward pass, ${showBytes(value.bytes)}`}
        value={value.choice ?? ""}
        onChange={({ target }) =>
          playground.getState().actions.chooseSaved(id, isChoice(target.value) ? target.value : null)
        }
      >
        <option value="">by policy, {showBytes(value.bytes)}</option>
        {value.offers.map((offer) => (
          <option key={offer} value={offer}>
            {choiceWords[offer]}
          </option>
        ))}
      </select>
    </label>
  );
}

interface NodeCardProps {
  readonly node: Inspected;
  /** What computes it and where it lives: name and words. */
  readonly facts: readonly (readonly [string, string])[];
  readonly editable: boolean;
  readonly onClose: () => void;
  readonly onRemove: (id: NodeId) => void;
}

export function NodeCard({ node, facts, editable, onClose, onRemove }: NodeCardProps) {
  const { actions } = playground.getState();
  return (
    <article className="canvas-card node-card" aria-label={`${node.title} ${node.id}`}>
      <header>
        <span className="card-kick">{node.isInput ? "Input" : "Op"}</span>
        <button type="button" className="card-close" aria-label="Close" onClick={onClose}>
          <Icon name="cross" size={16} />
        </button>
      </header>
      <h2>{node.isInput ? (node.name ?? node.title) : node.title}</h2>
      {node.formula !== "" && (
        <p>
          <code>{node.formula}</code>
        </p>
      )}
      {node.teaches !== "" && <p>{node.teaches}</p>}
      {facts.length > 0 && (
        <dl className="node-facts">
          {facts.map(([what, words]) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      )}
      <Facts node={node} editable={editable} />
      <SavedField id={node.id} />
      {node.locked && (
        <p className="node-locked">
          {node.locked}{" "}
          <button type="button" disabled={!editable} onClick={() => say(actions.expandCall(node.id))}>
            Expand in text
          </button>
        </p>
      )}
      {node.folds.length > 0 && (
        <p className="node-folds">
          {node.folds.map(({ id, text }) => (
            <button key={id} type="button" onClick={() => actions.setFold(id, "closed")}>
              {text}
            </button>
          ))}
        </p>
      )}
      <footer>
        <button type="button" disabled={!editable} onClick={() => openList({ kind: "connect", from: node.id })}>
          Connect <kbd>C</kbd>
        </button>
        <button type="button" onClick={() => showValues(node.id)}>
          Values <kbd>6</kbd>
        </button>
        <button type="button" disabled={!editable} onClick={() => onRemove(node.id)}>
          Remove <kbd>Del</kbd>
        </button>
      </footer>
    </article>
  );
}
