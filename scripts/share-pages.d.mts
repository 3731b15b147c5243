import type { Plugin } from "vite";
export function writeSharePages(out: string, site: string, ids?: readonly string[]): Promise<void>;
export function sharePages(site: string | undefined): Plugin | null;
