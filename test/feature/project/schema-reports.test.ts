/** `/content-type-builder`: schemas as tools read them, against what Strapi 5.54 answers for the same project. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import {
  CONFORMANCE_DIR,
  contentType,
  copyProject,
  makeProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

interface Told {
  readonly uid: string;
  readonly schema: { readonly kind: string; readonly attributes: Readonly<Record<string, { readonly type: string }>> };
}

const PATH = '/api/content-type-builder';
const ACTIONS = ['content-types.getContentTypes', 'content-types.getContentType', 'components.getComponents'];
const recorded: { readonly contentTypes: readonly Told[]; readonly components: readonly Told[] } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../fixtures/told-schemas.json'), 'utf8'),
);

/** Attributes in their order, which objects do not compare. */
const inOrder = ({ schema }: Told) => Object.entries(schema.attributes);

for (const engine of engines) {
  describe(`schemas over HTTP on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let server: RunningServer;
    const tokens: Record<string, string> = {};

    const galley = async (...args: string[]): Promise<string> => {
      const [out, err]: [string[], string[]] = [[], []];
      const surroundings = {
        print: (line: string) => void out.push(line),
        warn: (line: string) => void err.push(line),
      };
      const code = await runCommandLine([...args, folder.dir], { env: database.env, ...surroundings });
      strictEqual(code, 0, err.join('\n'));
      return out.join('\n');
    };
    const get = (place: string, token = 'full') => server.get(`${PATH}/${place}`, tokens[token]);

    before(async () => {
      folder = await copyProject(CONFORMANCE_DIR);
      database = await engine.databaseFor(folder);
      const permissions = ACTIONS.flatMap((action) => ['--permission', `plugin::content-type-builder.${action}`]);
      tokens['full'] = await galley('token', 'create', '--name', 'full', '--type', 'full-access');
      tokens['read'] = await galley('token', 'create', '--name', 'read', '--type', 'read-only');
      tokens['custom'] = await galley('token', 'create', '--name', 'custom', '--type', 'custom', ...permissions);
      server = await serve(folder, database);
    });
    after(() => server?.stop());

    it('are those of the project in the form of the reference', async () => {
      const { status, body } = await get('content-types');
      strictEqual(status, 200);
      const own = (types: readonly Told[]) => types.filter(({ uid }) => uid.startsWith('api::'));
      deepStrictEqual(own(body.data), own(recorded.contentTypes));
      deepStrictEqual(own(body.data).map(inOrder), own(recorded.contentTypes).map(inOrder));
      // the reference tells components in the order in which the file system lists them
      const sorted = (components: readonly Told[]) => components.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
      const components = sorted((await get('components')).body.data);
      deepStrictEqual(components, sorted(recorded.components));
      deepStrictEqual(components.map(inOrder), sorted(recorded.components).map(inOrder));
    });

    it('include built-in types, with the attributes that relations of the project lead to', async () => {
      const { data } = (await get('content-types')).body as { data: Told[] };
      for (const uid of [
        'plugin::upload.file',
        'plugin::users-permissions.user',
        'plugin::i18n.locale',
        'admin::user',
      ]) {
        const one = data.find((type) => type.uid === uid)!;
        const reference = recorded.contentTypes.find((type) => type.uid === uid)!;
        const types = (of: Told) => Object.entries(of.schema.attributes).map(([name, { type }]) => `${name}: ${type}`);
        deepStrictEqual(types(one), types(reference));
        const flags = ({ schema }: Told) => {
          const {
            attributes: _,
            displayName: __,
            timestamps: ___,
            ...rest
          } = schema as Told['schema'] & Record<string, unknown>;
          return rest;
        };
        deepStrictEqual(flags(one), flags(reference));
      }
      const order = recorded.contentTypes.map(({ uid }) => uid.split('::')[0]);
      deepStrictEqual([...new Set(data.map(({ uid }) => uid.split('::')[0]))], [...new Set(order)]);
    });

    it('are sent one by one, and by kind', async () => {
      const article = recorded.contentTypes.find(({ uid }) => uid === 'api::article.article');
      deepStrictEqual((await get('content-types/api::article.article')).body, { data: article });
      deepStrictEqual((await get('content-types/api%3A%3Aarticle.article')).body, { data: article });
      const [component] = recorded.components;
      deepStrictEqual((await get(`components/${component!.uid}`)).body, { data: component });
      const single = (await get('content-types?kind=singleType')).body.data as Told[];
      deepStrictEqual(
        single.map(({ uid }) => uid),
        recorded.contentTypes.filter(({ schema }) => schema.kind === 'singleType').map(({ uid }) => uid),
      );
      for (const kind of ['nope', '', '[a]=singleType']) {
        const refused = await get(`content-types?kind${kind.startsWith('[') ? kind : `=${kind}`}`);
        deepStrictEqual([refused.status, refused.body.error.name], [400, 'ValidationError']);
      }
      for (const unknown of ['content-types/api::nope.nope', 'content-types/plugin::upload.file', 'components/no.pe']) {
        const { status, body } = await get(unknown);
        deepStrictEqual(
          [status, body.error.message],
          [404, `${unknown.startsWith('co') && unknown.includes('types') ? 'contentType' : 'component'}.notFound`],
        );
      }
    });

    it('are sent to callers with the right, which read-only tokens lack', async () => {
      const statuses = async (token: string) => {
        const places = ['content-types', 'content-types/api::tag.tag', 'components', 'components/shared.seo'];
        return Promise.all(places.map(async (place) => (await get(place, token)).status));
      };
      deepStrictEqual(await statuses('nobody'), [403, 403, 403, 403]);
      deepStrictEqual(await statuses('read'), [403, 403, 403, 403]);
      // all actions but the last were granted
      deepStrictEqual(await statuses('custom'), [200, 200, 200, 403]);
      await galley('role', 'grant', 'public', '--action', 'plugin::content-type-builder.components.*');
      // PostgreSQL tells other processes of what was committed, a moment later
      await until(
        'the grant is heard of',
        async () => (await server.get(`${PATH}/components/shared.seo`)).status === 200,
      );
      deepStrictEqual((await server.get(`${PATH}/content-types`)).status, 403);
    });
  });
}

it('show custom fields with their underlying type, and no hidden attributes', async () => {
  const attributes = {
    colour: { type: 'customField', customField: 'plugin::color-picker.color', options: { format: 'hex' } },
    unseen: { type: 'string', visible: false },
  };
  const paint = contentType('paint', attributes, { pluginOptions: { 'content-type-builder': { visible: false } } });
  const folder = await makeProject({ contentTypes: { paint, tone: contentType('tone', attributes) } });
  const [engine] = engines;
  const server = await serve(folder, await engine!.databaseFor(folder), {}, {}, async (app) => {
    const { setRoleGrants, findRoleId } = await import('../../../src/users/roles/roles.ts');
    const granted = ['getContentTypes', 'getContentType'].map(
      (name) => `plugin::content-type-builder.content-types.${name}`,
    );
    await app.database.transaction(async (tx) => setRoleGrants(tx, (await findRoleId(tx, 'public'))!, granted));
  });
  try {
    const { body } = await server.get(`${PATH}/content-types/api::tone.tone`);
    deepStrictEqual(body.data.schema.attributes, { colour: { ...attributes.colour, type: 'string' } });
    strictEqual((await server.get(`${PATH}/content-types/api::paint.paint`)).status, 404);
    const listed = (await server.get(`${PATH}/content-types`)).body.data as (Told & { schema: { visible: boolean } })[];
    strictEqual(listed.find(({ uid }) => uid === 'api::paint.paint')!.schema.visible, false);
  } finally {
    await server.stop();
  }
});
