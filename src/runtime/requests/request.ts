/** `ctx.request`: a request as project code knows it, in the members of Koa's. */
/// <reference path="./koa-packages.d.ts" />
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import accepts from 'accepts';
import { stringify } from 'qs';
import { is as typeIs } from 'type-is';
import { parseParams } from '../../query/params.ts';

/** A request as it arrived. */
export interface RequestParts {
  readonly method: string;
  /** The target, query string included. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The address of the client, behind trusted proxies. */
  readonly ip: string;
  readonly protocol: string;
  readonly host: string;
  readonly body: unknown;
  /** The body as it arrived, where it is stored. */
  readonly sent?: Uint8Array | undefined;
  readonly files?: unknown;
  readonly raw: IncomingMessage;
  /** Those that cookies are signed with. */
  readonly keys?: readonly string[] | undefined;
  /** Koa's application, as far as code has one. */
  readonly app?: object | undefined;
}

type Source = Pick<IncomingMessage, 'url' | 'method' | 'headers'>;

export class ProjectRequest {
  readonly #parts: RequestParts;
  /** Node's request, which the members read and write, as in Koa. */
  readonly #source: Source;
  /** The host of the request as it arrived, by its header. */
  readonly #hostHeader: string | undefined;
  /** The target whose path and parameters are the ones below. */
  #target = '';
  #path = '';
  #query: object | undefined;
  #querystring: string | undefined;
  #ip: string | undefined;
  body: unknown;
  files: unknown;
  /** The parameters of the path, as in `ctx.params`; undefined before a route matches. */
  params: Record<string, string> | undefined;
  readonly req: IncomingMessage;
  readonly originalUrl: string;

  constructor(parts: RequestParts) {
    this.#parts = parts;
    const { url, method, headers, raw } = parts;
    // an administrator's request is shown as one to Strapi's panel
    this.#source = raw.url === url && raw.method === method ? raw : { url, method, headers };
    this.#hostHeader = headers.host;
    this.originalUrl = url;
    this.body = parts.body;
    this.files = parts.files;
    this.req = parts.raw;
  }

  /** The body of a request as it arrived; undefined where it is not stored, or the request has none. */
  static sentOf(request: ProjectRequest): Uint8Array | undefined {
    return request.#parts.sent;
  }

