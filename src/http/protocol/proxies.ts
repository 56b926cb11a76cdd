/** Trusted proxies: whose `X-Forwarded-For` tells a caller's address (docs/reference/http.md, "Proxies"). */
import { BlockList, isIP } from 'node:net';
import type { HttpConfig } from '../../config/config.ts';

/** Addresses that no caller from outside has (RFC 1918, RFC 4193, RFC 3927, RFC 4291, loopback). */
const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv6');
}

type Trust = boolean | string[] | ((address: string, hop: number) => boolean);

/**
 * The setting in Fastify's form. `true` is not Fastify's, by which the caller's address is the first of the header,
 * which every caller can make up: it is the last one that is not a proxy's, the nearest proxy and private addresses
 * being proxies.
 */
export function trustOf(trusted: HttpConfig['trustProxy']): Trust {
  if (trusted === true) return (address, hop) => hop === 0 || isPrivate(address);
  if (typeof trusted === 'number') return (_address, hop) => hop < trusted;
  return trusted === false ? false : [...trusted];
}

function isPrivate(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  return family !== 0 && PRIVATE.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}
