/** The context of a request for project code, before Fastify has it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpConfig } from '../../../config/config.ts';
import { Context } from '../../../runtime/requests/context.ts';
import { addressesOf } from '../../protocol/addresses.ts';

export function bareContext(
  raw: IncomingMessage,
  response: ServerResponse,
  { trustProxy }: Pick<HttpConfig, 'trustProxy'>,
): Context {
  const { method = 'GET', url = '/', headers } = raw;
  const protocol = 'encrypted' in raw.socket ? 'https' : 'http';
  const parts = { method, url, headers, protocol, host: headers.host ?? '', ip: addressesOf(trustProxy)(raw) };
  return new Context({ ...parts, raw, body: undefined }, response);
}
