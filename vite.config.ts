import react from "@vitejs/plugin-react";
import { configDefaults, defineConfig } from "vitest/config";
import { cspMeta, securityHeaders, singleCspMeta } from "./scripts/csp.mjs";
import { lessonFiles } from "./scripts/lesson-files.mjs";
import { vulkanEnv } from "./scripts/node-vulkan.mjs";
import { sharePages } from "./scripts/share-pages.mjs";
import { singleFile } from "./scripts/single-file.mjs";
import { metaPolicy, offlineList } from "./scripts/vite-plugins.mjs";
import { injectedBugs } from "./test/bugs/plugin.ts";

/** Tests that build the compiler with bugs on purpose; all others test what ships. */
const INJECTED = "test/bugs/**/*.test.ts";

/**
 * The modules of the compiler, of the store, of pictures, lessons and panels only define things: what a page or worker
 * doesn't use of them is left out, and what only a later part uses comes with that part.
 */
const treeshake = {
  moduleSideEffects: (id: string): boolean =>
    !/\/src\/(?:document|fusion|lessons|panels|picture|shell|state)\/(?!.*\.css)|\/@dagrejs\//.test(id),
};

/** `--mode single`: everything in one HTML file that opens from a disk. */
const single = {
  outDir: "dist-single",
  copyPublicDir: false,
  assetsInlineLimit: Number.MAX_SAFE_INTEGER,
  rolldownOptions: { treeshake, output: { codeSplitting: false } },
};

export default defineConfig(({ mode }) => ({
  base: "./",
  define: { "import.meta.env.PUBLIC_URL": JSON.stringify(process.env.PUBLIC_URL ?? "") },
  plugins: [
    lessonFiles(),
    react(),
    ...(mode === "single"
      ? [metaPolicy(singleCspMeta), singleFile("fusion-playground.html")]
      : [metaPolicy(cspMeta), sharePages(process.env.PUBLIC_URL), offlineList()]),
  ],
  worker: {
    // From a disk only a whole script starts.
    format: mode === "single" ? "iife" : "es",
    // A worker's name tells it from the chunk of the page that starts it.
    rolldownOptions: { treeshake, output: { entryFileNames: "assets/[name].worker-[hash].js" } },
  },
  server: { host: "127.0.0.1" },
  preview: { host: "127.0.0.1", allowedHosts: ["playground.test"], headers: { ...securityHeaders } },
  build: {
    target: "es2023",
    // Fonts and pictures stay files: the policy allows no data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 5000,
    rolldownOptions: { treeshake },
    ...(mode === "single" ? single : {}),
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "tests",
          include: ["src/**/*.test.{ts,tsx}", "test/**/*.test.ts", "scripts/**/*.test.mjs"],
          exclude: [...configDefaults.exclude, INJECTED],
          // A worker loads the compiler once, not once for each file.
          isolate: false,
        },
      },
      { extends: true, plugins: [injectedBugs()], test: { name: "injected bugs", include: [INJECTED] } },
    ],
    environment: "node",
    // For the tests that run WebGPU in Node.
    env: vulkanEnv({ software: true }),
    testTimeout: 120_000,
    // Both cores of a small machine: by itself a run leaves one to whoever watches.
    maxWorkers: 2,
    // Code that is called a few thousand times is not worth optimising: V8 spent a third of all time on it.
    execArgv: ["--interrupt-budget=1000000"],
  },
}));
