/** `ctx.response`: an answer as project code makes it, in the members of Koa's. */

/// <reference path="./koa-packages.d.ts" />
import type { ServerResponse } from 'node:http';
import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import { contentType } from 'mime-types';
import { is as typeIs } from 'type-is';
import { STATUS_CODES } from '../../node-http.ts';
import type { ProjectRequest } from './request.ts';
import { errorAnswer, nameOfStatus } from './strapi-errors.ts';

export type HeaderValue = string | string[];

const COOKIES = 'set-cookie';

/** Statuses of answers without a body. */
export const EMPTY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/** JSON text that code has not read: it is sent unchanged. */
export interface JsonText {
  readonly json: string | Buffer;
}

/** Whether a body is sent as it is; all others are sent as JSON. */
const isBytes = (body: unknown): body is string | Buffer | Readable =>
  typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable;

export class ProjectResponse {
  readonly #request: ProjectRequest;
  readonly #res: ServerResponse;
  readonly #headers = new Map<string, HeaderValue>();
  #status = 404;
  #body: unknown;
  /** A body that is parsed when code reads it. */
  #json: JsonText | undefined;
  #message: string | undefined;
  /** Whether the status was set, or follows from a body. */
  isDecided = false;

  /** @param res holds the cookies: code reads and writes them there as well. */
  constructor(request: ProjectRequest, res: ServerResponse) {
    this.#request = request;
    this.#res = res;
  }

