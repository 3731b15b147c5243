/** @file The browser's database as storage for weights. Where it is blocked or full, nothing is stored and the page goes on. */
import type { Weights } from "../../workers";
import type { WeightStorage } from "../environment";

const NAME = "fusion-playground";
const STORE = "weights";
const AGE = "when";
/** Models stored; the oldest is removed for a new one. */
const MAX_MODELS = 3;

interface Entry {
  readonly when: number;
  readonly weights: Weights;
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("refused")));
  });

async function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1);
  request.addEventListener("upgradeneeded", () => void request.result.createObjectStore(STORE).createIndex(AGE, AGE));
  return settled(request);
}

async function stored<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => Promise<T>): Promise<T | null> {
  if (typeof indexedDB === "undefined") return null;
  try {
    const database = await opened();
    try {
      return await use(database.transaction(STORE, mode).objectStore(STORE));
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}

async function makeRoom(store: IDBObjectStore): Promise<void> {
  const oldestFirst = await settled(store.index(AGE).getAllKeys());
  await Promise.all(oldestFirst.slice(0, -MAX_MODELS).map((key) => settled(store.delete(key))));
}

/** @param now ms since 1970, to tell old from new */
export const browserWeightStorage = (now: () => number): WeightStorage => ({
  read: async (key) => {
    const entry = await stored("readonly", (store) => settled<Entry | undefined>(store.get(key)));
    return entry?.weights ?? null;
  },
  write: async (key, weights) => {
    const done = await stored("readwrite", async (store) => {
      await settled(store.put({ when: now(), weights } satisfies Entry, key));
      await makeRoom(store);
      return true;
    });
    return done === true;
  },
});
