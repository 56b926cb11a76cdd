/** Trusted proxies: whose `X-Forwarded-For` gives a caller's address (docs/reference/http.md, "Proxies"). */
import type { IncomingMessage } from 'node:http';
import proxyAddr, { compile } from '@fastify/proxy-addr';
import type { HttpConfig } from '../../config/config.ts';

/** Whether no caller from outside has an address (RFC 1918, RFC 4193, RFC 3927, RFC 4291, loopback). */
const isPrivate = compile(['loopback', 'linklocal', 'uniquelocal']);

type Trust = boolean | string[] | ((address: string, hop: number) => boolean);

/**
 * The setting in Fastify's form. `true` is not Fastify's, by which the caller's address is the first of the header,
 * which every caller can make up: it is the last one that is not a proxy's, the nearest proxy and private addresses
 * being proxies.
 */
export function trustOf(trusted: HttpConfig['trustProxy']): Trust {
  if (trusted === true) return (address, hop) => hop === 0 || isPrivate(address, hop);
  if (typeof trusted === 'number') return (_address, hop) => hop < trusted;
  return trusted === false ? false : [...trusted];
}

/** What gives the address of a request's caller, as Fastify does for the requests that it sees. */
export function addressesOf(trusted: HttpConfig['trustProxy']): (request: IncomingMessage) => string {
  const trust = trustOf(trusted);
  if (typeof trust === 'boolean') return ({ socket }) => socket.remoteAddress ?? '';
  const isTrusted = typeof trust === 'function' ? trust : compile(trust);
  return (request) => proxyAddr(request, isTrusted);
}
