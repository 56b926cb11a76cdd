/** Whose requests are answered, by their addresses: `strapi::ip` (docs/reference/http.md, "Addresses"). */
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import type { HttpConfig } from '../../config/config.ts';
import { networkOf } from './account-limits.ts';
import { addressesOf } from './proxies.ts';

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
