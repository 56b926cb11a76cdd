/**
 * Addresses of callers: which proxies are trusted to report them, and which addresses are refused by `strapi::ip`
 * (docs/reference/http.md, "Proxies" and "Addresses").
 */
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import proxyAddr, { compile } from '@fastify/proxy-addr';
import type { HttpConfig } from '../../config/config.ts';
import { networkOf } from './account-limits.ts';

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

export class AddressGuard {
  readonly #rules: HttpConfig['addresses'];
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #refused = new WeakSet<IncomingMessage>();

  constructor({ addresses, trustProxy }: Pick<HttpConfig, 'addresses' | 'trustProxy'>) {
    this.#rules = addresses;
    this.#addressOf = addressesOf(trustProxy);
  }

  /** Whether a request that has arrived is to be refused. What follows asks `hasRefused`. */
  refuses(request: IncomingMessage): boolean {
    if (this.#rules.length === 0 || this.#isLetIn(spellings(this.#addressOf(request)))) return false;
    this.#refused.add(request);
    return true;
  }

  /** Whether a request was to be refused when it arrived: one that comes from within the process never was. */
  hasRefused(request: IncomingMessage): boolean {
    return this.#refused.has(request);
  }

  #isLetIn(addresses: readonly string[]): boolean {
    const matches = (patterns: readonly RegExp[]) => patterns.some((one) => addresses.some((text) => one.test(text)));
    return this.#rules.every(
      ({ allowed, refused }) => (allowed === undefined || matches(allowed)) && !matches(refused),
    );
  }
}

/** An address as it is known, and one of IPv4 that is written as one of IPv6 as itself too. */
function spellings(address: string): readonly string[] {
  const plain = networkOf(address);
  return isIPv4(plain) && plain !== address ? [address, plain] : [address];
}
