/**
 * The address of the app. The same files are served at every configured path, so the app derives the address from its
 * own script.
 */

// A constant, because Vite would bundle the file that `new URL('…', import.meta.url)` names.
const here = import.meta.url;

/** `/admin/`, with both slashes. Scripts lie in one folder below it. */
export const BASE = import.meta.env.DEV ? import.meta.env.BASE_URL : new URL('..', here).pathname;

/** Identifies the build: the name of the first script depends on its content, and that on the names of all others. */
export const BUILD = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? '';
