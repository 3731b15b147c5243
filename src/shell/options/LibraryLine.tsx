/** @file The line between products that fuse and products that stay alone; letting it go is one undo step. */
import { ridge } from "../../fusion";
import { LineSlider } from "../../panels";
import { libraryLine, playground, usePlayground } from "../../state";

export function LibraryLine() {
  const options = usePlayground((state) => state.document.options);
  const put = (line: number | null): void => playground.getState().actions.setLibraryLine(line);
  return (
    <div className="line-choice">
      <LineSlider
        line={libraryLine(options)}
        words={(line) => (
          <>
            The line: <b>{line}</b> FLOP per byte
          </>
        )}
        onPut={put}
      />
      <button type="button" disabled={options.libraryAbove === undefined} onClick={() => put(null)}>
        At the ridge, {Number(ridge(options.profile).toPrecision(3))}
      </button>
    </div>
  );
}
