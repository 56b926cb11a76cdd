/**
 * The files of the built app in `admin/dist`: hashed files below `assets`, which never change, and one page for every
 * other path.
 */
import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { AdminConfig, Config } from '../../config/config.ts';
import { loaded, notFound } from '../../errors.ts';
import { S3Address } from '../../media/storage/s3-address.ts';
import { PACKAGE_FOLDER } from '../../own-files.ts';
import { addVary } from '../protocol/headers.ts';
import { sendError } from '../protocol/reply.ts';

/** The folder of the app in the package, for source and compiled code. */
export const APP_FOLDER = path.join(PACKAGE_FOLDER, 'admin/dist');

const UNREADABLE = 'The app cannot be read at the moment';
/** Names with a hash. */
const HASHED = 'assets/';
const YEAR = 'public, max-age=31536000, immutable';
/** The path that the page was built for, at the beginning of its references. */
const BUILT_FOR = /(=["'])\/admin\//g;

/** Compressed forms of a file from the build, the best first. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export interface AppFiles {
  /** The built app. */
  readonly folder: string;
  /** Sources of frames, such as previews. */
  readonly frames?: readonly string[];
}

/** Serves the files below the app's path. */
export class AppServer {
  readonly #admin: AdminConfig;
  readonly #folder: string;
  readonly #policy: string;

  constructor({ admin, upload }: Pick<Config, 'admin' | 'upload'>, { folder, frames = [] }: AppFiles) {
    this.#admin = admin;
    this.#folder = folder;
    this.#policy = policyOf(upload, frames);
  }

  /** Answers a request for a path of the app, without its leading slash. */
  async answer(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    reply.headers({
      'content-security-policy': this.#policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
    });
    const isFile = path.posix.extname(name) !== '' && (await this.#sendFile(request, reply, name));
    if (isFile) return isFile;
    // a hashed name belongs to a file, or to an earlier build
    if (name.startsWith(HASHED)) return sendError(reply, notFound());
    return this.#sendPage(request, reply);
  }

  async #sendFile(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply | undefined> {
    if (name.includes('\0') || name.includes('\\') || path.posix.normalize(name) !== name) return undefined;
    if (name === 'index.html' || !(await isThere(path.join(this.#folder, name)))) return undefined;
    const form = await this.#formOf(request, reply, name);
    const options = { root: this.#folder, index: false, cacheControl: false, dotfiles: 'ignore' } as const;
    // ranges of a compressed form would be useless
    if (form !== undefined) delete request.raw.headers.range;
    // loaded by the first request for a file, with their tables of media types
    const { send } = await loaded(import('@fastify/send'), UNREADABLE);
    const { contentType } = await loaded(import('mime-types'), UNREADABLE);
    const result = await send(request.raw, encodeURI(name + (form?.ending ?? '')), options);
    if (result.type !== 'file') return undefined;
    reply.code(result.statusCode).headers(result.headers);
    reply.header('cache-control', name.startsWith(HASHED) ? YEAR : 'no-cache');
    reply.header('content-type', contentType(path.posix.extname(name)) || 'application/octet-stream');
    if (form) reply.header('content-encoding', form.coding);
    return reply.send(result.stream);
  }

  /** The compressed form that the browser accepts, if there is one. */
  async #formOf(request: FastifyRequest, reply: FastifyReply, name: string) {
    const taken = new Negotiator(request.raw).encodings(CODINGS.map(([coding]) => coding));
    let isCompressed = false;
    for (const [coding, ending] of CODINGS) {
      if (!(await isThere(path.join(this.#folder, name + ending)))) continue;
      if (!isCompressed) addVary(reply, 'Accept-Encoding');
      isCompressed = true;
      if (taken.includes(coding)) return { coding, ending };
    }
    return undefined;
  }

  async #sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const built = await readFile(path.join(this.#folder, 'index.html'), 'utf8').catch(() => undefined);
    reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8');
    if (built === undefined) return reply.code(503).send(NOT_BUILT);
    const page = built.replaceAll(BUILT_FOR, (_, start: string) => `${start}${this.#admin.path}/`);
    const tag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 27)}"`;
    reply.header('etag', tag);
    if (request.headers['if-none-match']?.includes(tag)) return reply.code(304).send();
    return reply.send(page);
  }
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** The policy of the app's pages: their own files, images of the store, and frames of the configured sources. */
function policyOf({ storage }: Config['upload'], frames: readonly string[]): string {
  const { store, s3 } = storage;
  const address = store === 's3' && s3 ? new S3Address(s3) : undefined;
  const urls = address ? [address.urlOf('file'), ...address.bases.slice(0, 2)] : [];
  // an IP address has no subdomain for a bucket
  // the addresses of a provider in project code are unknown before it stores a file
  const anywhere = store === 'code' ? ['https:'] : [];
  const stores = [...anywhere, ...urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)];
  const sources: readonly (readonly [directive: string, ...values: string[]])[] = [
    ['default-src', "'none'"],
    ['script-src', "'self'"],
    ['style-src', "'self'"],
    ['img-src', "'self'", 'blob:', 'data:', ...new Set(stores)],
    ['media-src', "'self'", 'blob:', ...new Set(stores)],
    ['connect-src', "'self'"],
    ['font-src', "'self'"],
    ['manifest-src', "'self'"],
    ['frame-src', ...(frames.length > 0 ? frames : ["'none'"])],
    ['frame-ancestors', "'none'"],
    ['base-uri', "'none'"],
    ['form-action', "'self'"],
  ];
  return sources.map((words) => words.join(' ')).join('; ');
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Galley</title>
<h1>The administration app is not built</h1>
<p>Its files are missing from <code>admin/dist</code>. In a checkout of Galley, build them with
<code>npm run build -w admin</code>; packages contain them. The API works without them.</p>
</html>
`;
