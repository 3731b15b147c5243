/** @file One status: what happened in bold, what it means, and the way on. */
import type { Status, StatusAction } from "../model/status";

interface Props {
  readonly status: Status;
  readonly onFollow: (kind: StatusAction, which: number) => void;
}

function Bar({ progress }: { readonly progress: number }) {
  const known = !Number.isNaN(progress);
  return (
    <progress
      className="score-progress"
      aria-label="Progress"
      max={100}
      {...(known ? { value: Math.round(progress * 100) } : {})}
    />
  );
}

export function StatusLine({ status, onFollow }: Props) {
  return (
    <div className="score-status" data-tone={status.tone}>
      <p>
        {/* Aloud, what goes up all the time is the bar's. */}
        <b>{status.title}</b> <span aria-hidden={status.progress !== null}>{status.text}</span>
      </p>
      {status.progress !== null && <Bar progress={status.progress} />}
      {[status.action, ...(status.others ?? [])].map(
        (action, which) =>
          action && (
            <button
              key={action.label}
              type="button"
              className="score-action"
              onClick={() => onFollow(action.kind, which)}
            >
              {action.label}
            </button>
          ),
      )}
    </div>
  );
}
