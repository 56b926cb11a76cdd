/** The packages of Koa's request and response that `ctx` uses. */
declare module 'accepts' {
  type Accepted = string | string[] | false;
  interface Accepts {
    types(...types: (string | string[])[]): Accepted;
    encodings(...names: (string | string[])[]): Accepted;
    charsets(...names: (string | string[])[]): Accepted;
    languages(...names: (string | string[])[]): Accepted;
  }
  function accepts(request: { readonly headers: object }): Accepts;
  export default accepts;
}

declare module 'cookies' {
  interface CookieOptions {
    readonly signed?: boolean;
    readonly [name: string]: unknown;
  }
  interface Response {
    getHeader(name: string): unknown;
    setHeader(name: string, value: string[]): void;
  }
  class Cookies {
    constructor(
      request: { readonly headers: object },
      response: Response,
      options: { readonly keys?: string[] | undefined; readonly secure: boolean },
    );
    get(name: string, options?: CookieOptions): string | undefined;
    set(name: string, value?: string | null, options?: CookieOptions): this;
  }
  export default Cookies;
}

declare module 'type-is' {
  function is(type: string, types: string[]): string | false;

  export { is };
}
