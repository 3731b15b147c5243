/** @file Types of bench-page.mjs. */
export function hasPeers(): boolean;
export function buildBenchPage(): Promise<void>;
