/** @file Over the canvas while there is nothing: three examples with a small drawing each. */
import { examples } from "../lessons";
import { playground } from "../state";

const offered = ["log-relu", "layer-norm-gelu", "matmul-bias-relu"];

function Thumbnail({ kernel }: { readonly kernel: number }) {
  return (
    <svg width="144" height="64" viewBox="0 0 144 64" aria-hidden="true">
      <rect
        x="44"
        y="14"
        width="86"
        height="36"
        rx="10"
        fill={`var(--k${kernel}-hull)`}
        stroke={`var(--k${kernel})`}
        strokeWidth="1.5"
      />
      <path d="M4 32h48M122 32h22" stroke="var(--pipe-soft)" strokeWidth="6" />
      {[60, 87, 114].map((x) => (
        <circle key={x} cx={x} cy="32" r="8" fill="var(--surface)" stroke={`var(--k${kernel})`} strokeWidth="2" />
      ))}
    </svg>
  );
}

export function EmptyState() {
  return (
    <div className="empty">
      {examples
        .filter(({ id }) => offered.includes(id))
        .map(({ id, title, sentence }, i) => (
          <button
            key={id}
            type="button"
            className="empty-card"
            onClick={() => playground.getState().actions.openExample(id)}
          >
            <Thumbnail kernel={i + 2} />
            <b>{title}</b>
            <span>{sentence}</span>
          </button>
        ))}
    </div>
  );
}
