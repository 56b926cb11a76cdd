/** `ctx.cookies`: as Koa has them, with the signatures that the project's keys make. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface CookieOptions {
  readonly maxAge?: number | null;
  readonly expires?: Date;
  readonly path?: string;
  readonly domain?: string;
  readonly secure?: boolean;
  readonly httpOnly?: boolean;
  readonly sameSite?: boolean | string;
  readonly priority?: string;
  readonly partitioned?: boolean;
  /** Whether the cookie takes the place of those of its name. */
  readonly overwrite?: boolean;
  /** Whether a second cookie signs it, and must do so where it is read. With any option it is by itself, where there are keys. */
  readonly signed?: boolean;
}

export interface CookiesOfRequest {
  /** The header of the request. */
  readonly header: string | undefined;
  /** Keys of signatures, of which the first one signs. */
  readonly keys?: readonly string[] | undefined;
  /** Whether the request came encrypted: so are its cookies to come back. */
  readonly secure?: boolean;
}

const NAME = /^[\w!#$%&'*.^`|~+-]+$/;
const VALUE = /^[\x09\x20-\x3a\x3c-\x7e\x80-\xff]*$/;

export class Cookies {
  readonly #request: CookiesOfRequest;
  #set: { readonly name: string; readonly text: string }[] = [];

  constructor(request: CookiesOfRequest) {
    this.#request = request;
  }

  /** The value of a cookie that was sent; undefined for one whose signature is asked for and is not that of a key. */
  get(name: string, options?: Pick<CookieOptions, 'signed'>): string | undefined {
    const value = this.#sent(name);
    if (value === undefined || !options || !this.#isSigned(options)) return value;
    const signature = this.#sent(`${name}.sig`);
    if (signature === undefined) return undefined;
    const text = `${name}=${value}`;
    const index = this.#keys.findIndex((key) => isSame(signature, sign(text, key)));
    if (index < 0) this.set(`${name}.sig`, null, { signed: false });
    // a key that has been replaced: the next time it is the first one
    else if (index > 0) this.set(`${name}.sig`, sign(text, this.#keys[0]!), { signed: false });
    return index < 0 ? undefined : value;
  }

  /**
   * Sets a cookie; without a value it is removed.
   *
   * @throws TypeError for a name or a value that cannot be sent. @throws Error for a signature without keys.
   */
  set(name: string, value?: string | null, options?: CookieOptions): this {
    if (!NAME.test(name) || (value != null && !VALUE.test(value))) {
      throw new TypeError(`the cookie ${JSON.stringify(name)} cannot be set to that value`);
    }
    this.#push(name, value ?? '', options);
    if (options && this.#isSigned(options))
      this.#push(`${name}.sig`, sign(`${name}=${value ?? ''}`, this.#keys[0]!), options, !value);
    return this;
  }

  #push(name: string, value: string, options: CookieOptions = {}, isRemoved = value === ''): void {
    const { maxAge, domain, priority, partitioned, sameSite, overwrite = false, httpOnly = true } = options;
    const path = 'path' in options ? options.path : '/';
    const { secure = this.#request.secure ?? false } = options;
    const end = maxAge ? new Date(Date.now() + maxAge) : options.expires;
    const expires = isRemoved ? new Date(0) : end;
    const parts = [`${name}=${value}`];
    if (path) parts.push(`path=${path}`);
    if (expires) parts.push(`expires=${expires.toUTCString()}`);
    if (domain) parts.push(`domain=${domain}`);
    if (priority) parts.push(`priority=${priority.toLowerCase()}`);
    if (sameSite) parts.push(`samesite=${sameSite === true ? 'strict' : sameSite.toLowerCase()}`);
    if (secure) parts.push('secure');
    if (httpOnly) parts.push('httponly');
    if (partitioned) parts.push('partitioned');
    const text = parts.join('; ');
    if (/[^\x09\x20-\x7e\x80-\xff]/.test(text))
      throw new TypeError(`the cookie ${JSON.stringify(name)} cannot be set with these options`);
    this.#set = [...this.#set.filter((one) => !overwrite || one.name !== name), { name, text }];
  }

  #sent(name: string): string | undefined {
    for (const pair of (this.#request.header ?? '').split(';')) {
      const at = pair.indexOf('=');
      if (at < 1 || pair.slice(0, at).trim() !== name) continue;
      const value = pair.slice(at + 1).trim();
      return value.startsWith('"') ? value.slice(1, -1) : value;
    }
    return undefined;
  }

  /** @throws Error where a signature is asked for and there are no keys. */
  #isSigned({ signed = this.#keys.length > 0 }: Pick<CookieOptions, 'signed'>): boolean {
    if (signed && this.#keys.length === 0)
      throw new Error('.keys required for signed cookies: set app.keys in config/server');
    return signed;
  }

  get #keys(): readonly string[] {
    return this.#request.keys ?? [];
  }

  /** Values of `Set-Cookie`. */
  get headers(): readonly string[] {
    return this.#set.map(({ text }) => text);
  }
}

/** The signature of Koa's cookies: HMAC with SHA-1 in base64 for addresses. */
function sign(text: string, key: string): string {
  return createHmac('sha1', key).update(text).digest('base64url');
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
