/** @file The sign of the page. */

/** Two ops and the value between them. */
export const Mark = () => (
  <svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true" className="mark">
    <rect
      x="1.5"
      y="1.5"
      width="23"
      height="23"
      rx="7"
      fill="var(--accent-tint)"
      stroke="var(--accent)"
      strokeWidth="1.8"
    />
    <circle cx="9.5" cy="9.5" r="3" fill="var(--accent)" />
    <circle cx="16.5" cy="16.5" r="3" fill="var(--accent)" />
    <path d="M9.5 9.5l7 7" stroke="var(--accent)" strokeWidth="3.5" />
  </svg>
);
