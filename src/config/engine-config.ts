/**
 * The part of the configuration that belongs to the engine, which is opened once and lives as long as the process. The
 * rest belongs to the project and may change while the server runs.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.ts';

/** The settings of the engine with their names for messages. */
const PARTS: readonly (readonly [name: string, of: (config: Config) => unknown])[] = [
  ['the database', ({ database }) => database],
  ['the treatment of missing indexes', ({ indexes }) => indexes],
  ['the host', ({ host }) => host],
  ['the port', ({ port }) => port],
  ['the number of workers', ({ workers }) => workers],
  ['the secrets', ({ apiTokenSalt, jwtSecret, encryptionKey }) => [apiTokenSalt, jwtSecret, encryptionKey]],
  ['the public folder', ({ publicDir }) => publicDir],
  ['the storage of files', ({ upload }) => upload.storage],
  ['the processing of images', ({ upload }) => upload.images],
  ['the sessions of users', ({ users }) => [users.jwtLifespan, users.jwtManagement, users.sessions]],
  ['the sending of mail', ({ users }) => users.email],
  ['the log', ({ http, logSql }) => [http.logLevel, http.codeLogLevel, http.logFormat, logSql]],
  ['the metrics', ({ http }) => http.metrics],
  ['the limits of unread answers', ({ http }) => http.answers],
  ['the sending of webhooks', ({ webhooks }) => webhooks],
  ['the limits of event streams', ({ events }) => events],
  ['the log of actions', ({ audit }) => audit],
  ['backups', ({ backup }) => backup],
  ['the time to shut down', ({ http }) => http.shutdown],
];

/** Names of the engine's settings in which a new configuration differs. */
export function engineChanges(own: Config, wanted: Config): string[] {
  return PARTS.filter(([, of]) => !isDeepStrictEqual(withoutCode(of(own)), withoutCode(of(wanted)))).map(
    ([name]) => name,
  );
}

/** Settings that are wholly the engine's. */
const OWN = [
  ...(['database', 'indexes', 'host', 'port', 'workers', 'apiTokenSalt', 'jwtSecret'] as const),
  ...(['encryptionKey', 'publicDir', 'logSql', 'webhooks', 'events', 'audit', 'backup'] as const),
];

/** A new configuration with the engine's own settings. */
export function withEngineOf(own: Config, wanted: Config): Config {
  const { storage, images } = own.upload;
  const { jwtLifespan, jwtManagement, sessions, email } = own.users;
  const { logLevel, codeLogLevel, logFormat, metrics, answers, shutdown } = own.http;
  return Object.freeze({
    ...wanted,
    ...Object.fromEntries(OWN.map((name) => [name, own[name]])),
    upload: Object.freeze({ ...wanted.upload, storage, images }),
    users: Object.freeze({ ...wanted.users, jwtLifespan, jwtManagement, sessions, email }),
    http: Object.freeze({ ...wanted.http, logLevel, codeLogLevel, logFormat, metrics, answers, shutdown }),
  });
}

/** A value in which all functions are equal: each evaluation of a file creates new ones. */
function withoutCode(value: unknown): unknown {
  if (typeof value === 'function') return 'function';
  if (Array.isArray(value)) return value.map(withoutCode);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutCode(part)]));
}
