import { byKeys } from "../by-keys";

/** Which element of its list is the last with each key; −1 where none has it. Elements whose key lies outside are passed over. */
export const lastKeys = byKeys({
  name: "last_keys",
  doc: {
    formula: "last[t] = the largest i with keys[i] = t, counted in its list, or −1",
    teaches:
      "Threads leave the number of their element at its key, where the largest one stays: no key is compared, and none is put in order.",
  },
  outside: "others are passed over",
  leaves: "last",
  size: (_, targets) => targets,
});
