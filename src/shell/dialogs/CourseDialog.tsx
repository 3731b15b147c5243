/** @file All lessons and puzzles, with what this machine knows of each. */
import { useState } from "react";
import { lessonHeads, type LessonHead, type LessonKind } from "../../course";
import { download } from "../../panels";
import { playground, tally, usePlayground, writtenProgress, type LessonProgress } from "../../state";
import { Dialog } from "./Dialog";
import "./course-dialog.css";

const shelves: readonly { readonly kind: LessonKind; readonly title: string; readonly about: string }[] = [
  {
    kind: "lesson",
    title: "Lessons",
    about: "Twelve lessons. The first six fill a class of 45 minutes; each one stands alone.",
  },
  {
    kind: "puzzle",
    title: "Puzzles",
    about: "Change a program until it reaches its target. From easy to hard, with hints and a solution.",
  },
];

/** `step 3 of 7`, `done`, `2 of 3 predictions right`. */
function progressWords({ steps, kind }: LessonHead, progress: LessonProgress | undefined): string {
  if (!progress) return "";
  const { right, all } = tally(progress);
  const done = kind === "puzzle" ? progress.done.length > 0 : progress.furthest >= steps - 1;
  const status = done
    ? kind === "puzzle"
      ? "solved"
      : "finished"
    : kind === "puzzle"
      ? "tried"
      : `step ${progress.furthest + 1} of ${steps}`;
  return all > 0 ? `${status}, ${right} of ${all} predictions right` : status;
}

function Entry({ head, number }: { readonly head: LessonHead; readonly number: number }) {
  const progress = usePlayground((state) => state.courseProgress.get(head.id));
  const words = progressWords(head, progress);
  const resume = head.kind === "lesson" && progress && progress.furthest < head.steps - 1 ? progress.furthest : 0;
  return (
    <li>
      <button type="button" onClick={() => void playground.getState().actions.openLesson(head.id, resume)}>
        <span className="course-number">{number}</span>
        <span className="course-title">
          <b>{head.title}</b>
          <span>{head.summary}</span>
        </span>
        <span className="course-facts">
          <span>{head.minutes} min</span>
          {words && <span className="course-progress">{words}</span>}
        </span>
      </button>
    </li>
  );
}

/** Progress that was downloaded elsewhere. */
function TakeProgress() {
  const [said, setSaid] = useState("");
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    const lessons = await playground.getState().actions.addProgress(await file.text());
    setSaid(
      lessons > 0
        ? `${file.name}: progress of ${lessons} ${lessons === 1 ? "lesson" : "lessons"} was added.`
        : `${file.name} holds no progress. Choose the file that “Download it” made: fusion-course.json.`,
    );
  };
  return (
    <p className="course-foot">
      <label className="plain file-button">
        Add progress from a file…
        <input type="file" accept=".json,application/json" onChange={({ target }) => void take(target.files?.[0])} />
      </label>{" "}
      <span role="status">{said}</span>
    </p>
  );
}

export function CourseDialog() {
  const progress = usePlayground((state) => state.courseProgress);
  const { actions } = playground.getState();
  return (
    <Dialog title="Lessons and puzzles" size="wide">
      <div className="course">
        {shelves.map(({ kind, title, about }) => (
          <section key={kind} aria-label={title}>
            <h3>{title}</h3>
            <p>{about}</p>
            <ol>
              {lessonHeads
                .filter((head) => head.kind === kind)
                .map((head, i) => (
                  <Entry key={head.id} head={head} number={i + 1} />
                ))}
            </ol>
          </section>
        ))}
        <TakeProgress />
        {progress.size > 0 && (
          <p className="course-foot">
            Progress is stored in this browser only.{" "}
            <button type="button" className="plain" onClick={() => actions.showPage("check")}>
              Hand in…
            </button>{" "}
            <button
              type="button"
              className="plain"
              onClick={() => download("fusion-course.json", "application/json", writtenProgress(progress))}
            >
              Download it
            </button>{" "}
            <button type="button" className="plain" onClick={() => actions.forgetCourse()}>
              Forget it
            </button>
          </p>
        )}
      </div>
    </Dialog>
  );
}
