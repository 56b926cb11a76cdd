/** The way back from the sign-in page. */
import { BASE } from '../data/base.ts';

/** Where somebody is led once signed in. Only addresses of this app: others could be anybody's. */
export interface Whence {
  readonly to?: string | undefined;
}

/** Reads it from the address. */
export function whence(search: Readonly<Record<string, unknown>>): Whence {
  const { to } = search;
  // said either way: the router keeps what is not spoken of
  return { to: typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : undefined };
}

/** The search of the sign-in page that leads back to where somebody was. */
export function whereTo(href: string): Whence {
  return href === '/' ? {} : { to: href };
}

/** The whole address of a place in the app. */
export function hrefOf(to: string | undefined): string {
  return BASE.slice(0, -1) + (to ?? '/');
}
