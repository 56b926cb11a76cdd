/** How forms and lists are arranged is changed by those who may, and stored as Strapi's panel stores it. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const POST = 'api::post.post';
const contentTypes = {
  post: contentType('post', {
    title: { type: 'string' },
    slug: { type: 'uid', targetField: 'title' },
    body: { type: 'richtext' },
    code: { type: 'password' },
    views: { type: 'integer' },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
    any: { type: 'relation', relation: 'morphToMany' },
    seo: { type: 'component', component: 'shared.seo' },
  }),
  author: contentType('author', { name: { type: 'string' }, mail: { type: 'email' } }),
  notice: contentType('notice', { text: { type: 'text' } }, { kind: 'singleType' }),
};
const components = {
  'shared.seo': { collectionName: 'seos', attributes: { head: { type: 'string' }, text: { type: 'text' } } },
};
const action = (name: string) => `plugin::content-manager.${name}`;

for (const engine of engines) {
  describe(`arranging forms and lists on ${engine.name}`, () => {
    let server: RunningServer;
    let sue: Browser;
    let eva: Browser;

    before(async () => {
      const folder = await makeProject({ contentTypes, components });
      server = await serve(folder, await engine.databaseFor(folder));
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeAdministrator(server, 'eva', 'strapi-editor');
      [sue, eva] = [new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('eva');
    });
    after(() => server?.stop());

    const ask = async (method: string, target: string, body?: unknown, as = sue, headers = {}): Promise<Any> => {
      const answer = await as.send(method, target, body, headers);
      deepStrictEqual(breaches(method, target, answer.status, answer.body), []);
      return answer;
    };
    const read = async (uid: string): Promise<Any> => (await ask('GET', `layout/${uid}`)).body.data;
    const put = (uid: string, body: unknown, as = sue, tag = '*') =>
      ask('PUT', `layout/${uid}`, body, as, { 'if-match': tag });
    const stored = async (uid: string): Promise<Any> => {
      const text = `select value, type from strapi_core_store_settings
        where key like 'plugin_content_manager_configuration_%::${uid}'`;
      const rows = await server.app.database.rows(text, []);
      return rows.map(([value, type]) => [JSON.parse(String(value)), type]);
    };

    it('is returned with its choices, by default before anyone has changed it', async () => {
      const { fields, settings, layouts, metadatas, kind } = await read(POST);
      const of = (name: string) => fields.find((field: Any) => field.name === name);
      deepStrictEqual(
        fields.map(({ name }: Any) => name),
        [
          ...['id', 'title', 'slug', 'body', 'code', 'views', 'author', 'seo'],
          ...['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'documentId'],
        ],
      );
      deepStrictEqual([of('body').listed, of('code').listed, of('author').listed], [false, false, true]);
      deepStrictEqual([of('body').sizes, of('title').sizes, of('createdAt').sizes], [[12], [4, 6, 8, 12], []]);
      deepStrictEqual([of('createdAt').label, of('body').label], ['Created at', 'Body']);
      deepStrictEqual([of('author').mainFields, of('title').mainFields], [['name', 'mail', 'documentId', 'id'], []]);
      deepStrictEqual([kind, settings.mainField, settings.defaultSortBy], ['collectionType', 'title', 'updatedAt']);
      deepStrictEqual(layouts.edit[0], [
        { name: 'title', size: 6 },
        { name: 'slug', size: 6 },
      ]);
      deepStrictEqual(metadatas.author.edit.mainField, 'name');
      strictEqual((await stored(POST)).length, 0);
    });

    it('is stored as the panel stores it, and followed by forms, lists and names', async () => {
      const layouts = {
        list: ['views', 'title', 'updatedAt'],
        edit: [
          [{ name: 'slug', size: 12 }],
          [
            { name: 'views', size: 4 },
            { name: 'title', size: 8 },
          ],
        ],
      };
      const metadatas = {
        title: { edit: { label: 'Headline', description: 'Short' }, list: {} },
        slug: { edit: { editable: false }, list: { label: 'Address' } },
        author: { edit: { mainField: 'mail' }, list: {} },
      };
      const settings = { mainField: 'slug', pageSize: 20, defaultSortBy: 'views', defaultSortOrder: 'DESC' };
      // labels of linked documents follow at once
      const { body: made } = await ask('POST', `content/${POST}`, { data: { title: 'One', slug: 'one' } });
      await ask('GET', `content/${POST}/${made.data.documentId}`);
      const { status, body } = await put(POST, { settings, metadatas, layouts });
      strictEqual(status, 200);
      deepStrictEqual(await read(POST), body.data);
      const [[value, type], ...others] = await stored(POST);
      deepStrictEqual([type, others, value.uid, 'isComponent' in value], ['object', [], POST, false]);
      deepStrictEqual(Object.keys(value).sort(), ['layouts', 'metadatas', 'settings', 'uid']);
      deepStrictEqual(value.settings, {
        bulkable: true,
        filterable: true,
        searchable: true,
        relationOpenMode: 'modal',
        ...settings,
      });
      deepStrictEqual(value.layouts, layouts);
      deepStrictEqual(value.metadatas.title, {
        edit: { label: 'Headline', description: 'Short', placeholder: '', visible: true, editable: true },
        list: { label: 'title', searchable: true, sortable: true },
      });
      deepStrictEqual(value.metadatas.id, { edit: {}, list: { label: 'id', searchable: true, sortable: true } });
      deepStrictEqual(value.metadatas.createdAt.edit.visible, false);
      const { contentTypes: types } = (await ask('GET', 'schema')).body.data;
      const post = types.find(({ uid }: Any) => uid === POST);
      deepStrictEqual(post.layout, {
        // the panel does not know relations to any type, so it cannot place them
        edit: [...layouts.edit, [{ name: 'any', size: 6 }]],
        list: layouts.list,
        mainField: 'slug',
        defaultSort: 'views:desc',
        pageSize: 20,
      });
      const attribute = (name: string) => post.attributes.find((one: Any) => one.name === name);
      deepStrictEqual([attribute('title').label, attribute('slug').writable], ['Headline', false]);
      deepStrictEqual(attribute('author').mainField, 'mail');
    });

    it('keeps values that a request leaves out, and other values of the panel', async () => {
      const before = await read(POST);
      await server.app.database.transaction(async (tx) => {
        const [value] = (await stored(POST))[0];
        const other = JSON.stringify({ ...value, options: { kept: 1 } }).replaceAll("'", "''");
        await tx.rows(
          `update strapi_core_store_settings set value = '${other}'
          where key like 'plugin_content_manager_configuration_%::${POST}'`,
          [],
        );
      });
      await put(POST, { metadatas: { title: { edit: { placeholder: 'A title' }, list: {} } } });
      const now = await read(POST);
      deepStrictEqual([now.settings, now.layouts], [before.settings, before.layouts]);
      deepStrictEqual(now.metadatas.title.edit, { ...before.metadatas.title.edit, placeholder: 'A title' });
      deepStrictEqual((await stored(POST))[0][0].options, { kept: 1 });
    });

    it('is not overwritten from an old version, and the refusal contains the current one', async () => {
      const seen = await ask('GET', `layout/${POST}`);
      strictEqual(seen.headers.get('etag'), seen.body.data.tag);
      const theirs = await put(POST, { settings: { pageSize: 50 } }, sue, seen.body.data.tag);
      strictEqual(theirs.status, 200);
      deepStrictEqual((await read(POST)).tag, theirs.body.data.tag);
      for (const headers of [{ 'if-match': seen.body.data.tag }, {}]) {
        const { status, body } = await ask('PUT', `layout/${POST}`, { settings: { pageSize: 20 } }, sue, headers);
        deepStrictEqual([status, body.error.details.current], [412, theirs.body.data]);
      }
      const packed = await sue.get(`layout/${POST}`, { 'accept-encoding': 'br' });
      match(packed.headers.get('etag')!, /-br"$/);
      strictEqual((await put(POST, {}, sue, packed.headers.get('etag')!)).status, 200);
      const first = (uid: string) => ask('PUT', `layout/${uid}`, {});
      deepStrictEqual(
        [(await first('api::author.author')).status, (await first('api::author.author')).status],
        [200, 412],
      );
    });

    it('is that of components and single types as well', async () => {
      const edit = [[{ name: 'text', size: 12 }], [{ name: 'head', size: 6 }]];
      strictEqual((await put('shared.seo', { layouts: { edit }, settings: { mainField: 'head' } })).status, 200);
      const [[value]] = await stored('shared.seo');
      deepStrictEqual([value.isComponent, value.uid, value.layouts.edit], [true, 'shared.seo', edit]);
      const { components: parts } = (await ask('GET', 'schema')).body.data;
      deepStrictEqual(parts[0].layout.edit, edit);
      strictEqual((await put('api::notice.notice', { layouts: { list: ['text'] } })).status, 200);
      deepStrictEqual((await read('api::notice.notice')).kind, 'singleType');
    });

    it('is refused where it does not fit the schema, with all places at once, and nothing is stored', async () => {
      const before = await stored(POST);
      const { status, body } = await put(POST, {
        settings: { mainField: 'body', pageSize: 5, defaultSortBy: 'seo', defaultSortOrder: 'up', searchable: 1 },
        metadatas: {
          title: { edit: { label: 'x'.repeat(256), mainField: 'name' }, list: { sortable: 'no' } },
          gone: {},
        },
        layouts: {
          list: ['title', 'title', 'body'],
          edit: [
            [
              { name: 'title', size: 5 },
              { name: 'body', size: 6 },
            ],
            [
              { name: 'title', size: 8 },
              { name: 'views', size: 8 },
            ],
            [{ name: 'createdAt', size: 4 }],
            'row',
          ],
        },
        more: 1,
      });
      strictEqual(status, 400);
      deepStrictEqual(body.error.details.errors.map(({ path }: Any) => path.join('.')).sort(), [
        'layouts.edit.0.0.size',
        'layouts.edit.0.1.size',
        'layouts.edit.1',
        'layouts.edit.1.0.name',
        'layouts.edit.2.0.name',
        'layouts.edit.3',
        'layouts.list.1',
        'layouts.list.2',
        'metadatas.gone',
        'metadatas.title.edit.label',
        'metadatas.title.edit.mainField',
        'metadatas.title.list.sortable',
        'more',
        'settings.defaultSortBy',
        'settings.defaultSortOrder',
        'settings.mainField',
        'settings.pageSize',
        'settings.searchable',
      ]);
      for (const wrong of [[], { layouts: { list: [] } }, { settings: [] }]) {
        strictEqual((await put(POST, wrong)).status, 400, JSON.stringify(wrong));
      }
      deepStrictEqual(await stored(POST), before);
    });

    it('takes the right to configure views, each kind its own', async () => {
      strictEqual((await ask('GET', `layout/${POST}`, undefined, eva)).status, 403);
      strictEqual((await put(POST, {}, eva)).status, 403);
      await server.app.database.transaction(async (tx) => {
        const [right] = await tx.rows(
          `insert into admin_permissions (action, properties, conditions)
          values ('${action('collection-types.configure-view')}', '{}', '[]') returning id`,
          [],
        );
        await tx.rows(
          `insert into admin_permissions_role_lnk (permission_id, role_id)
          select ${Number(right![0])}, id from admin_roles where code = 'strapi-editor'`,
          [],
        );
        await tx.rows(`delete from admin_permissions where subject = 'api::author.author'`, []);
      });
      strictEqual((await put(POST, {}, eva)).status, 200);
      strictEqual((await put('api::notice.notice', {}, eva)).status, 403);
      strictEqual((await put('shared.seo', {}, eva)).status, 403);
      strictEqual((await put('api::author.author', {}, eva)).status, 403);
      for (const uid of ['api::gone.gone', 'plugin::upload.file', 'admin::user']) {
        strictEqual((await ask('GET', `layout/${uid}`)).status, 404);
      }
      ok((await ask('GET', `layout/${POST}`, undefined, new Browser(server))).status === 401);
    });
  });
}
