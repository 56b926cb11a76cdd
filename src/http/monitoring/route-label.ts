/** What the route of a request is called where it is told of: its pattern, if nothing else. */
import type { FastifyRequest } from 'fastify';

export function labelOf({ routeOptions: { config, url } }: FastifyRequest): string | undefined {
  return (config as { readonly label?: string } | undefined)?.label ?? url;
}
