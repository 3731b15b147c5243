/** @file The real environment: workers, the GPU, the browser's storage. */
import type { GpuProblem } from "../gpu";
import {
  workerPort,
  workerUrls,
  type CheckReply,
  type CheckRequest,
  type CompileReply,
  type CompileRequest,
} from "../workers";
import type { LayoutRequest } from "../picture";
import { browserDraftOwner } from "./storage/draft-owner";
import { loadPart } from "./load-part";
import type { Counted, CountedKernel } from "../wgsl";
import type { Layout } from "./types";
import { browserWeightStorage } from "./storage/weight-storage";
import type { DraftOwner, GpuSession, Shelf, WeightStorage, Environment } from "./environment";

const noStorage: Shelf = { read: () => null, write: () => false, clear: () => undefined };
/** What every key of this page begins with. */
const OWN = "fusion-playground";
/** An embedded page saves nothing, so it owns nothing. */
const noOwner: DraftOwner = { follow: () => undefined, takeOver: () => undefined };
const noVault: WeightStorage = { read: () => Promise.resolve(null), write: () => Promise.resolve(false) };

/** localStorage; every access may throw, even naming it, since a person may block site data or fill the storage. */
export function browserShelf(): Shelf {
  let closed = false;
  return {
    read(key) {
      try {
        return localStorage.getItem(key);
      } catch {
        return null;
      }
    },
    clear() {
      closed = true;
      try {
        for (const key of Object.keys(localStorage)) if (key.startsWith(OWN)) localStorage.removeItem(key);
        indexedDB.deleteDatabase(OWN);
      } catch {
        // Blocked: then nothing was stored.
      }
    },
    write(key, text) {
      if (closed) return false;
      try {
        localStorage.setItem(key, text);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** A newer version takes over well within this; if it does not, the page is reloaded all the same. */
const TAKE_OVER_MILLIS = 3_000;

/** Lets a newer copy that waits take over first, where there is one: reloading in between could mix two versions. */
async function reloadNewest(): Promise<void> {
  const workers = (globalThis.navigator as Partial<Navigator>).serviceWorker;
  try {
    const waiting = (await workers?.getRegistration())?.waiting;
    if (workers && waiting) {
      await new Promise<void>((resolve) => {
        workers.addEventListener("controllerchange", () => resolve(), { once: true });
        setTimeout(resolve, TAKE_OVER_MILLIS);
        waiting.postMessage("activate");
      });
    }
  } catch {
    // Site data may be blocked: then there is no copy that could wait.
  }
  globalThis.location.reload();
}

/** The GPU session, loaded on its first use: a person who only reads never needs it. */
function lazySession(): GpuSession {
  const listeners = new Set<(problem: GpuProblem) => void>();
  let made: Promise<GpuSession> | null = null;
  const session = async (): Promise<GpuSession> => {
    const { createSession } = await loadPart(() => import("../gpu"));
    const session = createSession((globalThis.navigator as Navigator | undefined)?.gpu);
    session.listen((problem) => listeners.forEach((listener) => listener(problem)));
    return session;
  };
  const get = (): Promise<GpuSession> => (made ??= session());
  return {
    describe: async () => (await get()).describe(),
    measureRoofs: async () => (await get()).measureRoofs(),
    bench: async (plans, inputs, how) => (await get()).bench(plans, inputs, how),
    run: async (plan, inputs, how) => (await get()).run(plan, inputs, how),
    build: async (kernel) => (await get()).build(kernel),
    train: async (request) => (await get()).train(request),
    sweep: async (plans, inputs, how) => (await get()).sweep(plans, inputs, how),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const systemDark = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;

/** Hands `text` to the person as a file. */
function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Workers and GPU start when they are first asked; building this touches nothing. `keeps`: drafts and weights outlive the page. */
export function browserWorld(keeps = true): Environment {
  return {
    compileWorker: workerPort<CompileRequest, CompileReply>(workerUrls.compile),
    checkWorker: workerPort<CheckRequest, CheckReply>(workerUrls.check),
    layoutWorker: workerPort<LayoutRequest, Layout>(workerUrls.layout),
    countWorker: workerPort<CountedKernel, Counted>(workerUrls.count),
    session: lazySession(),
    storage: keeps ? browserShelf() : noStorage,
    draftOwner: keeps ? browserDraftOwner() : noOwner,
    weightStorage: keeps ? browserWeightStorage(() => Date.now()) : noVault,
    now: () => Date.now(),
    prefersDark: () => systemDark?.matches === true,
    followDark: (changed) => systemDark?.addEventListener("change", changed),
    reload: () => void reloadNewest(),
    download: (name, text) => download(name, "application/json", text),
  };
}
