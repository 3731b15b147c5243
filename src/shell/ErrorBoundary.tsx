/** @file Catches a mistake of ours: says so, keeps the program, and offers the link that reproduces it. */
import { Component, type ReactNode } from "react";
import { encodeLink } from "../document";
import { isLostPart, pageAddress, playground, sharedState } from "../state";

interface State {
  readonly error: Error | null;
  readonly link: string | null;
}

const isSaved = (): boolean => ["saved", "copied"].includes(playground.getState().saved);

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null, link: null };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(): void {
    playground.flush();
    void encodeLink(sharedState(playground.getState())).then((encoded) => {
      if (encoded.ok) this.setState({ link: pageAddress().base + encoded.value });
    });
  }

  override render(): ReactNode {
    const { error, link } = this.state;
    if (!error) return this.props.children;
    return (
      <main className="broken-page" role="alert">
        <h1>
          {isLostPart(error) ? "A part of the page could not be loaded" : "An error in the playground stopped the page"}
        </h1>
        <p>
          {isSaved() ? "Your program is saved." : "Your program could not be saved: copy the link below."} Start again
          with it, undo the last change, or start with a new program: this one then stays in the list of copies.
        </p>
        <p>
          <code>{error.message}</code>
        </p>
        <p>
          <button type="button" className="action" onClick={() => location.reload()}>
            Start again
          </button>{" "}
          <button
            type="button"
            className="plain"
            onClick={() => {
              playground.getState().actions.undo();
              this.setState({ error: null, link: null });
            }}
          >
            Undo the last change
          </button>{" "}
          <button
            type="button"
            className="plain"
            onClick={() => {
              playground.getState().actions.startAfresh();
              this.setState({ error: null, link: null });
            }}
          >
            Start afresh
          </button>
        </p>
        {link && (
          <p>
            This link reproduces it:
            <input className="field share-link" aria-label="Link" readOnly value={link} />
          </p>
        )}
      </main>
    );
  }
}
