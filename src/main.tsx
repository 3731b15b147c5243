/** @file Starts the page: the store, its link, the drawing, the offline copy. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { followAddress, showAsked } from "./address";
import { keepOffline } from "./offline";
import { playground } from "./state";
import "./tokens.css";
import "./app.css";

playground.start();
followAddress(playground);
const { embed } = playground.getState();
if (embed) showAsked(playground);
else keepOffline(playground);

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
