/** @file Comma-separated values, as spreadsheets read them. */

export type Cell = string | number | null;

/** A cell of a table: quoted where it must be, and never a formula of a spreadsheet. Numbers keep six digits. */
function cell(value: Cell): string {
  if (value === null) return "";
  const text = typeof value === "number" ? String(Number(value.toPrecision(6))) : value;
  const safe = typeof value === "string" && /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line a row. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => row.map(cell).join(",")).join("\n");
