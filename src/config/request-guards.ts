/**
 * Refuses settings that keep requests out in Strapi and that Galley does not support. Other unsupported settings are
 * reported in a warning, but ignoring one of these would let in what Strapi refuses.
 */
import { UsageError } from '../errors.ts';
import { programText } from '../own-files.ts';
import { type ConfigFile, type ConfigFiles, isTree } from './config-file.ts';
import { valueAt } from './values.ts';

/** The reference's own middlewares. It refuses to start with others that begin with `strapi::`. */
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

/** Kinds of bodies that `strapi::body` can refuse to read. */
const BODIES = ['json', 'urlencoded', 'multipart'];
/** Functions of the project that may refuse the files of a form. */
const FILE_FUNCTIONS = ['filter', 'onFileBegin'];
/** Methods whose bodies are always read. */
const READ = ['POST', 'PUT', 'PATCH'];

/** @throws UsageError for the first such setting. */
export function refuseGuards({ middlewares, server, plugins }: ConfigFiles): void {
  for (const [index, entry] of middlewares.value.entries()) {
    if (entry === undefined || entry === null || entry === '') {
      throw new UsageError(
        `${middlewares.path}: [${index}] is not a middleware: it must be a name such as 'strapi::cors', or an object with a name or resolve`,
      );
    }
    const name: unknown = isTree(entry) ? entry['name'] : entry;
    if (typeof name === 'string' && name.startsWith('strapi::') && !BUILT_IN.includes(name)) {
      throw new UsageError(`${middlewares.path}: there is no middleware ${name}: there are ${BUILT_IN.join(', ')}`);
    }
    if (name === 'strapi::body' && isTree(entry))
      refuseBodySettings({ path: `${middlewares.path} ${name}`, value: entry });
  }
  if ((valueAt(server, 'socket') ?? '') !== '') {
    throw new UsageError(
      `${server.path}: socket is not supported: Galley would listen at a port that others can reach. Remove it, and set host to 127.0.0.1 for a proxy on this machine`,
    );
  }
  const accounts = plugins.value['users-permissions'];
  if (accounts === false || (isTree(accounts) && accounts['enabled'] === false)) {
    throw new UsageError(
      `${plugins.path}: users-permissions cannot be disabled, since the actions of its roles would stay open: remove this setting, and revoke the actions of the roles (${programText()} role revoke)`,
    );
  }
}

function refuseBodySettings(entry: ConfigFile): void {
  for (const key of BODIES) {
    if (valueAt(entry, `config.${key}`) !== false) continue;
    throw new UsageError(`${entry.path}: config.${key} cannot be false: these bodies are always read`);
  }
  for (const key of FILE_FUNCTIONS) {
    if (valueAt(entry, `config.formidable.${key}`) === undefined) continue;
    throw new UsageError(
      `${entry.path}: config.formidable.${key} is code that may refuse files, and does not run: use sizeLimit and security of upload in config/plugins`,
    );
  }
  const methods = valueAt(entry, 'config.parsedMethods');
  const missing = Array.isArray(methods) ? READ.find((method) => !methods.includes(method)) : undefined;
  if (missing !== undefined) {
    throw new UsageError(`${entry.path}: config.parsedMethods cannot leave out ${missing}: its bodies are always read`);
  }
}
