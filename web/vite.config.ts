import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One file: the command embeds it, serves it, and writes data into it for `--export`.
export default defineConfig({
  plugins: [viteSingleFile()],
  build: { target: "es2022", chunkSizeWarningLimit: 2000 },
  server: { host: "127.0.0.1" },
});
