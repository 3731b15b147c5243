/** @file The whole page inside its one error boundary. */
import { ErrorBoundary, Shell } from "./shell";

export const App = () => (
  <ErrorBoundary>
    <Shell />
  </ErrorBoundary>
);
