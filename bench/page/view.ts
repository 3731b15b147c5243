/** @file The page's elements: the setting, the table as it grows, what is copied. */
import { copyText } from "../../src/panels/copy-text";
import { cellText, csvOf, jsonOf, markdownOf, settingLines, type Row, type Setting, type Table } from "./table";

const find = <T extends Element>(selector: string): T => document.querySelector<T>(selector)!;

const element = (name: string, text = ""): HTMLElement => {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
};

export const say = (text: string): void => {
  find("#status").textContent = text;
};

/** The form as it stands when it is sent; it waits while a run goes on. */
export function onStart(run: (divide: number) => Promise<void>): void {
  const form = find<HTMLFormElement>("#start");
  const button = find<HTMLButtonElement>("#start button");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    button.disabled = true;
    void run(Number(new FormData(form).get("divide")))
      .catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        button.disabled = false;
      });
  });
}

export const offerDivide = (divide: number): void => {
  find<HTMLSelectElement>("#start select").value = String(divide);
};

export function begin(setting: Setting): void {
  find<HTMLElement>("#results").hidden = false;
  find("#setting").replaceChildren(...settingLines(setting).map((line) => element("li", line)));
  const head = element("tr");
  const names = ["program", ...setting.contenders.map(({ name }) => name)].map((name) => element("th", name));
  for (const name of names) name.setAttribute("scope", "col");
  head.append(...names);
  find("thead").replaceChildren(head);
  find("tbody").replaceChildren();
}

export function addRow({ program, text, cells }: Row): void {
  const row = element("tr");
  const name = element("th", program);
  name.setAttribute("scope", "row");
  name.title = text;
  const best = Math.min(...cells.filter(({ problem }) => problem === null).map(({ median }) => median));
  row.append(
    name,
    ...cells.map((cell) => {
      const { problem, median, apart } = cell;
      const made = element("td", cellText(cell));
      if (problem !== null) made.dataset["problem"] = "";
      else made.title = `${apart.toExponential(1)} away from our naive plan's answer`;
      if (problem === null && median === best) made.dataset["best"] = "";
      return made;
    }),
  );
  find("tbody").append(row);
}

const forms = { markdown: markdownOf, csv: csvOf, json: jsonOf };

/** Buttons that copy the table as it is then. */
export function offerCopies(table: () => Table | null): void {
  for (const [form, textOf] of Object.entries(forms)) {
    find(`[data-copy="${form}"]`).addEventListener("click", () => {
      const now = table();
      if (now) void copyText(textOf(now)).then((done) => say(done ? "Copied." : "The browser refused to copy."));
    });
  }
}
