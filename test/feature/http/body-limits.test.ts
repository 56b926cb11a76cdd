/** Limits of request bodies as `strapi::body` sets them (docs/reference/limits.md, "Bodies"). */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { serveConfigured } from '../../support/servers/configured.ts';

for (const engine of engines) {
  describe(`body limits on ${engine.name}`, () => {
    it('are those of the configuration', async () => {
      const config = { jsonLimit: '2kb', formLimit: 1024 };
      const server = await serveConfigured(engine, { middlewares: ['strapi::cors', { name: 'strapi::body', config }] });
      const statusOf = async (type: string, body: string) => {
        const headers = { 'content-type': type };
        const token = server.secrets['full'];
        return (await server.request('POST', '/api/authors', { token, body, headers })).status;
      };
      try {
        const json = (length: number) => JSON.stringify({ data: { name: `n${length}`, bio: 'x'.repeat(length) } });
        const form = (length: number) => `data[name]=f${length}&data[bio]=${'x'.repeat(length)}`;
        deepStrictEqual(
          [
            await statusOf('application/json', json(1900)),
            await statusOf('application/json', json(2100)),
            await statusOf('application/x-www-form-urlencoded', form(900)),
            await statusOf('application/x-www-form-urlencoded', form(1100)),
          ],
          [200, 413, 200, 413],
        );
        deepStrictEqual(server.app.warnings, []);
      } finally {
        await server.stop();
      }
    });
  });
}
