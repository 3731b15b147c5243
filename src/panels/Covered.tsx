/** @file The one token for everything that waits for a prediction: numbers, verdicts, reasons, bars. */

export const Covered = ({ what = "" }: { readonly what?: string }) => (
  <>
    {what && `${what} `}
    <span className="covered" role="img" aria-label="covered until you answer">
      ?
    </span>
  </>
);
