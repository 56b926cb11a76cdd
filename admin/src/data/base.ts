/** Where the app lies: every path of `config/admin` serves the same files, so they ask where they came from. */

// by a name: Vite takes `new URL('…', import.meta.url)` for a file to pack
const here = import.meta.url;

/** `/admin/`, with both slashes. Scripts are built into one folder below it. */
export const BASE = import.meta.env.DEV ? import.meta.env.BASE_URL : new URL('..', here).pathname;

/** Names the build: the first script is named by its contents, and those name all others. */
export const BUILD = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? '';
