export { ErrorBoundary } from "./ErrorBoundary";
export { Shell } from "./Shell";
