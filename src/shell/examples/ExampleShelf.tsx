/** @file One chapter of the examples' list. */
import type { ReactNode } from "react";
import { variantId } from "../../lessons";
import { usePlayground } from "../../state";
import { TrafficBars } from "../TrafficBars";
import { entryId, levelWords, type Shelf, type ShownExample } from "./example-shelves";
import { Icon } from "../../icons";

/** The element of an entry; ids of variants have a slash, those of the first shelf a colon. */
export const optionId = (id: string): string => `example-${id.replace("/", "--").replace(":", "-")}`;

interface Choosing {
  /** The entry that the keys are at. */
  readonly active: string | undefined;
  /** The entry that is open. */
  readonly shown: string | null;
  readonly onHover: (id: string) => void;
  readonly onChoose: (id: string) => void;
}

interface EntryProps extends Choosing {
  readonly id: string;
  readonly className: string;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

function Entry({ id, className, title, children, active, shown, onHover, onChoose }: EntryProps) {
  return (
    <div
      id={optionId(id)}
      role="option"
      aria-selected={id === active}
      tabIndex={-1}
      className={className}
      title={title}
      data-open={id === shown}
      onPointerMove={() => onHover(id)}
      onClick={() => onChoose(id)}
      onKeyDown={undefined}
    >
      {children}
      {id === shown && (
        <span className="picker-open">
          <Icon name="check" size={14} />
          <span className="offscreen">open now</span>
        </span>
      )}
    </div>
  );
}

function Row({ row, ...choosing }: { readonly row: ShownExample } & Choosing) {
  const { example, variants, first } = row;
  const totals = usePlayground((state) => state.lessonTotals.get(example.id));
  return (
    <>
      <Entry id={entryId(row)} className="picker-entry" {...choosing}>
        <b>{first ?? example.title}</b>
        <span className="picker-sentence">{first ? example.title : example.sentence}</span>
        <span className="picker-counts">
          <TrafficBars totals={totals} />
          {totals && (
            <small>
              kernels {totals.naive.kernels} → {totals.fused.kernels}{" "}
              <span
                className="picker-level"
                title="The highest optimisation level among the passes that fused it (Options)"
              >
                {levelWords(totals.level)}
              </span>
            </small>
          )}
        </span>
      </Entry>
      {variants.length > 0 && (
        <div className="picker-variants" role="presentation">
          {variants.map((variant) => (
            <Entry
              key={variant.id}
              id={variantId(example, variant)}
              className="picker-variant"
              title={variant.sentence}
              {...choosing}
            >
              {variant.title}
            </Entry>
          ))}
        </div>
      )}
    </>
  );
}

export function ExampleShelf({ shelf: { chapter, shown: rows }, ...choosing }: { readonly shelf: Shelf } & Choosing) {
  return (
    <div role="group" aria-labelledby={`shelf-${chapter.id}`} className="picker-shelf">
      <div id={`shelf-${chapter.id}`} className="picker-heading" role="presentation">
        {chapter.title}
      </div>
      {rows.map((row) => (
        <Row key={entryId(row)} row={row} {...choosing} />
      ))}
    </div>
  );
}
