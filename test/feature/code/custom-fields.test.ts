/** Custom fields that a project's code registers: docs/reference/project-code.md. */
import { deepStrictEqual, match } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import { checkProject } from '../../../src/project.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const custom = (customField: string, more: object = {}) => ({ type: 'customField', customField, ...more });

const PROJECT: ProjectFiles = {
  contentTypes: {
    shop: contentType('shop', {
      hours: custom('global::opening-times'),
      color: custom('plugin::palette.color', { minLength: 4 }),
      rank: custom('plugin::palette.rank'),
      said: custom('global::opening-times', { underlyingType: 'string' }),
    }),
  },
  files: {
    'src/names.ts': "export const HOURS = 'opening-times';",
    'src/index.ts':
      "import { HOURS } from './names';\nexport default { register({ strapi }: any) { strapi.customFields.register({ name: HOURS, type: 'json', inputSize: { default: 12, isResizable: true } }); } };",
    'config/plugins.js': "module.exports = { palette: { enabled: true, resolve: './src/plugins/palette' } };",
    'src/plugins/palette/package.json': '{"name":"palette","strapi":{"kind":"plugin","name":"palette"}}',
    'src/plugins/palette/strapi-server.js': "module.exports = require('./server');",
    'src/plugins/palette/server/index.js':
      "module.exports = { register({ strapi }) { strapi.customFields.register([{ name: 'color', plugin: 'palette', type: 'string' }, { name: 'rank', plugin: 'palette', type: 'integer' }]); } };",
  },
};

for (const engine of engines) {
  describe(`custom fields of a project's code on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server.stop());

    it('are stored, and checked, as the types that code registers them with', async () => {
      const token = server.secrets['full']!;
      const write = async (data: object) => {
        const { status, body } = await server.request('POST', '/api/shops', { token, body: { data } });
        return status === 200 ? body.data : [status, body.error.details.errors[0].path];
      };
      const { hours, color, rank, said } = await write({
        ...{ hours: { monday: [9, 17] }, color: '#fff', rank: 3, said: 'as the schema says' },
      });
      deepStrictEqual(
        { hours, color, rank, said },
        {
          ...{ hours: { monday: [9, 17] }, color: '#fff', rank: 3, said: 'as the schema says' },
        },
      );
      deepStrictEqual(await write({ color: '#' }), [400, ['color']]);
      deepStrictEqual(await write({ rank: 1.5 }), [400, ['rank']]);
      const found = await server.request('GET', '/api/shops?filters[rank][$gt]=2&fields=rank', { token });
      deepStrictEqual(found.body.data.length, 1);
    });
  });
}

describe('custom fields that no code registers', () => {
  it('are a mistake without a registration, as is an unknown type', async () => {
    const contentTypes = {
      shop: contentType('shop', { hours: custom('global::hours'), rank: custom('global::rank') }),
    };
    const files = {
      'src/index.js':
        "module.exports = { register({ strapi }) { strapi.customFields.register({ name: 'rank', type: 'number' }); } };",
    };
    const dir = await makeProject({ contentTypes, files });
    const { problems } = await checkProject(await loadConfig(dir.dir, { env: {} }));
    const told = problems.map(({ message }) => message).join('\n');
    match(told, /unknown custom field global::hours/);
    match(told, /unknown type "number"/);
  });
});
