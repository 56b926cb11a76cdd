/**
 * Which addresses a webhook may be sent to. A name is resolved when it is connected to, and the addresses that it
 * resolves to are the ones that are checked and used: one that resolves to another address later gains nothing.
 */
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Networks that are not the internet: https://www.iana.org/assignments/iana-ipv4-special-registry, and that of IPv6. */
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
  // addresses of IPv4 in those of IPv6, behind a translator
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  // tunnels among them
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

/** Why nothing is sent to an address. */
export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} is in a private network: webhooks.allowPrivateNetworks in config/server allows it`);
  }
}

/**
 * Whether an address is one of a private network, IPv4 addresses in the form of IPv6 included. What is no address at all
 * counts as one.
 */
export function isPrivate(address: string): boolean {
  // names of interfaces behind it say nothing about the network
  const plain = address.replace(/%.*$/, '');
  const version = isIP(plain);
  return version === 0 || PRIVATE.check(plain, version === 6 ? 'ipv6' : 'ipv4');
}

/** Names that mean the machine itself, whatever they are looked up as (RFC 6761, section 6.3). */
const ITSELF = /(?:^|\.)localhost\.?$/i;

/** Refuses a host that is itself an address of a private network, or of this machine: it is not looked up. */
export function requirePublic(host: string): void {
  const address = host.replace(/^\[|\]$/g, '');
  if (ITSELF.test(host) || (isIP(address) !== 0 && isPrivate(address))) throw new PrivateAddress(host);
}

/** Looks a name up and leaves out the addresses of private networks. */
export const lookUpPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '');
    const open = addresses.filter(({ address }) => !isPrivate(address));
    if (open.length === 0) return done(new PrivateAddress(host), '');
    if (options.all) return done(null, open);
    done(null, open[0]!.address, open[0]!.family);
  });
};
