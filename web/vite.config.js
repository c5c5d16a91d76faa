// Builds the dashboard into dist/, with each file also packed: the server sends what is there and packs nothing itself.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const PACKED = /\.(js|css|html|svg|json)$/;

const packed = () => ({
  name: 'packed',
  apply: 'build',
  writeBundle({ dir }) {
    for (const file of readdirSync(dir, { recursive: true })) {
      if (!PACKED.test(file)) continue;
      const path = join(dir, file);
      const bytes = readFileSync(path);
      if (bytes.length < 1024) continue;
      writeFileSync(`${path}.br`, brotliCompressSync(bytes));
      writeFileSync(`${path}.gz`, gzipSync(bytes));
    }
  },
});

// While one works on it: `npm start` beside `npm run dev -w web`. With AIRDATE_KEY set, no session is needed.
const { AIRDATE_URL = 'http://localhost:3000', AIRDATE_KEY } = process.env;
const proxied = {
  target: AIRDATE_URL,
  changeOrigin: true,
  ...(AIRDATE_KEY ? { headers: { authorization: `Bearer ${AIRDATE_KEY}` } } : {}),
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), packed()],
  build: { target: 'es2022', assetsInlineLimit: 0, reportCompressedSize: false },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': proxied,
      '/storage': { target: AIRDATE_URL },
      '/sandbox': { target: AIRDATE_URL },
      '/oauth': { target: AIRDATE_URL },
    },
  },
});
