/** `ctx.cookies`. */

export interface CookieOptions {
  readonly maxAge?: number;
  readonly expires?: Date;
  readonly path?: string;
  readonly domain?: string;
  readonly secure?: boolean;
  readonly httpOnly?: boolean;
  readonly sameSite?: boolean | string;
  readonly overwrite?: boolean;
}

const NAME = /^[\w!#$%&'*.^`|~+-]+$/;

export class Cookies {
  readonly #header: string;
  readonly #set = new Map<string, string>();

  constructor(header: string | undefined) {
    this.#header = header ?? '';
  }

  get(name: string): string | undefined {
    for (const pair of this.#header.split(';')) {
      const at = pair.indexOf('=');
      if (at > 0 && pair.slice(0, at).trim() === name)
        return pair
          .slice(at + 1)
          .trim()
          .replaceAll(/^"|"$/g, '');
    }
    return undefined;
  }

  /** Sets a cookie; without a value it is removed. */
  set(name: string, value?: string | null, options: CookieOptions = {}): this {
    if (!NAME.test(name) || (value != null && /[^\x20-\x3a\x3c-\x7e]/.test(value))) {
      throw new TypeError(`the cookie ${JSON.stringify(name)} cannot be set to that value`);
    }
    const { maxAge, path = '/', domain, secure, httpOnly = true, sameSite } = options;
    const removed = value == null || value === '';
    const expires = removed ? new Date(0) : maxAge === undefined ? options.expires : new Date(Date.now() + maxAge);
    const parts = [`${name}=${value ?? ''}`, `path=${path}`];
    if (expires) parts.push(`expires=${expires.toUTCString()}`);
    if (domain !== undefined) parts.push(`domain=${domain}`);
    if (sameSite !== undefined && sameSite !== false) parts.push(`samesite=${sameSite === true ? 'strict' : sameSite}`);
    if (secure) parts.push('secure');
    if (httpOnly) parts.push('httponly');
    this.#set.set(name, parts.join('; '));
    return this;
  }

  /** Values of `Set-Cookie`. */
  get headers(): readonly string[] {
    return [...this.#set.values()];
  }
}
