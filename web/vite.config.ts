import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vitest/config";

// One file: the command embeds it, serves it, and writes data into it for `--export`.
export default defineConfig({
  plugins: [viteSingleFile()],
  build: { target: "es2022", chunkSizeWarningLimit: 2000 },
  test: { include: ["test/**/*.test.ts"] },
  server: { host: "127.0.0.1" },
});
