/** @file Over the canvas while there is nothing: three examples, each with what fusion does to its traffic. */
import { useEffect } from "react";
import { examples } from "../lessons";
import { playground, usePlayground } from "../state";
import { TrafficBars } from "./TrafficBars";

const offered = ["log-relu", "layer-norm-gelu", "matmul-bias-relu"];

export function EmptyState() {
  const totals = usePlayground((state) => state.lessonTotals);
  useEffect(() => void playground.getState().actions.countLessons(offered), []);
  return (
    <div className="empty">
      {examples
        .filter(({ id }) => offered.includes(id))
        .map(({ id, title, sentence }) => (
          <button
            key={id}
            type="button"
            className="empty-card"
            onClick={() => playground.getState().actions.openExample(id)}
          >
            <b>{title}</b>
            <span>{sentence}</span>
            <TrafficBars totals={totals.get(id)} />
          </button>
        ))}
    </div>
  );
}
