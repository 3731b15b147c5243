/** @file What a thick and a thin line mean. */
export function Legend() {
  return (
    <dl className="legend">
      <dt>
        <svg width="34" height="12" aria-hidden="true">
          <path className="legend-case" d="M2 6h30" />
          <path className="legend-core" d="M2 6h30" />
        </svg>
      </dt>
      <dd>through memory, width = bytes</dd>
      <dt>
        <svg width="34" height="12" aria-hidden="true">
          <path className="legend-hair" d="M2 6h30" />
        </svg>
      </dt>
      <dd>in registers, free</dd>
    </dl>
  );
}
