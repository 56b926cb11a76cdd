/** The build and the development server of the administration app. */
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { GROUPS } from './build/chunks.ts';

/** The default path of the app. The server puts its own path into the page. */
const BASE = '/admin/';

/** The Galley server for `npm run dev -w admin`. */
const SERVER = process.env['GALLEY_URL'] ?? 'http://127.0.0.1:1337';

export default defineConfig({
  root: import.meta.dirname,
  base: BASE,
  plugins: [react(), layers(), sheets(), page()],
  resolve: {
    alias: {
      // It writes a style element, which the content security policy forbids.
      'react-remove-scroll': path.join(import.meta.dirname, 'src/ui/scroll-lock.tsx'),
    },
  },
  build: {
    target: ['chrome123', 'firefox121', 'safari17.5'],
    manifest: 'manifest.json',
    // Every asset is a file, because the policy allows data addresses only for pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    rollupOptions: {
      input: ['index.html', 'samples.html'].map((page) => path.join(import.meta.dirname, page)),
      output: {
        entryFileNames: ({ facadeModuleId }) => named(isSample(facadeModuleId), 'js'),
        chunkFileNames: ({ moduleIds }) => named(moduleIds.length > 0 && moduleIds.every(isSample), 'js'),
        codeSplitting: { groups: GROUPS },
        assetFileNames: ({ originalFileNames }) =>
          named(originalFileNames.length > 0 && originalFileNames.every(isSample), '[extname]'),
      },
    },
  },
  experimental: {
    // Chunks refer to each other relatively, so that they can be served at any path.
    renderBuiltUrl: (_name, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  server: {
    proxy: {
      [`${BASE}api`]: { target: SERVER, changeOrigin: true, headers: { origin: new URL(SERVER).origin } },
      '/uploads': { target: SERVER, changeOrigin: true },
    },
  },
});

/** Whether a file belongs only to the samples page, which is not shipped. */
const isSample = (file: string | null | undefined): boolean => /\/samples(?:\/|\.html)/.test(`/${file}`);

/** The folder of sample files, or of all others. */
const named = (ofSamples: boolean, ending: string): string =>
  `assets/${ofSamples ? 'samples/' : ''}[name]-[hash]${ending === 'js' ? '.js' : ending}`;

/** Declares the order of cascade layers in each stylesheet, since any of them may be loaded first. */
function layers(): Plugin {
  return {
    name: 'galley-layers',
    enforce: 'pre',
    transform: (code, id) => (id.endsWith('.css') ? `@layer reset, tokens, base, parts, pages;\n${code}` : undefined),
  };
}

/** Makes editors use constructed style sheets instead of style elements, which the policy would refuse. */
function sheets(): Plugin {
  const ofElements = '!root.head && root.adoptedStyleSheets';
  return {
    name: 'galley-sheets',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/style-mod\/src\/style-mod\.js$/.test(id)) return undefined;
      if (!code.includes(ofElements)) throw new Error('style-mod chooses otherwise where it writes styles');
      return code.replace(ofElements, 'root.adoptedStyleSheets');
    },
  };
}

/** Adds to the built page: the first font is preloaded, and rendering waits for the script. */
function page(): Plugin {
  return {
    name: 'galley-page',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        if (!bundle) return html;
        const font = Object.keys(bundle).find((name) => /inter-latin-wght-normal.*\.woff2$/.test(name));
        if (font === undefined) throw new Error('the build holds no font');
        return {
          // Otherwise the page would first appear in the theme of the system.
          html: html.replace('<script type="module"', '<script type="module" blocking="render"'),
          tags: [
            {
              tag: 'link',
              attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `${BASE}${font}` },
              injectTo: 'head',
            },
          ],
        };
      },
    },
  };
}
