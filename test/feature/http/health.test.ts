/** `/_health` and `/_ready` (docs/reference/http.md, "Health"). */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { serveScenarioProject } from '../../support/servers/seeded.ts';

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
