import type { Plugin } from "vite";
export function metaPolicy(policy: string): Plugin;
export function offlineList(): Plugin;