  get headers(): IncomingHttpHeaders {
    return this.#source.headers;
  }
  set headers(headers: IncomingHttpHeaders) {
    this.#source.headers = headers;
  }
  get header(): IncomingHttpHeaders {
    return this.headers;
  }
  set header(headers: IncomingHttpHeaders) {
    this.headers = headers;
  }
  get method(): string {
    return this.#source.method ?? '';
  }
  set method(method: string) {
    this.#source.method = method;
  }
  /** A header, by its name in any letter case; empty where there is none. */
  get(name: string): string {
    const key = name.toLowerCase();
    const value = this.headers[key === 'referrer' ? 'referer' : key] ?? '';
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** Whether code has read the parameters, and may have changed them. */
  get isQueryRead(): boolean {
    this.#follow();
    return this.#query !== undefined;
  }

  /** The parameters, parsed as bracket notation. Code may change them. */
  get query(): object {
    this.#follow();
    this.#query ??= ordinary(parseParams(this.querystring)) as object;
    return this.#query;
  }
  set query(query: object) {
    this.#follow();
    this.#query = query;
    this.#querystring = undefined;
    this.#write();
  }
  /** The text of the parameters, as they arrived or as code has put others in their place. */
  get querystring(): string {
    this.#follow();
    this.#querystring ??= stringify(this.#query);
    return this.#querystring;
  }
  set querystring(text: string) {
    this.#follow();
    this.#querystring = text.replace(/^\?/, '');
    this.#query = undefined;
    this.#write();
  }
  get search(): string {
    return this.querystring === '' ? '' : `?${this.querystring}`;
  }
  set search(text: string) {
    this.querystring = text;
  }
  get path(): string {
    this.#follow();
    return this.#path;
  }
  set path(path: string) {
    this.#follow();
    this.#path = path;
    this.#write();
  }
  get url(): string {
    return this.path + this.search;
  }
  set url(url: string) {
    this.#source.url = url;
  }

  /** Takes over the target that code has set at the request of Node. */
  #follow(): void {
    const { url = '' } = this.#source;
    if (url === this.#target) return;
    const at = url.indexOf('?');
    this.#target = url;
    this.#path = at < 0 ? url : url.slice(0, at);
    this.#querystring = at < 0 ? '' : url.slice(at + 1);
    this.#query = undefined;
  }
  #write(): void {
    this.#querystring ??= stringify(this.#query);
    this.#target = this.#path + (this.#querystring === '' ? '' : `?${this.#querystring}`);
    this.#source.url = this.#target;
  }
  get protocol(): string {
    const [forwarded] = this.#forwarded('x-forwarded-proto');
    return forwarded ?? this.#parts.protocol;
  }
  /** The values of a header of proxies, where code trusts them by `strapi.server.app.proxy` alone. */
  #forwarded(name: string): string[] {
    const { app, ip, raw } = this.#parts;
    const isTrusted = (app as { readonly proxy?: unknown } | undefined)?.proxy === true;
    // where the configuration trusts a proxy, the address is no longer the one of the connection
    return isTrusted && ip === raw.socket.remoteAddress ? listOf(this.get(name)) : [];
  }
  get secure(): boolean {
    return this.protocol === 'https';
  }
  get host(): string {
    const [forwarded] = this.#forwarded('x-forwarded-host');
    const { host } = this.headers;
    return forwarded ?? (host === this.#hostHeader ? this.#parts.host : (host ?? ''));
  }
  get hostname(): string {
    return this.host.startsWith('[') ? this.host.replace(/:\d+$/, '') : this.host.split(':', 1)[0]!;
  }
  get origin(): string {
    return `${this.protocol}://${this.host}`;
  }
  get href(): string {
    return this.origin + this.originalUrl;
  }
  get URL(): URL {
    return new URL(this.href);
  }
  get ip(): string {
    const [forwarded] = this.#forwarded('x-forwarded-for');
    return this.#ip ?? forwarded ?? this.#parts.ip;
  }
  set ip(ip: string) {
    this.#ip = ip;
  }
  get ips(): string[] {
    return listOf(this.get('x-forwarded-for'));
  }
  get socket() {
    return this.req.socket;
  }
  get type(): string {
    return this.get('content-type').split(';', 1)[0]!.trim();
  }
  get charset(): string {
    return /charset=([^\s;]+)/i.exec(this.get('content-type'))?.[1] ?? '';
  }
  get length(): number | undefined {
    const text = this.get('content-length');
    return text === '' ? undefined : Number(text);
  }
  get idempotent(): boolean {
    return ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'].includes(this.method);
  }

  /** The names before the domain, the nearest one first. */
  get subdomains(): string[] {
    return isIP(this.hostname) ? [] : this.hostname.split('.').reverse().slice(2);
  }

  inspect(): object {
    return this.toJSON();
  }

  /** The form in which logs show the request. */
  toJSON(): object {
    const { method, url, header } = this;
    return { method, url, header };
  }

  acceptsEncodings(...names: (string | string[])[]): string | string[] | false {
    return accepts(this).encodings(...names);
  }
  acceptsCharsets(...names: (string | string[])[]): string | string[] | false {
    return accepts(this).charsets(...names);
  }
  acceptsLanguages(...names: (string | string[])[]): string | string[] | false {
    return accepts(this).languages(...names);
  }

  /** Which of some content types the body has, or null: `is('json', 'multipart/*')`. */
  is(...types: (string | string[])[]): string | false | null {
    const own = this.type;
    return own === '' ? null : typeIs(own, types.flat());
  }

  /** The content type that the client prefers, or all that it accepts if none are named. */
  accepts(...types: (string | string[])[]): string | string[] | false {
    return accepts(this).types(...types);
  }
}

const listOf = (header: string): string[] => header.split(/\s*,\s*/).filter(Boolean);

/** A copy of lists and of objects without a prototype as objects that have one: code calls their methods. */
export function ordinary(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordinary);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, ordinary(inner)]));
}
