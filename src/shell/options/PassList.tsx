/** @file The passes in their order: switched on and off, moved by dragging, by Alt and arrows, or by a press. */
import { useLayoutEffect, useRef, useState } from "react";
import { levelOf, orderRefusal, passOrder, passCatalogue, type Level } from "../../fusion";
import { playground, usePlayground, type PlaygroundState } from "../../state";
import { PassRow } from "./PassRow";
import { usePassMoves } from "./use-pass-moves";

const actions = (): PlaygroundState["actions"] => playground.getState().actions;
const MAX_LEVEL: Level = 3;
const byName = new Map(passCatalogue.map((pass) => [pass.name, pass]));
const usual = passOrder().join();

/** The order as the person moves it; what can't run is refused in words. */
function useOrder() {
  const given = usePlayground(({ document }) => document.options.order);
  const order = passOrder(given);
  const [refused, setRefused] = useState<string | null>(null);
  const move = (name: string, index: number): void => {
    const wanted = movedTo(order, name, index);
    const refusal = orderRefusal(wanted);
    setRefused(refusal?.text ?? null);
    if (!refusal && wanted.join() !== order.join()) actions().setOrder(wanted);
  };
  return { order, refused, move };
}

function Note({ order }: { readonly order: readonly string[] }) {
  const disabled = usePlayground(({ document }) => document.options.disabledPasses.length > 0);
  return (
    <p className="passes-note">
      Drag a pass, or press Alt with an arrow key, to move it.
      {order.join() !== usual && (
        <button type="button" className="link-button" onClick={() => actions().setOrder(passOrder())}>
          Default order
        </button>
      )}
      {disabled && (
        <button type="button" className="link-button" onClick={() => actions().setOptions({ disabledPasses: [] })}>
          All on
        </button>
      )}
    </p>
  );
}

export function PassList() {
  const { order, refused, move } = useOrder();
  const disabled = usePlayground(({ document }) => document.options.disabledPasses);
  const level = usePlayground(({ document }) => document.options.level ?? MAX_LEVEL);
  const list = useRef<HTMLOListElement>(null);
  const focused = useRef<Element | null>(null);
  // A row that moves in the document loses the focus it had.
  useLayoutEffect(() => {
    if (focused.current instanceof HTMLElement) focused.current.focus();
    focused.current = null;
  });
  const shift = (name: string, by: 1 | -1): void => {
    focused.current = document.activeElement;
    move(name, order.indexOf(name) + (by === 1 ? 2 : -1));
  };
  const landing = usePassMoves(list, move, shift);
  const dropAt = (index: number): "before" | "after" | undefined =>
    landing === index ? "before" : landing === order.length && index === order.length - 1 ? "after" : undefined;
  return (
    <fieldset className="option passes">
      <legend>Passes, in order</legend>
      <Note order={order} />
      <p className="dialog-refusal passes-refusal" role="status" hidden={refused === null}>
        {refused}
      </p>
      <ol ref={list}>
        {order.map((name, index) => (
          <PassRow
            key={name}
            pass={byName.get(name)!}
            index={index}
            on={!disabled.includes(name)}
            from={levelOf(name) > level ? levelOf(name) : null}
            drop={dropAt(index)}
            onToggle={() => actions().togglePass(name)}
            disabled={disabled}
            onRules={(switches, on) => {
              const others = disabled.filter((each) => !switches.includes(each));
              actions().setOptions({ disabledPasses: on ? others : [...others, ...switches] });
            }}
            onShift={(by) => shift(name, by)}
          />
        ))}
      </ol>
    </fieldset>
  );
}

/** `name` before the pass that now stands at `index`, counted from 0; at the end when none does. */
function movedTo(order: readonly string[], name: string, index: number): string[] {
  const from = order.indexOf(name);
  const others = order.filter((other) => other !== name);
  return others.toSpliced(Math.max(0, index > from ? index - 1 : index), 0, name);
}
