/** How logs and metrics name a request: by its id and by its route. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** What an id may be: short, and harmless in logs, headers and shells. */
const WELL_FORMED = /^[\w.:-]{1,128}$/;

/** Gives each request an id: that of its `X-Request-Id`, so that logs of clients and proxies match, or a new one. */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return ({ headers }) => {
    const sent = headers['x-request-id'];
    if (typeof sent === 'string' && WELL_FORMED.test(sent)) return sent;
    count++;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** The label of a request's route: its pattern, unless the route has a name of its own. */
export function labelOf({ routeOptions: { config, url } }: FastifyRequest): string | undefined {
  return (config as { readonly label?: string } | undefined)?.label ?? url;
}
