import { defineConfig } from "@playwright/test";
import { findBrowser } from "./scripts/ensure-browser.mjs";

const browser = await findBrowser();
const port = Number(process.env.PW_PORT ?? 4319);
const software = [
  "--use-webgpu-adapter=swiftshader",
  // Zeroes of workgroup memory as a loop in the shader: SwiftShader makes a store of each, which takes it seconds.
  "--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension",
];

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  forbidOnly: Boolean(process.env.CI),
  fullyParallel: false,
  workers: 2,
  // A second try on a busy build machine; `npm test` names every story that needed it.
  retries: process.env.CI ? 1 : 0,
  // Long, because a machine may be busy: no test is about how long something takes.
  timeout: 360_000,
  expect: { timeout: 90_000 },
  reporter: process.env.PW_JSON ? [["list"], ["json", { outputFile: process.env.PW_JSON }]] : [["list"]],
  use: {
    baseURL: `http://127.0.0.1:${port}/`,
    serviceWorkers: "block",
    viewport: { width: 1440, height: 900 },
    // A trace takes a picture of the page at every action, a quarter of a story's time: only second tries are recorded, and what is asked for with `--trace on`.
    trace: "on-first-retry",
    screenshot: "only-on-failure",
    ...(browser && !browser.own ? {} : { channel: "chromium" }),
    launchOptions: {
      ...(browser && !browser.own ? { executablePath: browser.path } : {}),
      args: [
        "--enable-unsafe-webgpu",
        "--enable-features=Vulkan",
        // An origin that is not secure, as a person meets it on a LAN address.
        "--host-resolver-rules=MAP playground.test 127.0.0.1",
        ...(process.env.PW_GPU ? [] : software),
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ],
    },
  },
  webServer: {
    command: `npx vite preview --host 127.0.0.1 --port ${port} --strictPort`,
    url: `http://127.0.0.1:${port}/`,
    reuseExistingServer: false,
    timeout: 120_000,
  },
});
