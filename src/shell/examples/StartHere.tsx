/** @file Under the program: five examples to begin with, each with what fusion does to its traffic, and the way to all others and to one's own. */
import { useEffect } from "react";
import { findExample, startHere } from "../../lessons";
import { afterFirstPaint, playground, selectOpenExample, usePlayground } from "../../state";
import { chooseFile } from "../open-file";
import { TrafficBars } from "../TrafficBars";
import "./start-here.css";

export function StartHere() {
  const totals = usePlayground((state) => state.lessonTotals);
  const open = usePlayground((state) => selectOpenExample(state)?.id ?? null);
  useEffect(() => {
    void afterFirstPaint().then(() =>
      playground.getState().actions.countLessons(startHere.map(({ example }) => example)),
    );
  }, []);
  return (
    <section className="start" aria-label="Start here">
      <header>
        <h2>Start here</h2>
        <span>transfers naive, fused</span>
      </header>
      <ol>
        {startHere.map(({ example, title }, i) => (
          <li key={example}>
            <button
              type="button"
              className="start-item"
              aria-current={open === example ? "true" : undefined}
              onClick={() => playground.getState().actions.openExample(example)}
            >
              <i aria-hidden="true">{i + 1}</i>
              <span className="start-words">
                <b>{title}</b>
                <span>{findExample(example)!.title}</span>
              </span>
              <TrafficBars totals={totals.get(example)} />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

export const AllExamples = () => (
  <footer className="start-foot">
    <button type="button" className="link" onClick={() => playground.getState().actions.openDialog("examples")}>
      All examples
    </button>
    <button type="button" className="link" onClick={() => playground.getState().actions.openDialog("course")}>
      Lessons and puzzles
    </button>
    <button type="button" className="link" title="An ONNX model, or a program" onClick={chooseFile}>
      Open a file
    </button>
  </footer>
);
