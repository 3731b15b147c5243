/** @file Which of several open tabs saves the draft: the one that has the lock. Another takes it over when its person asks. */
import type { DraftOwner } from "../environment";

const NAME = "fusion-playground.draft";
/** A page that is being left may still have the lock for a moment. */
const PATIENCE_MILLIS = 600;

/** Where the browser has no locks (an insecure origin, blocked site data) every tab is told that it owns the draft. */
export function browserDraftOwner(): DraftOwner {
  let give: (() => void) | null = null;
  let tell: (owner: boolean) => void = () => undefined;
  let yielding: () => void = () => undefined;
  let channel: BroadcastChannel | null = null;

  const own = (): Promise<void> =>
    new Promise((release) => {
      give = release;
      tell(true);
    });
  const lost = (): void => {
    give = null;
    tell(false);
  };
  const ask = async (options: LockOptions): Promise<boolean> => {
    let granted = false;
    try {
      await navigator.locks.request(NAME, options, () => {
        granted = true;
        return own();
      });
      return true;
    } catch (error) {
      // AbortError: another tab has the lock, or stole it. Anything else: there are no locks here.
      const known = error instanceof DOMException && error.name === "AbortError";
      if (granted) lost();
      else if (!known) tell(true);
      return granted || !known;
    }
  };
  /** However late a busy browser gives the lock, it is waited for: only another page that has it ends the wait. */
  const askPatiently = (): Promise<boolean> => {
    const waiting = new AbortController();
    const look = async (): Promise<void> => {
      const { pending } = await navigator.locks.query();
      if (pending?.some(({ name }) => name === NAME)) waiting.abort();
    };
    // Where there are no locks, asking for one has told so.
    setTimeout(() => void look().catch(() => undefined), PATIENCE_MILLIS);
    return ask({ signal: waiting.signal });
  };

  return {
    follow(changed, beforeGiving) {
      tell = changed;
      yielding = beforeGiving;
      try {
        if (!("locks" in navigator)) return;
        channel = new BroadcastChannel(NAME);
        channel.addEventListener("message", () => {
          if (!give) return;
          yielding();
          give();
          lost();
        });
      } catch {
        return;
      }
      void askPatiently().then((owned) => {
        if (!owned) tell(false);
      });
    },
    takeOver() {
      if (!channel) return tell(true);
      channel.postMessage("give");
      void askPatiently().then((owned) => {
        // The other tab sleeps: its lock is taken, and it hears so when it wakes.
        if (!owned) void ask({ steal: true });
      });
    },
  };
}