  get status(): number {
    return this.#status;
  }
  set status(status: number) {
    if (!Number.isInteger(status) || status < 100 || status > 999)
      throw new TypeError(`invalid status code: ${status}`);
    this.isDecided = true;
    this.#status = status;
    if (EMPTY_STATUSES.has(status) && this.#hasBody) this.body = null;
  }

  /** The words of the status, unless code has others. */
  get message(): string {
    return this.#message ?? STATUS_CODES[this.#status] ?? String(this.#status);
  }
  set message(message: string) {
    this.#message = message;
  }

  get body(): unknown {
    if (this.#json) {
      this.#body = JSON.parse(String(this.#json.json));
      this.#json = undefined;
    }
    return this.#body;
  }
  set body(body: unknown) {
    this.#json = undefined;
    this.#body = body;
    this.#headers.delete('content-length');
    if (body === null || body === undefined) {
      if (!EMPTY_STATUSES.has(this.#status)) this.#status = 204;
      this.isDecided = true;
      for (const name of ['content-type', 'content-length', 'transfer-encoding']) this.#headers.delete(name);
      return;
    }
    if (!this.isDecided) this.status = 200;
    if (!isBytes(body)) this.type = 'json';
    if (this.#headers.has('content-type')) return;
    this.type = typeof body !== 'string' ? 'bin' : /^\s*</.test(body) ? 'html' : 'text';
  }

  /** Removes the answer, as if no code had answered yet. */
  open(): void {
    this.body = undefined;
    this.#status = 404;
    this.isDecided = false;
  }

  /** Makes JSON text the body. */
  setJson(json: JsonText): void {
    this.#body = undefined;
    this.#json = json;
    this.type = 'json';
    if (!this.isDecided) this.status = 200;
  }

  get #hasBody(): boolean {
    return this.#json !== undefined || (this.#body !== null && this.#body !== undefined);
  }

  /** JSON text that code has not read; undefined for any other body. */
  get json(): JsonText | undefined {
    return this.#json;
  }

  get headers(): Readonly<Record<string, HeaderValue>> {
    const cookies = this.#cookies;
    const headers = Object.fromEntries(this.#headers);
    return cookies === undefined ? headers : { ...headers, [COOKIES]: cookies };
  }
  get #cookies(): HeaderValue | undefined {
    return this.#res.getHeader(COOKIES) as HeaderValue | undefined;
  }
  get header(): Readonly<Record<string, HeaderValue>> {
    return this.headers;
  }
  get(name: string): HeaderValue {
    const key = name.toLowerCase();
    return (key === COOKIES ? this.#cookies : this.#headers.get(key)) ?? '';
  }
  has(name: string): boolean {
    const key = name.toLowerCase();
    return key === COOKIES ? this.#cookies !== undefined : this.#headers.has(key);
  }
  set(name: string | Readonly<Record<string, unknown>>, value?: unknown): void {
    if (typeof name === 'object') {
      for (const [key, one] of Object.entries(name)) this.set(key, one);
      return;
    }
    const key = name.toLowerCase();
    const text = Array.isArray(value) ? value.map(String) : String(value);
    if (key !== COOKIES) this.#headers.set(key, text);
    else if (!this.#res.headersSent) this.#res.setHeader(COOKIES, text);
  }
  append(name: string, value: HeaderValue): void {
    this.set(name, this.has(name) ? [this.get(name), value].flat() : value);
  }
  remove(name: string): void {
    const key = name.toLowerCase();
    if (key !== COOKIES) this.#headers.delete(key);
    else if (!this.#res.headersSent) this.#res.removeHeader(COOKIES);
  }
  vary(name: string): void {
    const before = String(this.get('vary'));
    this.set('vary', before === '' ? name : `${before}, ${name}`);
  }

  get type(): string {
    return String(this.get('content-type')).split(';', 1)[0]!;
  }
  set type(type: string) {
    const whole = type === '' ? false : contentType(type);
    if (whole === false) this.remove('content-type');
    else this.set('content-type', whole);
  }
  get length(): number | undefined {
    const text = this.get('content-length');
    if (text !== '') return Number(text);
    const body = this.#json?.json ?? this.#body;
    if (body === undefined || body === null || body instanceof Readable) return undefined;
    if (typeof body === 'string' || Buffer.isBuffer(body)) return Buffer.byteLength(body);
    return Buffer.byteLength(JSON.stringify(body) ?? '');
  }
  set length(length: number) {
    this.set('content-length', length);
  }
  get etag(): string {
    return String(this.get('etag'));
  }
  set etag(tag: string) {
    this.set('etag', /^(?:W\/)?"/.test(tag) ? tag : `"${tag}"`);
  }
  get lastModified(): Date | undefined {
    const text = this.get('last-modified');
    return text === '' ? undefined : new Date(String(text));
  }
  set lastModified(date: Date | string) {
    this.set('last-modified', new Date(date).toUTCString());
  }

  inspect(): object {
    return this.toJSON();
  }

  toJSON(): object {
    const { status, message, headers } = this;
    return { status, message, header: headers };
  }

  /**
   * Has the client ask elsewhere.
   *
   * @param url `back`: the page that the client comes from, if it is on this host. @param other the page otherwise.
   */
  redirect(url: string, other = '/'): void {
    const isHtml = this.#request.accepts('text/html') !== false;
    const target = url === 'back' ? (refererOnHost(this.#request) ?? other) : url;
    this.set('location', encodeURI(target).replaceAll('%25', '%'));
    if (![300, 301, 302, 303, 305, 307, 308].includes(this.#status)) this.status = 302;
    this.type = isHtml ? 'html' : 'text';
    const to = String(this.get('location'));
    this.body = `Redirecting to ${isHtml ? escaped(to) : to}.`;
  }

  /** Has the client save the body under a name. */
  attachment(name?: string, options?: DispositionOptions): void {
    if (name) this.type = extname(name);
    this.set('content-disposition', disposition(name, options));
  }

  /** Which of some content types the body has: `is('json', 'image/*')`. */
  is(...types: (string | string[])[]): string | false {
    return this.type === '' ? false : typeIs(this.type, types.flat());
  }

  send(data: unknown, status = 200): void {
    this.status = status;
    this.body = data;
  }
  created(data: unknown): void {
    this.send(data, 201);
  }
  deleted(data?: unknown): void {
    if (data === null || data === undefined) this.status = 204;
    else this.send(data, 200);
  }

  /** Answers with an error: `ctx.badRequest('…', details)` and its kin. */
  fail(status: number, message?: unknown, details: unknown = {}): void {
    const own = message instanceof Error ? message.message : message;
    const text = typeof own === 'object' || own === undefined ? STATUS_CODES[status]! : String(own);
    this.status = status;
    this.body = errorAnswer(status, nameOfStatus(status), text, details).body;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&${ENTITIES[sign]};`);

/** Names of the methods that answer with an error, with their statuses: `notFound` → 404. */
export const FAILURES: ReadonlyMap<string, number> = new Map(
  Object.entries(STATUS_CODES).flatMap(([code, words]) => {
    const status = Number(code);
    if (status < 400 || words === undefined) return [];
    const [first = '', ...others] = words.replaceAll(/[^\w ]/g, '').split(/[ ]/);
    const name =
      first.toLowerCase() + others.map((word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase()).join('');
    return [[name, status] as const];
  }),
);

function refererOnHost(request: ProjectRequest): string | undefined {
  const from = request.get('referer');
  return from !== '' && URL.parse(from, request.href)?.host === request.host ? from : undefined;
}

interface DispositionOptions {
  /** `attachment`, unless it says otherwise. */
  readonly type?: string;
}

/** `Content-Disposition` of an answer (RFC 6266). @param name of the file; a path stands for its last part. */
function disposition(name: string | undefined, { type = 'attachment' }: DispositionOptions = {}): string {
  if (name === undefined) return type;
  const file = basename(name);
  // clients disagree on the bytes of letters beyond ASCII
  const plain = file.replaceAll(/[^\x20-\x7e]/g, '?');
  const quoted = `${type}; filename="${plain.replaceAll(/["\\]/g, '\\$&')}"`;
  // clients decode names that look encoded
  const isPlain = plain === file && !/%[0-9A-Fa-f]{2}/.test(file);
  return isPlain ? quoted : `${quoted}; filename*=UTF-8''${encoded(file)}`;
}

const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
