/** @file The numbers of the selected value: a heat map with its statistics, and how far the shown plan is from the naive one. */
import { useEffect, useMemo, useRef, useState } from "react";
import {
  coordinatesOf,
  findNode,
  innerName,
  isPartials,
  parseEdgeId,
  showType,
  splitMade,
  type NodeId,
  type ShownValues,
} from "../../fusion";
import { hasValue, playground, usePlayground, type PlaygroundState } from "../../state";
import { cellAt, drawCell, gridOf, heatPalette, scaleOf, type CellGrid } from "../heat";
import { count, plural, significant } from "../model/units";
import { apartOf, statisticsOf, toldApart } from "../model/kernel/values";
import { useSize } from "../use-size";
import { useShownKernel } from "./use-shown-kernel";
import "./card-views.css";
import "./values.css";

/** The selected op, or where the selected edge begins, where the program has it. */
function selectedNode(state: PlaygroundState): NodeId | null {
  const { selection } = state;
  const id = selection.kind === "node" ? selection.id : null;
  const node = selection.kind === "edge" ? (parseEdgeId(selection.id)?.producer ?? null) : id;
  return node !== null && hasValue(state, node) ? node : null;
}

/** Null while the worker computes. */
function useNumbers(node: NodeId | null): ShownValues | string | null {
  const compilation = usePlayground((state) => state.derived.compilation);
  const cursor = usePlayground((state) => state.cursor);
  const key = useMemo(() => ({ compilation, cursor, node }), [compilation, cursor, node]);
  const [found, setFound] = useState<{ readonly key: unknown; readonly answer: ShownValues | string } | null>(null);
  useEffect(() => {
    let wanted = true;
    if (key.node !== null && key.compilation)
      void playground
        .getState()
        .actions.numbersOf(key.node)
        .then((answer) => wanted && setFound({ key, answer }));
    return () => {
      wanted = false;
    };
  }, [key]);
  return found?.key === key ? found.answer : null;
}

const views = ["shown", "naive", "reference", "difference"] as const;
type View = (typeof views)[number];
const TITLES: Readonly<Record<View, string>> = {
  shown: "This step",
  naive: "Naive",
  reference: "Reference, f64",
  difference: "Difference",
};

/** px */
const [MAX_WIDTH, MAX_HEIGHT] = [56, 22];

function Heat({
  values,
  shape,
  words,
}: {
  readonly values: ArrayLike<number>;
  readonly shape: readonly number[];
  readonly words: string;
}) {
  const [host, { width }] = useSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = usePlayground((state) => state.shownTheme);
  const [pointed, setPointed] = useState<number | null>(null);
  const { columns, rows } = gridOf(shape);
  const cellWidth = Math.min(MAX_WIDTH, width / columns);
  const cellHeight = Math.max(2, Math.min(MAX_HEIGHT, Math.max(cellWidth, 320 / rows)));
  const height = Math.ceil(rows * cellHeight);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!canvas.current || !context || width === 0) return;
    const scale = window.devicePixelRatio || 1;
    canvas.current.width = Math.round(width * scale);
    canvas.current.height = Math.round(height * scale);
    context.scale(scale, scale);
    const palette = heatPalette(canvas.current);
    const range = scaleOf(values);
    const grid: CellGrid = { x: 0, y: 0, columns, rows, cellWidth, cellHeight };
    for (let i = 0; i < values.length; i++) drawCell(context, cellAt(grid, i), grid, values[i]!, range, palette);
  }, [values, width, height, columns, rows, cellWidth, cellHeight, theme]);
  const at = (x: number, y: number): number | null => {
    const element = Math.floor(y / cellHeight) * columns + Math.floor(x / cellWidth);
    return x >= 0 && x < columns * cellWidth && element < values.length ? element : null;
  };
  return (
    <div ref={host} className="values-heat">
      <canvas
        ref={canvas}
        role="img"
        aria-label={words}
        style={{ width, height }}
        onPointerMove={({ nativeEvent: { offsetX, offsetY } }) => setPointed(at(offsetX, offsetY))}
        onPointerLeave={() => setPointed(null)}
      />
      <p>
        {pointed === null
          ? "Rows along the last axis; the larger the number, the darker the cell. Point at a cell for its number."
          : `[${coordinatesOf(pointed, shape).join(", ")}] = ${significant(values[pointed]!, 7)}`}
      </p>
    </div>
  );
}

