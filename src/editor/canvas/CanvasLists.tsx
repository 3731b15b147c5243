/** @file The one open list over the canvas: palette, transforms, outline or connection. */
import { findNode, showType, type Graph, type NodeId, type TransformName } from "../../fusion";
import { Palette } from "./Palette";
import { useCanvas, closeList, say } from "./canvas-store";
import { type Picture, nameIn, waitingOf, type Scene } from "../../picture";
import { useMemo, useState } from "react";
import { playground, usePlayground } from "../../state";
import { ListBox } from "./ListBox";
import { connectOn } from "./moves/connect-on";
import { choicesOf, sourcesOf, targetsOf, titled } from "./targets";

interface ListsProps {
  readonly picture: Picture | null;
  readonly graph: Graph | null;
  readonly onJump: (id: NodeId) => void;
}

export function CanvasLists({ picture, graph, onJump }: ListsProps) {
  const list = useCanvas((s) => s.list);
  switch (list.kind) {
    case "none":
      return null;
    case "palette":
      return <Palette at={list.at} from={list.from ?? null} />;
    case "transforms":
      return <Transforms />;
    case "outline":
      return picture && <Outline scene={picture.scene} onJump={onJump} />;
    case "connect":
      return graph && <ConnectList picture={picture} graph={graph} from={list.from} />;
  }
}

interface ConnectProps {
  readonly picture: Picture | null;
  readonly graph: Graph;
  readonly from: NodeId;
}

/** An operand and the value to put into it, as a row of the list. */
interface Connection {
  readonly producer: NodeId;
  readonly consumer: NodeId;
  readonly operand: number;
  readonly heading: string | null;
  readonly text: string;
  readonly detail: string;
}

/** What can be connected to or from `op`: values for its own empty operands, then the operands that take its result. */
function connectionsOf(graph: Graph, text: string, op: NodeId): readonly Connection[] {
  const waiting = waitingOf(graph);
  const sources = sourcesOf(text, op).map(({ argument, ...source }) => {
    const type = findNode(graph, source.producer)?.type;
    return {
      ...source,
      heading: `Into operand ${argument + 1} of ${nameIn(graph, op)}`,
      text: titled(nameIn(graph, source.producer), source.producer),
      detail: !type || waiting.has(source.producer) ? "not known yet" : showType(type),
    };
  });
  const heading = sources.length > 0 ? `The result of ${nameIn(graph, op)} into` : null;
  const choices = choicesOf(graph, targetsOf(text, op));
  return [...sources, ...choices.map(({ now, ...choice }) => ({ ...choice, producer: op, heading, detail: now }))];
}

/** Connecting without a mouse: empty operands first; Enter connects. */
function ConnectList({ picture, graph, from }: ConnectProps) {
  const text = usePlayground((s) => s.document.text);
  const [query, setQuery] = useState("");
  const all = useMemo(() => connectionsOf(graph, text, from), [graph, text, from]);
  const wanted = query.trim().toLowerCase();
  const shown = all.filter((each) => each.text.toLowerCase().includes(wanted));
  const name = nameIn(graph, from);
  const title = all[0]?.heading ? `Connect ${name}` : `Connect ${name} to`;
  return (
    <ListBox
      title={title}
      placeholder={`${title} …`}
      entries={shown.map(({ producer, consumer, operand, heading, ...said }) => ({
        key: `${producer} ${consumer} ${operand}`,
        heading,
        row: (
          <>
            <b>{said.text}</b>
            <code>{said.detail}</code>
          </>
        ),
      }))}
      empty={all.length === 0 ? "No operand takes this shape and type." : "No matching operand."}
      onSearch={setQuery}
      onClose={closeList}
      onTake={(index) => {
        const { producer, consumer, operand } = shown[index]!;
        connectOn(picture, producer, consumer, operand);
        closeList();
      }}
    />
  );
}

/** The graph as a list: every op with its type and kernel, to read and to jump to. */
function Outline({ scene, onJump }: { readonly scene: Scene; readonly onJump: (id: NodeId) => void }) {
  const [query, setQuery] = useState("");
  const shown = scene.nodes.filter(({ label }) => label.toLowerCase().includes(query.trim().toLowerCase()));
  return (
    <ListBox
      title="Outline of ops"
      placeholder="Find an op"
      entries={shown.map(({ id, label }) => ({ key: id, row: <span>{label}</span> }))}
      empty="No matching op."
      onSearch={setQuery}
      onClose={closeList}
      onTake={(index) => {
        closeList();
        onJump(shown[index]!.id);
      }}
    />
  );
}

const transforms: readonly (readonly [name: TransformName, formula: string, says: string])[] = [
  ["grad", "∂f/∂w", "The derivative of what the program returns, by its parameters or inputs."],
  ["value_and_grad", "f, ∂f/∂w", "The same, with the value itself."],
  ["vjp", "f, v·J", "Reverse mode: how each input changes a weighted sum of the results."],
  ["jvp", "f, J·v", "Forward mode: how the results change when the inputs change in one direction."],
  ["vmap", "f for each x", "The program for 8 examples at once; parameters stay as they are."],
];

/** The program differentiated or batched as a whole: each is an edit of the text that undo takes back. */
function Transforms() {
  const [query, setQuery] = useState("");
  const shown = transforms.filter(([name, , says]) =>
    `${name} ${says}`.toLowerCase().includes(query.trim().toLowerCase()),
  );
  return (
    <ListBox
      title="Transform the program"
      placeholder="Transform: grad, vjp, vmap …"
      entries={shown.map(([name, formula, says]) => ({
        key: name,
        row: (
          <>
            <span aria-hidden="true" />
            <b>{name}</b>
            <code>{formula}</code>
            <small>{says}</small>
          </>
        ),
      }))}
      empty="No matching transform."
      onSearch={setQuery}
      onClose={closeList}
      onTake={(index) => {
        say(playground.getState().actions.transform(shown[index]![0]));
        closeList();
      }}
    />
  );
}
