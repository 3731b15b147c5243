/** @file The kernel's text with the line that runs, and what each thread does there. */
import { useEffect, useRef } from "react";
import type { RecordedMoment } from "../../fusion";
import { cellText } from "../heat";

export function TextAt({ wgsl, line }: { readonly wgsl: string; readonly line: number | null }) {
  const shown = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const list = shown.current?.closest<HTMLElement>(".inside-text");
    if (!shown.current || !list) return;
    // Only the list scrolls, never the page.
    const [top, height] = [shown.current.offsetTop, list.clientHeight];
    if (top < list.scrollTop + 40 || top > list.scrollTop + height - 60) list.scrollTop = top - height / 2;
  }, [line]);
  return (
    // What does not fit is scrolled with the arrow keys, too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="inside-text" role="group" tabIndex={0} aria-label="WGSL of this kernel">
      <ol>
        {wgsl
          .trimEnd()
          .split("\n")
          .map((text, i) => (
            <li
              key={i}
              ref={i + 1 === line ? shown : null}
              className={i + 1 === line ? "now" : undefined}
              aria-current={i + 1 === line ? "step" : undefined}
            >
              <code>{text || " "}</code>
            </li>
          ))}
      </ol>
    </div>
  );
}

/** Threads that are listed. */
const MAX_THREADS = 8;

export function MomentTable({ moment }: { readonly moment: RecordedMoment }) {
  const { threads, at, from, memory, width, values, doing, register } = moment;
  if (doing === "barrier") return null;
  const cell = (first: number): string =>
    first < 0 ? "nothing" : `${memory}[${first}${width > 1 ? ` … ${first + width - 1}` : ""}]`;
  const touches = (i: number): string => {
    if (doing === "shuffle") return `thread ${from[i]!}`;
    if (at.length === 0) return register;
    return from.length > 0 ? `${cell(at[i]!)}, ${memory}[${from[i]!}]` : cell(at[i]!);
  };
  return (
    <div className="inside-table">
      <table>
        <caption>
          This moment{threads.length > MAX_THREADS ? `, the first ${MAX_THREADS} of ${threads.length} threads` : ""}
        </caption>
        <thead>
          <tr>
            <th scope="col">Thread</th>
            <th scope="col">{at.length > 0 || doing === "shuffle" ? "Touches" : "Sets"}</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {Array.from(threads.subarray(0, MAX_THREADS), (thread, i) => (
            <tr key={thread}>
              <th scope="row">{thread}</th>
              <td>
                <code>{touches(i)}</code>
              </td>
              <td>{Array.from(values.subarray(i * width, (i + 1) * width), cellText).join(" ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
