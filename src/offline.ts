/** @file Keeps a copy of the page for work without a network. An update waits until the person asks for it. */
import type { Playground } from "./state";
import { sameOriginScript } from "./workers";

const tell = (playground: Playground): void =>
  playground.setState({
    notice: {
      tone: "info",
      text: "A newer version of the playground is ready.",
      action: { label: "Reload", kind: "reload" },
    },
  });

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
export function keepOffline(playground: Playground): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  // A browser may refuse storage or workers here; being offline-ready is not worth a fault.
  window.addEventListener("load", () => void register(playground).catch(() => undefined));
}
