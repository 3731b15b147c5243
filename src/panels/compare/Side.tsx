/** @file One side of a comparison: what it is, its counts, its graph, its steps. */
import { useMemo, type CSSProperties } from "react";
import type { AlignedStep, Compilation, Plan } from "../../fusion";
import { recordOf, type World } from "../../document";
import { usePlayground, type Layout } from "../../state";
import { sumsAt } from "../model/plan/compare";
import { tallyOf, type Tally } from "../model/plan/score";
import { count, showBytes } from "../model/units";
import type { Mark, Still } from "../still";
import { useSize } from "../use-size";
import { chosenOf, planChoices, programChoices, worldOf, type Surroundings } from "./choices";

interface ChoiceProps {
  readonly which: "First" | "Second";
  readonly world: World;
  readonly around: Surroundings;
  readonly onChange: (world: World) => void;
}

/** Program and plan of a side, each one list. */
export function SideChoice({ which, world, around, onChange }: ChoiceProps) {
  const { program, plan } = chosenOf(world, around);
  const [programs, plans] = [programChoices(around), planChoices(around)];
  const groups = [...new Set(plans.map(({ group }) => group))];
  return (
    <div className="compare-choice">
      <select
        className="field"
        aria-label={`${which} side: program`}
        value={program?.id ?? ""}
        onChange={({ target }) => {
          const chosen = programs.find(({ id }) => id === target.value);
          if (chosen) onChange(worldOf(chosen, plan ?? plans[0]!));
        }}
      >
        {!program && <option value="">a linked program</option>}
        {programs.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <select
        className="field"
        aria-label={`${which} side: plan`}
        value={plan?.id ?? ""}
        onChange={({ target }) => {
          const chosen = plans.find(({ id }) => id === target.value);
          if (chosen) onChange(worldOf(program ?? programs[0]!, chosen));
        }}
      >
        {!plan && <option value="">other choices</option>}
        {groups.map((group) => (
          <optgroup key={group} label={group}>
            {plans
              .filter((each) => each.group === group)
              .map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </div>
  );
}

function Counts({ compilation, cursor }: { readonly compilation: Compilation; readonly cursor: number }) {
  const totals = sumsAt(compilation, cursor);
  if (!totals) return null;
  const [value, unit] = showBytes(totals.bytes).split(" ") as [string, string];
  const shown = [
    ["Kernels", count(totals.kernels), ""],
    ["Transfers", tallyOf(compilation.naivePlan?.totals ?? totals).text(totals), ""],
    ["Traffic", value, unit],
  ] as const;
  return (
    <dl className="compare-counts">
      {shown.map(([name, number, of]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {number} {of && <small>{of}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface StripProps {
  readonly aligned: readonly AlignedStep[];
  readonly side: "before" | "after";
  readonly shown: number;
  /** Transfers before the first step, and the most that a column of either side stands for. */
  readonly tallest: number;
  readonly tally: Tally;
  readonly onShow: (shown: number) => void;
}

/** px of the strip, and what stays free above the columns for marks. */
const [HEIGHT, MARKS] = [56, 18];

/** One of the common steps on one side. */
function Column({
  each,
  side,
  tallest,
  tally,
  at,
  state,
}: Pick<StripProps, "side" | "tallest" | "tally"> & ColumnProps) {
  const { x, pitch } = at;
  const step = each[side];
  const wide = Math.max(1, pitch * 0.7);
  const left = x + (pitch - wide) / 2;
  const tall = step ? Math.max(3, (tally.of(step.totals) / tallest) * (HEIGHT - MARKS)) : 3;
  return (
    <g className={`strip-${state}`}>
      {state === "now" && <rect className="strip-slot" x={x} y={0} width={pitch} height={HEIGHT} rx={4} />}
      {step ? (
        <rect
          className={step.accepted ? "strip-bar" : "strip-refused"}
          x={left}
          y={HEIGHT - tall}
          width={wide}
          height={tall}
          rx={Math.min(3, wide / 3)}
        />
      ) : (
        <path className="strip-absent" d={`M${left} ${HEIGHT - 1.5}h${wide}`} />
      )}
      {each.change &&
        (pitch >= 12 ? (
          <text className="strip-differs" x={x + pitch / 2} y={HEIGHT - tall - 5} textAnchor="middle">
            ≠
          </text>
        ) : (
          <rect className="strip-tick" x={left} y={0} width={wide} height={5} />
        ))}
    </g>
  );
}

interface ColumnProps {
  readonly each: AlignedStep;
  /** px: left edge and width of its slot. */
  readonly at: { readonly x: number; readonly pitch: number };
  readonly state: "past" | "now" | "future";
}

/** The common steps as columns: height = transfers left; dashed where this side did not take the step. */
function Strip({ aligned, side, shown, tallest, tally, onShow, name }: StripProps & { readonly name: string }) {
  const [host, { width }] = useSize();
  const pitch = aligned.length > 0 ? Math.min(34, width / aligned.length) : 0;
  return (
    <div ref={host} className="compare-strip">
      {pitch > 0 && (
        <>
          <svg width={width} height={HEIGHT} aria-hidden="true">
            {aligned.map((each, i) => (
              <Column
                key={i}
                {...{ each, side, tallest, tally }}
                at={{ x: i * pitch, pitch }}
                state={i + 1 === shown ? "now" : i + 1 < shown ? "past" : "future"}
              />
            ))}
          </svg>
          <input
            type="range"
            aria-label={`Step of both, drawn for ${name}`}
            min={1}
            max={aligned.length}
            value={Math.max(1, shown)}
            style={{ width: pitch * aligned.length, "--pitch": `${pitch}px` } as CSSProperties}
            onChange={({ target }) => onShow(Number(target.value))}
          />
        </>
      )}
    </div>
  );
}

interface Props extends StripProps {
  readonly Still: Still;
  readonly which: "First" | "Second";
  readonly name: string;
  readonly world: World;
  readonly around: Surroundings;
  readonly onChange: (world: World) => void;
  readonly compilation: Compilation | null;
  readonly layout: Layout | null;
  readonly cursor: number;
  /** Of the state at the cursor; null while it is made. */
  readonly plan: Plan | null;
  readonly marks: readonly Mark[];
  readonly onMark: (key: string) => void;
}

const NOTHING_MOVED = recordOf<never>();

export function Side(props: Props) {
  const { which, name, world, around, onChange, compilation, layout, cursor } = props;
  return (
    <section className="compare-side" aria-label={`${which} side: ${name}`} data-pane={`side-${which}`} tabIndex={-1}>
      <header>
        <h3 title={name}>{name}</h3>
        <SideChoice {...{ which, world, around, onChange }} />
        {compilation && <Counts compilation={compilation} cursor={cursor} />}
      </header>
      <div className="compare-graph">
        {compilation && layout && <Graph {...props} compilation={compilation} layout={layout} />}
      </div>
      <Strip {...props} />
    </section>
  );
}

function Graph(props: Props & { readonly compilation: Compilation; readonly layout: Layout }) {
  const { Still, name, compilation, layout, cursor, plan, marks, onMark } = props;
  const document = usePlayground((state) => state.document);
  // Ops that were moved by hand stand there on both sides, where both show that program.
  const moved = useMemo(
    () => (compilation.text === document.text ? document.positions : NOTHING_MOVED),
    [compilation, document],
  );
  const kernels = sumsAt(compilation, cursor)?.kernels ?? 0;
  const label = `Op graph, ${name}: ${kernels} ${kernels === 1 ? "kernel" : "kernels"}`;
  return <Still {...{ compilation, cursor, plan, layout, moved, folds: "crowded" as const, label, marks, onMark }} />;
}
