/** @file Starts the page: the store, its link, the drawing, the offline copy. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { followAddress, showAsked } from "./address";
import { isLostPart, onLostPart, playground, type Playground } from "./state";
import { LOST, sameOriginScript } from "./workers";
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

const tell = (playground: Playground): void =>
  playground.setState({
    notice: {
      tone: "info",
      text: "A newer version of the playground is ready.",
      action: { label: "Reload", kind: "reload" },
    },
  });

/** Keeps a copy of the page for work without a network. An update waits until the person asks for it. */
async function register(playground: Playground): Promise<void> {
  const controlled = navigator.serviceWorker.controller !== null;
  // Another tab went on to the newer version; what this one still needs of its own stays for now.
  if (controlled) navigator.serviceWorker.addEventListener("controllerchange", () => tell(playground));
  const registration = await navigator.serviceWorker.register(sameOriginScript("sw.js"));
  if (registration.waiting && navigator.serviceWorker.controller) tell(playground);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => {
      if (installing.state === "installed" && navigator.serviceWorker.controller) tell(playground);
    });
  });
}

/** Only the built page on a secure origin; without it the page works, but not offline. */
function keepOffline(playground: Playground): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  // A browser may refuse storage or workers here; being offline-ready is not worth a fault.
  window.addEventListener("load", () => void register(playground).catch(() => undefined));
}
