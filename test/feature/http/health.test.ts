/** `/_health` and `/_ready` (docs/reference/http.md, "Health"). */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fs from 'node:fs';
import { describe, it, mock } from 'node:test';
import { type Engine, engines } from '../../support/databases/databases.ts';
import { serveScenarioProject } from '../../support/servers/seeded.ts';

const [sqlite] = engines as [Engine, Engine];

describe('readiness of a server whose disk fails', () => {
  it('is 503 after an unconfirmed write, since no later one will be confirmed, though reads are answered', async () => {
    const server = await serveScenarioProject(sqlite);
    try {
      const failure = Object.assign(new Error('i/o error'), { code: 'EIO' });
      mock.method(fs, 'fdatasyncSync', () => {
        throw failure;
      });
      mock.method(fs, 'fdatasync', (_descriptor: number, done: fs.NoParamCallback) => done(failure));
      strictEqual((await server.get('/_ready')).status, 204);
      const write = () =>
        server.request('POST', '/api/tags', { token: server.secrets['full'], body: { data: { name: 'one' } } });
      strictEqual((await write()).status, 503);
      mock.restoreAll();
      const { status, body } = await server.get('/_ready');
      deepStrictEqual([status, body.error.name], [503, 'ServiceUnavailableError']);
      strictEqual((await write()).status, 503);
      strictEqual((await server.get('/_health')).status, 204);
      strictEqual((await server.get('/api/tags', server.secrets['full'])).status, 200);
    } finally {
      mock.restoreAll();
      await server.stop();
    }
  });
});

for (const engine of engines) {
  describe(`readiness on ${engine.name}`, () => {
    it('is 204 for every method and caller while the database answers, and 503 once it does not', async () => {
      const server = await serveScenarioProject(engine);
      try {
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PROPFIND']) {
          const headers = { authorization: 'Bearer nobody' };
          const { status, text } = await server.request(method, '/_ready', { headers });
          deepStrictEqual([method, status, text], [method, 204, '']);
        }
        strictEqual((await server.get('/_READY/?x=1')).status, 204);
        await server.app.database.close();
        const { status, body } = await server.get('/_ready');
        deepStrictEqual([status, body.error.name], [503, 'ServiceUnavailableError']);
        strictEqual((await server.get('/_health')).status, 204);
      } finally {
        await server.stop().catch(() => {});
      }
    });
  });
}
