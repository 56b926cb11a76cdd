/**
 * Files of the project's `public` folder, such as `robots.txt`, at paths without a route, and its favicon
 * (docs/reference/http.md, "Files of the project"). Uploaded files are in a folder of their own there, and are served
 * separately.
 */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config, PublicConfig } from '../../config/config.ts';
import { forbidden } from '../../errors.ts';
import { refuseUpload, sendFile } from './send-file.ts';

/** The folder of uploads, below that of the project's files. */
const UPLOADS = 'uploads';
/** The path of the favicon. */
const ICON = '/favicon.ico';
/** The file that a folder shows. */
const INDEX = 'index.html';

/** A file and its folder, with links resolved. */
interface FoundFile {
  readonly root: string;
  readonly name: string;
}

export class PublicFiles {
  readonly #config: Pick<Config, 'publicDir' | 'dir'>;
  readonly #public: PublicConfig;
  readonly #reserved: readonly string[];
  readonly #closed: string | undefined;

  /**
   * @param reserved paths below which only the server answers.
   * @param closed the reason why files are not served: project code that guards them does not run.
   */
  constructor(config: Config, reserved: readonly string[], closed: string | undefined) {
    this.#config = config;
    this.#public = config.http.publicFiles;
    this.#reserved = [...reserved, `/${UPLOADS}`].map((one) => one.toLowerCase());
    this.#closed = closed;
  }

  /** The decoded path of a request without a route that may be for such a file; undefined for others. */
  requestedPath({ method, url }: FastifyRequest): string | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const { files, icon } = this.#public;
    const requested = pathOf(url);
    if (requested === undefined || !(files || (icon && requested === ICON))) return undefined;
    const lower = requested.toLowerCase();
    const isReserved = this.#reserved.some((one) => one !== '' && (lower === one || lower.startsWith(`${one}/`)));
    return isReserved ? undefined : requested;
  }

  /**
   * Answers with the file. Closed files get the same answer whether they exist or not.
   *
   * @param otherwise answers where the file does not exist.
   */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    otherwise: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    if (this.#closed !== undefined) throw forbidden(this.#closed);
    const requested = pathOf(request.url)!;
    const { files, icon, policy } = this.#public;
    const favicon = icon && requested === ICON ? await this.#favicon(icon.path) : undefined;
    const found = favicon ?? (files ? await this.#find(requested.slice(1)) : undefined);
    if (!found) return otherwise();
    if (policy !== undefined) reply.header('content-security-policy', policy);
    reply.header('cache-control', favicon ? `public, max-age=${icon!.maxAge}` : `max-age=${files?.maxAge ?? 0}`);
    try {
      return await sendFile(request, reply, found.root, found.name);
    } catch (error) {
      return refuseUpload(error as Parameters<typeof refuseUpload>[0], request, reply);
    }
  }

  /** The favicon of the project: the configured one, or the reference's default. */
  async #favicon(name: string): Promise<FoundFile | undefined> {
    const { dir } = this.#config;
    for (const one of [name, 'favicon.png', 'favicon.ico']) {
      const found = await fileIn(dir, path.relative(dir, path.resolve(dir, one)));
      if (found) return found;
    }
    return undefined;
  }

  async #find(requested: string): Promise<FoundFile | undefined> {
    const isFolder = requested.endsWith('/');
    const name = isFolder ? requested.slice(0, -1) : requested;
    // each file has one address
    if (path.posix.normalize(name) !== name || /[\\\0]/.test(name)) return undefined;
    const { publicDir } = this.#config;
    const found = isFolder ? undefined : await fileIn(publicDir, name);
    const shown = found ?? (await fileIn(publicDir, `${name}/${INDEX}`));
    return shown?.name.toLowerCase().startsWith(`${UPLOADS}/`) ? undefined : shown;
  }
}

/** The decoded path of a target; undefined for an invalid one. */
function pathOf(target: string): string | undefined {
  const [written = ''] = target.split('?', 1);
  try {
    const decoded = decodeURIComponent(written);
    return /^\/[^/]/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

/** A file below a folder; undefined where it does not exist, is hidden, or a link leads out of the folder. */
async function fileIn(folder: string, name: string): Promise<FoundFile | undefined> {
  if (isHidden(name)) return undefined;
  try {
    const root = await realpath(folder);
    const real = await realpath(path.join(folder, name));
    const inside = path.relative(root, real).split(path.sep).join('/');
    if (path.isAbsolute(inside) || isHidden(inside) || !(await stat(real)).isFile()) return undefined;
    return { root, name: inside };
  } catch {
    // an unreadable file counts as missing
    return undefined;
  }
}

/** True where a file or a folder on the way to it begins with a dot. */
const isHidden = (name: string): boolean => name.split(/[/\\]/).some((part) => part === '' || part.startsWith('.'));
