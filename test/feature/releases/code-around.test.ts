/** Previews of releases in projects with code: as without it where Galley reads, and refused where code does. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { signedIn } from '../../support/accounts/held-answers.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const drafts = { options: { draftAndPublish: true } };
const files = {
  'src/api/open/controllers/open.js': `const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreController('api::open.open', () => ({
  async find(ctx) {
    const { data, meta } = await super.find(ctx);
    return { data, meta: { ...meta, count: data.length } };
  },
  async findOne(ctx) { return super.findOne(ctx); },
}));`,
  'src/galley.ts': `import { defineAccess } from 'galley';
export const access = defineAccess({ 'api::ruled.ruled': { find: { publishedAt: { $notNull: true } } } });`,
  'src/api/hooked/content-types/hooked/lifecycles.js': 'module.exports = { afterFindMany() {}, afterFindOne() {} };',
};
const contentTypes = {
  open: contentType('open', { title: { type: 'string' } }, drafts),
  hooked: contentType('hooked', { title: { type: 'string' } }, drafts),
  ruled: contentType('ruled', { title: { type: 'string' } }, drafts),
};

const tokens = [
  { name: 'full', type: 'full-access' },
  {
    name: 'reader',
    type: 'custom',
    permissions: ['api::ruled.ruled.find', 'api::ruled.ruled.findOne', 'api::open.open.find'],
  },
] as const;

for (const engine of engines) {
  describe(`previews of releases with project code on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, files }), { tokens });
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      sue = await signedIn(server, 'sue');
    });
    after(() => server?.stop());

    const release = async (
      uid: `api::${'open' | 'hooked' | 'ruled'}.${'open' | 'hooked' | 'ruled'}`,
      name: string,
    ): Promise<string> => {
      const { documentId } = (await server.app.documents(uid).create({ data: { title: name } })) as {
        documentId: string;
      };
      const made = await sue.send('POST', 'releases', { name });
      const { id } = (made.body as { data: { id: number } }).data;
      const actions = [{ type: 'publish', contentType: uid, documentId }];
      strictEqual((await sue.send('POST', `releases/${id}/actions`, { actions })).status, 201);
      return documentId;
    };
    const get = (target: string) => server.get(`/api/${target}`, server.secrets['full']!);

    it('pass through controllers that call those of Galley', async () => {
      const documentId = await release('api::open.open', 'spring');
      deepStrictEqual((await get('opens')).body.data, []);
      const { status, body } = await get('opens?release=spring');
      deepStrictEqual([status, body.data[0]?.documentId, body.meta.count], [200, documentId, 1]);
      strictEqual((await get(`opens/${documentId}?release=spring`)).body.data.title, 'spring');
      strictEqual((await get('opens?release=nothing')).status, 400);
      strictEqual((await get('opens?rele%61se=spring')).body.data[0]?.documentId, documentId);
      strictEqual((await get('opens?%72elease=nothing')).status, 400);
    });

    it('are refused where documents are read through code', async () => {
      const documentId = await release('api::hooked.hooked', 'autumn');
      strictEqual((await get('hookeds?release=autumn')).status, 400);
      strictEqual((await get('hookeds?rele%61se=autumn')).status, 400);
      strictEqual((await get(`hookeds/${documentId}?release=autumn`)).status, 400);
      // a parameter of the code itself
      deepStrictEqual((await get('hookeds?release=of-code')).body.data, []);
    });

    it('are refused to callers from whom a rule hides drafts', async () => {
      const documentId = await release('api::ruled.ruled', 'winter');
      const reader = (target: string) => server.get(`/api/${target}`, server.secrets['reader']!);
      deepStrictEqual((await reader('ruleds?status=draft')).body.data, []);
      strictEqual((await reader('ruleds?release=winter')).status, 403);
      strictEqual((await reader(`ruleds/${documentId}?release=winter`)).status, 403);
      strictEqual((await reader('opens?populate=*&release=winter')).status, 403);
    });
  });
}
