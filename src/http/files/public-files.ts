/**
 * Files of the project's `public` folder, such as `robots.txt`, at the paths that nothing else answers, and its favicon
 * (docs/reference/http.md, "Files of the project"). They are the project's own, as its code is: what was uploaded lies in
 * a folder of its own there, and is served by itself.
 */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config, PublicConfig } from '../../config/config.ts';
import { forbidden } from '../../errors.ts';
import { refuseUpload, sendFile } from './send-file.ts';

/** The folder of what was uploaded, below that of the project's own files. */
const UPLOADS = 'uploads';
/** The path of the favicon. */
const ICON = '/favicon.ico';
/** What a folder shows. */
const INDEX = 'index.html';

/** A file by the folder that it lies in, both without links. */
interface Found {
  readonly root: string;
  readonly name: string;
}

export class PublicFiles {
  readonly #config: Pick<Config, 'publicDir' | 'dir'>;
  readonly #public: PublicConfig;
  readonly #reserved: readonly string[];
  readonly #closed: string | undefined;

  /**
   * @param reserved paths below which only the server itself answers.
   * @param closed why files are not served, where they are not: code of the project that stands before them is not run.
   */
  constructor(config: Config, reserved: readonly string[], closed: string | undefined) {
    this.#config = config;
    this.#public = config.http.publicFiles;
    this.#reserved = [...reserved, `/${UPLOADS}`].map((one) => one.toLowerCase());
    this.#closed = closed;
  }

  /** The path, decoded, of a request that no route takes and that may be one for such a file; undefined for others. */
  asked({ method, url }: FastifyRequest): string | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const { files, icon } = this.#public;
    const asked = pathOf(url);
    if (asked === undefined || !(files || (icon && asked === ICON))) return undefined;
    const lower = asked.toLowerCase();
    const isReserved = this.#reserved.some((one) => one !== '' && (lower === one || lower.startsWith(`${one}/`)));
    return isReserved ? undefined : asked;
  }

  /**
   * Answers it with the file. Closed files answer alike whether they are there or not.
   *
   * @param otherwise answers where there is none.
   */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    otherwise: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    if (this.#closed !== undefined) throw forbidden(this.#closed);
    const asked = pathOf(request.url)!;
    const { files, icon, policy } = this.#public;
    const favicon = icon && asked === ICON ? await this.#favicon(icon.path) : undefined;
    const found = favicon ?? (files ? await this.#find(asked.slice(1)) : undefined);
    if (!found) return otherwise();
    if (policy !== undefined) reply.header('content-security-policy', policy);
    reply.header('cache-control', favicon ? `public, max-age=${icon!.maxAge}` : `max-age=${files?.maxAge ?? 0}`);
    try {
      return await sendFile(request, reply, found.root, found.name);
    } catch (error) {
      return refuseUpload(error as Parameters<typeof refuseUpload>[0], request, reply);
    }
  }

  /** The favicon of the project's folder: the one that is named, or what the reference looks for. */
  async #favicon(name: string): Promise<Found | undefined> {
    const { dir } = this.#config;
    for (const one of [name, 'favicon.png', 'favicon.ico']) {
      const found = await fileIn(dir, path.relative(dir, path.resolve(dir, one)));
      if (found) return found;
    }
    return undefined;
  }

  async #find(asked: string): Promise<Found | undefined> {
    const isFolder = asked.endsWith('/');
    const name = isFolder ? asked.slice(0, -1) : asked;
    // each file has one address
    if (path.posix.normalize(name) !== name || /[\\\0]/.test(name)) return undefined;
    const { publicDir } = this.#config;
    const found = isFolder ? undefined : await fileIn(publicDir, name);
    const shown = found ?? (await fileIn(publicDir, `${name}/${INDEX}`));
    return shown?.name.toLowerCase().startsWith(`${UPLOADS}/`) ? undefined : shown;
  }
}

/** The path of a target, decoded; undefined for one that is none. */
function pathOf(target: string): string | undefined {
  const [written = ''] = target.split('?', 1);
  try {
    const decoded = decodeURIComponent(written);
    return /^\/[^/]/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

/** A file below a folder; undefined where there is none, for hidden ones, and where a link leads out of the folder. */
async function fileIn(folder: string, name: string): Promise<Found | undefined> {
  if (isHidden(name)) return undefined;
  try {
    const root = await realpath(folder);
    const real = await realpath(path.join(folder, name));
    const inside = path.relative(root, real).split(path.sep).join('/');
    if (path.isAbsolute(inside) || isHidden(inside) || !(await stat(real)).isFile()) return undefined;
    return { root, name: inside };
  } catch {
    // what cannot be read is not there for whoever asks
    return undefined;
  }
}

/** Whether a file, or a folder on the way to it, begins with a dot, as those outside do. */
const isHidden = (name: string): boolean => name.split(/[/\\]/).some((part) => part === '' || part.startsWith('.'));
