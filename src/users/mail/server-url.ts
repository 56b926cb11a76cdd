/** Where people reach the server, for links in mails. */
import type { Config } from '../../config/config.ts';

/** The configured address of the server. It is never taken from a request: its sender could choose where a mail leads. */
export function serverUrl({ host, port, users }: Pick<Config, 'host' | 'port' | 'users'>): string {
  if (users.publicUrl !== undefined) return users.publicUrl;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
