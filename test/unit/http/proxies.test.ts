/** The address of a caller, where Fastify does not look for it (docs/reference/http.md, "Proxies"). */
import { deepStrictEqual } from 'node:assert/strict';
import { it } from 'node:test';
import Fastify from 'fastify';
import { addressesOf, trustOf } from '../../../src/http/protocol/addresses.ts';

it('is the same as that of Fastify, for any trusted proxies', async () => {
  const forwarded = [
    undefined,
    '203.0.113.1',
    '198.51.100.7, 203.0.113.2',
    '203.0.113.1, 10.0.0.7',
    'made-up',
    '::1, fd00::1',
  ];
  for (const trusted of [false, true, 1, 2, ['192.0.2.1'], ['192.0.2.0/24', '10.0.0.0/8']]) {
    const addressOf = addressesOf(trusted);
    const server = Fastify({ trustProxy: trustOf(trusted) });
    server.get('/', async ({ ip, raw }) => ({ own: addressOf(raw), fastify: ip }));
    for (const header of forwarded) {
      for (const remoteAddress of ['192.0.2.1', '10.1.2.3', '2001:db8::1']) {
        const headers = header === undefined ? {} : { 'x-forwarded-for': header };
        const { own, fastify } = (await server.inject({ url: '/', remoteAddress, headers })).json();
        deepStrictEqual(own, fastify, `${JSON.stringify(trusted)}: ${header} from ${remoteAddress}`);
      }
    }
  }
});
