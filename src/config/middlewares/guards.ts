/**
 * Settings of Strapi that keep somebody out and that Galley cannot go by. What is passed over elsewhere with a warning ends
 * the start here: it would let in whom Strapi refuses.
 */
import { UsageError } from '../../errors.ts';
import { type ConfigFile, type ConfigFiles, isTree } from '../config-file.ts';
import { valueAt } from '../values.ts';

/** The reference's own middlewares. It does not start with others of its name. */
const BUILT_IN: readonly string[] = [
  ...[
    'body',
    'compression',
    'cors',
    'errors',
    'favicon',
    'ip',
    'logger',
    'poweredBy',
    'public',
    'query',
    'responseTime',
  ],
  ...['responses', 'security', 'session'],
].map((name) => `strapi::${name}`);

/** Kinds of bodies that `strapi::body` may leave unread, so that nobody can send any. */
const BODIES = ['json', 'urlencoded', 'multipart'];
/** Functions of the project that look at the files of a form, and may refuse them. */
const OF_FILES = ['filter', 'onFileBegin'];
/** Methods whose bodies are always read. */
const READ = ['POST', 'PUT', 'PATCH'];

/** @throws UsageError for the first such setting. */
export function refuseGuards({ middlewares, server, plugins }: ConfigFiles): void {
  for (const [index, entry] of middlewares.value.entries()) {
    if (entry === undefined || entry === null || entry === '') {
      throw new UsageError(
        `${middlewares.path}: [${index}] is no middleware: it must be a name such as 'strapi::cors', or an object with a name or resolve`,
      );
    }
    const name: unknown = isTree(entry) ? entry['name'] : entry;
    if (typeof name === 'string' && name.startsWith('strapi::') && !BUILT_IN.includes(name)) {
      throw new UsageError(`${middlewares.path}: there is no middleware ${name}: there are ${BUILT_IN.join(', ')}`);
    }
    if (name === 'strapi::body' && isTree(entry)) refuseOfBody({ path: `${middlewares.path} ${name}`, value: entry });
  }
  if ((valueAt(server, 'socket') ?? '') !== '') {
    throw new UsageError(
      `${server.path}: socket is not supported: Galley would listen at a port in its place, where others can reach it. Remove it, and set host to 127.0.0.1 for a proxy on this machine`,
    );
  }
  const accounts = plugins.value['users-permissions'];
  if (accounts === false || (isTree(accounts) && accounts['enabled'] === false)) {
    throw new UsageError(
      `${plugins.path}: users-permissions cannot be switched off, and what its roles permit would be open: remove this, and revoke what the roles have (galley role)`,
    );
  }
}

function refuseOfBody(entry: ConfigFile): void {
  for (const key of BODIES) {
    if (valueAt(entry, `config.${key}`) !== false) continue;
    throw new UsageError(`${entry.path}: config.${key} cannot be false: these bodies are read in any case`);
  }
  for (const key of OF_FILES) {
    if (valueAt(entry, `config.formidable.${key}`) === undefined) continue;
    throw new UsageError(
      `${entry.path}: config.formidable.${key} is code that may refuse files, and is not run: use sizeLimit and security of upload in config/plugins`,
    );
  }
  const methods = valueAt(entry, 'config.parsedMethods');
  const left = Array.isArray(methods) ? READ.find((method) => !methods.includes(method)) : undefined;
  if (left !== undefined) {
    throw new UsageError(
      `${entry.path}: config.parsedMethods cannot leave out ${left}: its bodies are read in any case`,
    );
  }
}
