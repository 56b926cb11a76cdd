/** The way back from the sign-in page. */
import { BASE } from '../data/base.ts';

/** The page that is opened after signing in. Only addresses of this app are accepted. */
export interface SignInReturn {
  readonly to?: string | undefined;
}

/** Reads the page from the search of an address. */
export function signInReturn(search: Readonly<Record<string, unknown>>): SignInReturn {
  const { to } = search;
  // The key is always present, because the router keeps the previous value of an absent one.
  return { to: typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : undefined };
}

/** The search of the sign-in page that leads back to an address. */
export function returnTo(href: string): SignInReturn {
  return href === '/' ? {} : { to: href };
}

/** The complete address of a page. */
export function hrefOf(to: string | undefined): string {
  return BASE.slice(0, -1) + (to ?? '/');
}
