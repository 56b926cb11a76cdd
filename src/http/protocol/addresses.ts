/**
 * Addresses of callers: which proxies are trusted to report them, and which addresses are refused by `strapi::ip`
 * (docs/reference/http.md, "Proxies" and "Addresses").
 */
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import proxyAddr, { compile } from '@fastify/proxy-addr';
import type { HttpConfig } from '../../config/config.ts';
import { networkOf } from './account-limits.ts';

/** True for addresses that no external caller has (RFC 1918, RFC 4193, RFC 3927, RFC 4291, loopback). */
const isPrivate = compile(['loopback', 'linklocal', 'uniquelocal']);

type Trust = boolean | string[] | ((address: string, hop: number) => boolean);

/**
 * The setting in Fastify's form. Fastify's `true` takes the first address of the header, which any caller can forge.
 * Here it means the last address that is not a proxy, where the nearest hop and private addresses are proxies.
 */
export function trustOf(trusted: HttpConfig['trustProxy']): Trust {
  if (trusted === true) return (address, hop) => hop === 0 || isPrivate(address, hop);
  if (typeof trusted === 'number') return (_address, hop) => hop < trusted;
  return trusted === false ? false : [...trusted];
}

/** Creates a function that returns the address of a request's caller, as Fastify computes it. */
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

  /** Decides whether an arriving request is refused. Later code calls `hasRefused`. */
  refuses(request: IncomingMessage): boolean {
    if (this.#rules.length === 0 || this.#isLetIn(spellings(this.#addressOf(request)))) return false;
    this.#refused.add(request);
    return true;
  }

  /** True for a request that was refused on arrival. Requests from within the process never are. */
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

/** The spellings of an address: as it is, and for IPv4 in IPv6 notation the plain one. */
function spellings(address: string): readonly string[] {
  const plain = networkOf(address);
  return isIPv4(plain) && plain !== address ? [address, plain] : [address];
}
