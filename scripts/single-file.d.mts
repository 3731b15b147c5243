import type { Plugin } from "vite";

export function singleFile(fileName: string): Plugin;