function Statistics({ values }: { readonly values: ArrayLike<number> }) {
  const { elements, least, largest, mean, nan, infinite } = statisticsOf(values);
  const number = (value: number | null): string => (value === null ? "none" : significant(value, 5));
  const of = nan + infinite > 0 ? " of the finite" : "";
  const rows: readonly (readonly [string, string, boolean?])[] = [
    ["Elements", count(elements)],
    [`Least${of}`, number(least)],
    [`Largest${of}`, number(largest)],
    [`Mean${of}`, number(mean)],
    ["NaN", count(nan), nan > 0],
    ["Infinite", count(infinite), infinite > 0],
  ];
  return (
    <dl className="values-statistics">
      {rows.map(([name, text, wrong = false]) => (
        <div key={name} data-wrong={wrong}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How far the shown plan is from the naive one, or why nothing can be compared. */
function apartWords({ naive, shown, type }: ShownValues): string {
  if (!naive) return "The naive plan of this step's graph has no such value: a rewrite made it.";
  if (!shown) return "At this step the value stays in registers: no kernel stores it, so there is nothing to compare.";
  const { different, worst } = apartOf(naive, shown);
  if (worst === null) return "This step and the naive plan hold the same numbers, bit for bit.";
  const where = coordinatesOf(worst, type.shape).join(", ");
  const [one, other] = toldApart(naive[worst]!, shown[worst]!);
  return `${plural(different, "element")} of ${count(naive.length)} ${different === 1 ? "differs" : "differ"} from the naive plan's, most at [${where}]: naive ${one}, this step ${other}, ${significant(Math.abs(naive[worst]! - shown[worst]!), 2)} apart.`;
}

function Numbers({ numbers }: { readonly numbers: ShownValues }) {
  const { naive, shown, reference, type, smaller } = numbers;
  const difference = useMemo(() => (naive && shown ? apartOf(naive, shown).distance : null), [naive, shown]);
  const all: Readonly<Record<View, Float64Array | null>> = { shown, naive, reference, difference };
  const [asked, setAsked] = useState<View>("shown");
  const view = all[asked] ? asked : all.shown ? "shown" : "reference";
  const values = all[view]!;
  return (
    <>
      <p className="values-about">
        <code>{innerName(numbers.node)}</code> {showType(type)}
        {smaller && ", at a smaller size than the program's"}. Inputs are drawn from their seeds; plans run in f32.
      </p>
      <div className="card-views" role="group" aria-label="Whose numbers">
        {views.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === view}
            disabled={all[each] === null}
            onClick={() => setAsked(each)}
          >
            {TITLES[each]}
          </button>
        ))}
      </div>
      <Statistics values={values} />
      <Heat
        values={values}
        shape={type.shape}
        words={`Heat map of ${numbers.node}, ${TITLES[view].toLowerCase()}, ${showType(type)}`}
      />
      <p className="values-apart">{apartWords(numbers)}</p>
    </>
  );
}

export function ValuesTab() {
  const { kernel, fusion } = useShownKernel();
  const selected = usePlayground(selectedNode);
  const stored = kernel?.writes[0]?.value ?? null;
  // What is left for a later launch is no value of the graph: that which it is joined into is.
  const node = selected ?? (stored && isPartials(stored) ? splitMade(stored).of : stored);
  const numbers = useNumbers(node);
  if (node === null) return <p className="kernel-none">Select an op or an edge to see its numbers.</p>;
  const title = (fusion && findNode(fusion.graph, node)?.op) ?? "";
  return (
    <div className="kernel-scroll values" aria-label={`Values of ${node} ${title}`} role="group">
      {typeof numbers === "string" ? (
        <p className="kernel-none">{numbers}</p>
      ) : numbers ? (
        <Numbers key={node} numbers={numbers} />
      ) : (
        <p className="kernel-none" role="status">
          Computing the numbers…
        </p>
      )}
      {selected === null && (
        <p className="values-apart">
          {stored === node
            ? "This is what the shown kernel stores."
            : "The shown kernel stores partial results; the next one joins them into these numbers."}{" "}
          Select an op or an edge to see its numbers.
        </p>
      )}
    </div>
  );
}
