// Builds the dashboard into dist/, with each file also packed: the server sends what is there and packs nothing itself.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { notices } from './notices.js';

const PACKED = /\.(js|css|html|svg|json|txt)$/;

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

/**
 * What the page fetches beside its own script. The font of most texts: text that changes its font later changes its place too.
 * And React, which then starts in a task of its own, before the script that imports it.
 */
const early = () => ({
  name: 'early',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle }) {
      const fileOf = (pattern) => {
        const file = Object.keys(bundle).find((name) => pattern.test(name));
        if (!file) throw new Error(`no file is called ${pattern}`);
        return `/${file}`;
      };
      const font = { as: 'font', type: 'font/woff2', href: fileOf(/inter-latin-wght-normal.*\.woff2$/) };
      const react = { type: 'module', crossorigin: true, src: fileOf(/react-[^/]*\.js$/) };
      return [
        { tag: 'script', attrs: react, injectTo: 'head-prepend' },
        { tag: 'link', attrs: { rel: 'preload', crossorigin: true, ...font }, injectTo: 'head' },
      ];
    },
  },
});

/** What changes only with its version. */
const REACT = /node_modules[\\/](react|react-dom|scheduler)[\\/]|src[\\/]react-root\.ts/;

/** Small parts that most screens have. */
const CONTROLS =
  /esm[\\/](core|utils[\\/]In|components[\\/]ScrollArea[\\/]utils)|esm[\\/]components[\\/](ActionIcon|Anchor|Avatar|Checkbox|Group|InlineInput|Input|InputBase|Kbd|Pagination|Skeleton|Stack|Text|TextInput|Title|VisuallyHidden)[\\/]|@mantine[\\/]hooks|lucide-react|@tanstack|src[\\/](accounts[\\/](d|useD)isconnected|text[\\/](group-by|numbers)|uploads[\\/]dropped-files|ui[\\/](Account|IconButton|action-notice|library-view|links|useFocus|useSlices|Page|StatusBadge))/;

/** What lies over a screen. It loads when it is first opened. */
const OVERLAYS =
  /@floating-ui|react-remove-scroll|components[\\/](Combobox|FocusTrap|Menu|Modal|ModalBase|Overlay|Popover|Portal|ScrollArea)[\\/]|overlays\.css/;

/** Without them each small module that two screens share would be a request of its own. */
const CHUNKS = [
  { name: 'react', test: REACT, priority: 3 },
  { name: 'frame', tags: ['$initial'], priority: 2 },
  { name: 'controls', test: CONTROLS, minShareCount: 2, priority: 1 },
  { name: 'overlays', test: OVERLAYS, minShareCount: 2 },
];

// While one works on it: `npm start` beside `npm run dev -w web`. With AIRDATE_KEY set, no session is needed.
const { AIRDATE_URL = 'http://localhost:3000', AIRDATE_KEY } = process.env;
const proxied = {
  target: AIRDATE_URL,
  changeOrigin: true,
  ...(AIRDATE_KEY ? { headers: { authorization: `Bearer ${AIRDATE_KEY}` } } : {}),
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), early(), notices(), packed()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
  },
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
