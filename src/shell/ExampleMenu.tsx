/** @file The example that is open; it opens the list of all. */
import { playground, selectExample, selectIsEdited, usePlayground, type PlaygroundState } from "../state";
import { Icon } from "./Icon";

const UNTITLED = "Untitled";
/** A text that has fewer of the example's lines than this share is another program. */
const SAME = 0.5;

/** The example's title as long as most of its lines are there. */
function selectTitle(state: PlaygroundState): string {
  const example = selectExample(state);
  if (!example) return UNTITLED;
  const lines = (text: string): string[] => text.split("\n").filter((line) => /^\s*[^#\s]/.test(line));
  const now = new Set(lines(state.document.text).map((line) => line.replace(/\d+/g, "0")));
  const theirs = lines(example.text);
  const left = theirs.filter((line) => now.has(line.replace(/\d+/g, "0"))).length;
  return left >= theirs.length * SAME ? example.title : UNTITLED;
}

/** The lesson that is read takes the example's place. */
function LessonMenu({ kind, title }: { readonly kind: string; readonly title: string }) {
  const open = usePlayground((state) => state.dialog === "course");
  return (
    <button
      type="button"
      className="pick"
      aria-haspopup="dialog"
      aria-expanded={open}
      aria-label={`${kind}: ${title}`}
      onClick={() => playground.getState().actions.openDialog("course")}
    >
      <span className="pick-word">{kind}</span>
      <b>{title}</b>
      <Icon name="down" size={16} />
    </button>
  );
}

export function ExampleMenu() {
  const changed = usePlayground(selectIsEdited);
  const open = usePlayground((state) => state.dialog === "examples");
  const title = usePlayground(selectTitle);
  const lesson = usePlayground((state) => state.lesson?.content ?? null);
  const word = title === UNTITLED ? "Program" : "Example";
  if (lesson) return <LessonMenu kind={lesson.kind === "puzzle" ? "Puzzle" : "Lesson"} title={lesson.title} />;
  return (
    <button
      type="button"
      className="pick"
      aria-haspopup="dialog"
      aria-expanded={open}
      aria-label={`${word}: ${title}`}
      onClick={() => playground.getState().actions.openDialog("examples")}
    >
      <span className="pick-word">{word}</span>
      <b>{title}</b>
      {changed && title !== UNTITLED && <span className="pick-changed">edited</span>}
      <Icon name="down" size={16} />
    </button>
  );
}
