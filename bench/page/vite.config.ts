import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** `npm run build:bench`: bench.html with other libraries beside ours, in a folder of its own. */
export default defineConfig({
  root: folder,
  base: "./",
  define: { "import.meta.env.PUBLIC_URL": '""' },
  build: {
    outDir: fileURLToPath(new URL("../../dist-bench", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 5000,
    rolldownOptions: { input: `${folder}bench.html` },
  },
});
