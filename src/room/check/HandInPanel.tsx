/** @file One link or text for the teacher: what this laptop is, its times, and, if wanted, predictions and solved tasks. */
import { useEffect, useMemo, useState } from "react";
import { timingOf } from "../../panels";
import { pageAddress, selectTitle, usePlayground, type LaptopCheck, type PlaygroundState } from "../../state";
import { CopyButton } from "../CopyButton";
import { courseTally, encodeHandIn, type HandIn, type TimeResult } from "../hand-in";
import { QrCode } from "../QrCode";
import { benchTimes, handInLine, laptopResult } from "./verdict";

/** Medians of the run that the person made, under its program's name. */
function ownRun({ run, document }: PlaygroundState): TimeResult | null {
  if (run.status !== "done" || run.run.text !== document.text) return null;
  const { result } = run.run;
  const [naive, fused] = [timingOf(result, "naive", null), timingOf(result, "fused", null)];
  const title = selectTitle({ document }) ?? "own program";
  return fused && { title, naive: naive?.median ?? null, fused: fused.median };
}

export function HandInPanel({ check }: { readonly check: LaptopCheck | null }) {
  const progress = usePlayground((state) => state.courseProgress);
  const run = usePlayground((state) => state.run);
  const document = usePlayground((state) => state.document);
  const [name, setName] = useState("");
  const [withCourse, setWithCourse] = useState(true);
  const [link, setLink] = useState("");
  const { asked, solved } = courseTally(progress);
  const handIn = useMemo<Omit<HandIn, "when">>(
    () => ({
      name: name.trim(),
      laptop: laptopResult(check),
      times: [check && benchTimes(check), ownRun({ run, document } as PlaygroundState)].filter((each) => each !== null),
      course: withCourse ? progress : new Map(),
    }),
    [check, progress, run, document, name, withCourse],
  );
  useEffect(() => {
    let open = true;
    void encodeHandIn({ ...handIn, when: Date.now() }).then((encoded) => {
      if (open) setLink(encoded.ok ? pageAddress().base + encoded.value : "");
    });
    return () => {
      open = false;
    };
  }, [handIn]);
  const line = handInLine(handIn);
  if (check?.status === "checking") return null;
  return (
    <section className="room-panel" aria-label="Hand in">
      <h2>Hand in</h2>
      <div className="hand-in">
        {link && <QrCode text={link} name="QR code of this result" />}
        <div className="hand-in-side">
          <p>The teacher scans it, or you send the text. Nothing is sent from here.</p>
          <label className="hand-in-name">
            Name or number
            <input className="field" value={name} maxLength={60} onChange={(event) => setName(event.target.value)} />
          </label>
          {asked + solved > 0 && (
            <label className="hand-in-course">
              <input type="checkbox" checked={withCourse} onChange={() => setWithCourse(!withCourse)} />
              with predictions and solved tasks
            </label>
          )}
          <CopyButton text={`${line}\n${link}`} label="Copy result" filled />
          <CopyButton text={link} label="Copy link" />
        </div>
      </div>
      <p className="room-code" aria-label="Result in one line">
        {line || "Nothing to hand in yet: check this laptop, or read a lesson."}
      </p>
    </section>
  );
}
