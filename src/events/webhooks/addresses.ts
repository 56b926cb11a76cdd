/**
 * The addresses that a webhook may have. A host name is resolved when the connection is opened, and the resolved addresses
 * are the ones that are checked and used, so a name that resolves to another address later gains nothing.
 */
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Networks outside the internet: https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 counterpart. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 96],
  // translated IPv4 addresses
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  // includes tunnels
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv6');
}

/** A request was refused because its address is private. */
export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} is in a private network: webhooks.allowPrivateNetworks in config/server allows it`);
  }
}

/** Whether an address is in a private network, including IPv4 addresses in IPv6 form. True for text that is no address. */
export function isPrivate(address: string): boolean {
  // an interface name after it says nothing about the network
  const plain = address.replace(/%.*$/, '');
  const version = isIP(plain);
  return version === 0 || PRIVATE.check(plain, version === 6 ? 'ipv6' : 'ipv4');
}

/** Names of the machine itself, whatever they resolve to (RFC 6761, section 6.3). */
const ITSELF = /(?:^|\.)localhost\.?$/i;

/** Refuses a host that is an address of a private network or of this machine, without resolving names. @throws PrivateAddress */
export function requirePublic(host: string): void {
  const address = host.replace(/^\[|\]$/g, '');
  if (ITSELF.test(host) || (isIP(address) !== 0 && isPrivate(address))) throw new PrivateAddress(host);
}

/** Resolves a name, without its private addresses. */
export const lookUpPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '');
    const open = addresses.filter(({ address }) => !isPrivate(address));
    if (open.length === 0) return done(new PrivateAddress(host), '');
    if (options.all) return done(null, open);
    done(null, open[0]!.address, open[0]!.family);
  });
};
