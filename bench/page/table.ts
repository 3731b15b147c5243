/** @file The page's table as Markdown, CSV and JSON. */
import type { Cell } from "./measure";

/** What a table is worth only together with. */
export interface Setting {
  readonly date: string;
  readonly browser: string;
  readonly adapter: string;
  readonly clock: string;
  readonly quantumMicros: number;
  /** Every extent is divided by this. */
  readonly divide: number;
  /** Names and versions of the libraries. */
  readonly contenders: readonly { readonly name: string; readonly version: string }[];
}

export interface Row {
  readonly program: string;
  readonly text: string;
  readonly cells: readonly Cell[];
}

export interface Table {
  readonly setting: Setting;
  readonly rows: readonly Row[];
}

const millis = (value: number): string => (value < 1000 ? value.toPrecision(3) : value.toFixed(0));
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** `0.123 ms ± 4 %`, or why there is none. */
export const cellText = ({ problem, median, spread }: Cell): string =>
  problem === null ? `${millis(median)} (${percent(spread)})` : problem;

export const settingLines = ({
  date,
  browser,
  adapter,
  clock,
  quantumMicros,
  divide,
  contenders,
}: Setting): string[] => [
  `${date}, ${browser}`,
  `Adapter: ${adapter}`,
  `Clock: ${clock}, in steps of ${Number(quantumMicros.toPrecision(2))} µs`,
  ...(divide === 1 ? [] : [`Every extent is divided by ${divide}.`]),
  contenders
    .filter(({ version }) => version !== "")
    .map(({ name, version }) => `${name} ${version}`)
    .join(", "),
];

const markdownCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** Medians in ms with their spread in brackets. */
export function markdownOf({ setting, rows }: Table): string {
  const names = setting.contenders.map(({ name }) => name);
  const lines = [
    ["ms of one run", ...names],
    ["---", ...names.map(() => "---:")],
    ...rows.map(({ program, cells }) => [program, ...cells.map(cellText)]),
  ];
  const table = lines.map((cells) => `| ${cells.map(markdownCell).join(" | ")} |`).join("\n");
  return `${settingLines(setting).join("  \n")}\n\n${table}\n`;
}

const csvCell = (value: string | number): string => {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One line for each program and library. */
export function csvOf({ setting, rows }: Table): string {
  const { date, browser, adapter, quantumMicros, divide } = setting;
  const head =
    "program,library,version,median ms,spread,runs a sample,apart,problem,date,browser,adapter,clock step µs,divided by";
  const lines = rows.flatMap(({ program, cells }) =>
    cells.map(({ contender, median, spread, runs, apart, problem }) => {
      const version = setting.contenders.find(({ name }) => name === contender)?.version ?? "";
      const own = [program, contender, version, median, spread, runs, apart, problem ?? ""];
      return [...own, date, browser, adapter, quantumMicros, divide].map(csvCell).join(",");
    }),
  );
  return `${[head, ...lines].join("\n")}\n`;
}

export const jsonOf = (table: Table): string => `${JSON.stringify(table, null, 1)}\n`;
