/** @file Starts the page: the store, its link, the drawing, the offline copy. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { followAddress, showAsked } from "./address";
import { keepOffline } from "./offline";
import { isLostPart, onLostPart, playground } from "./state";
import { LOST } from "./workers";
import "./tokens.css";
import "./app.css";

playground.start();
followAddress(playground);
const { embed } = playground.getState();
if (embed) showAsked(playground);
else keepOffline(playground);

onLostPart(() => {
  const action = { label: "Reload", kind: "reload" } as const;
  playground.setState({ notice: { tone: "warn", text: LOST, action } });
});
// It was told already; what waited for the part stays undone.
window.addEventListener("unhandledrejection", (event) => {
  if (isLostPart(event.reason)) event.preventDefault();
});

const flush = (): void => playground.flush();
window.addEventListener("pagehide", flush);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") flush();
});

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
