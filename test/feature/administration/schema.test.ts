/** The schema for administrators: visible parts, in the arrangement of the reference's panel. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertRow } from '../../../src/db/interface/statements.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const POST = 'api::post.post';
const contentTypes = {
  post: contentType(
    'post',
    {
      title: { type: 'string', required: true, maxLength: 80 },
      slug: { type: 'uid', targetField: 'title', options: { separator: '_' } },
      body: { type: 'richtext' },
      colour: { type: 'customField', customField: 'plugin::color-picker.color' },
      views: { type: 'integer', min: 0, default: 3 },
      mood: { type: 'enumeration', enum: ['glad', 'sad'] },
      publishedOn: { type: 'date', private: true },
      code: { type: 'password' },
      cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      seo: { type: 'component', component: 'shared.seo' },
      zone: { type: 'dynamiczone', components: ['shared.quote'], max: 4 },
    },
    { info: { displayName: 'Post', icon: 'pencil' }, options: { draftAndPublish: true } },
  ),
  author: contentType('author', { name: { type: 'string' }, fee: { type: 'decimal' }, weight: { type: 'float' } }),
  notice: contentType('notice', { text: { type: 'text' } }, { kind: 'singleType' }),
  unlisted: contentType('unlisted', {}, { pluginOptions: { 'content-manager': { visible: false } } }),
};
const components = {
  'shared.seo': { collectionName: 'seos', attributes: { head: { type: 'string' } } },
  'shared.quote': { collectionName: 'quotes', info: { icon: 'quote' }, attributes: { text: { type: 'text' } } },
  'shared.unused': { collectionName: 'unused', attributes: { text: { type: 'text' } } },
};

/** What the reference's panel stores, as far as it matters here, and what it may have left of an older schema. */
const STORED = {
  settings: { mainField: 'slug', defaultSortBy: 'views', defaultSortOrder: 'DESC', pageSize: 20 },
  metadatas: {
    title: { edit: { label: 'Headline', description: 'Short', placeholder: '', editable: true } },
    slug: { edit: { label: 'slug', editable: false } },
    body: { edit: { label: 'body', visible: false } },
    author: { edit: { label: 'author', mainField: 'name' } },
  },
  layouts: {
    list: ['title', 'gone', 'author', 'updatedAt', 'code'],
    edit: [
      [
        { name: 'slug', size: 4 },
        { name: 'title', size: 8 },
      ],
      [{ name: 'gone', size: 12 }],
      [{ name: 'author', size: 7 }],
    ],
  },
};

for (const engine of engines) {
  describe(`the schema for administrators on ${engine.name}`, () => {
    let server: RunningServer;
    before(async () => {
      const folder = await makeProject({ contentTypes, components });
      server = await serve(folder, await engine.databaseFor(folder));
      for (const role of ['super-admin', 'editor']) await makeAdministrator(server, role, `strapi-${role}`);
    });
    after(() => server?.stop());

    // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
    const schema = async (role = 'super-admin'): Promise<any> => {
      const browser = new Browser(server);
      await browser.signIn(role);
      const { status, body } = await browser.get('schema');
      strictEqual(status, 200);
      deepStrictEqual(breaches('GET', 'schema', status, body), []);
      return body.data;
    };
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const named = (list: any[], name: string, key = 'uid') => list.find((entry) => entry[key] === name);
    const change = (text: string) => server.app.database.transaction(async (tx) => void (await tx.rows(text, [])));

    it('has types, components and attributes with the data of a form, in the default arrangement', async () => {
      const { contentTypes: types, components: parts, ...rest } = await schema();
      deepStrictEqual(
        types.map(({ uid }: { uid: string }) => uid.split('.').at(-1)),
        ['author', 'notice', 'post', 'user'],
      );
      deepStrictEqual(
        parts.map(({ uid, category, icon }: Record<string, unknown>) => [uid, category, icon]),
        [
          ['shared.seo', 'shared', null],
          ['shared.quote', 'shared', 'quote'],
        ],
      );
      deepStrictEqual(rest.locales, [{ code: 'en', name: 'English (en)', isDefault: true }]);
      const { attributes, layout, ...post } = named(types, POST);
      deepStrictEqual(post, {
        uid: POST,
        displayName: 'Post',
        icon: 'pencil',
        kind: 'collectionType',
        singularName: 'post',
        pluralName: 'posts',
        draftAndPublish: true,
        localized: false,
        runsCode: false,
        actions: { create: true, update: true, delete: true, publish: true },
      });
      deepStrictEqual(layout, {
        edit: [
          [
            { name: 'title', size: 6 },
            { name: 'slug', size: 6 },
          ],
          [{ name: 'body', size: 12 }],
          [
            { name: 'colour', size: 6 },
            { name: 'views', size: 4 },
          ],
          [
            { name: 'mood', size: 6 },
            { name: 'publishedOn', size: 4 },
          ],
          [
            { name: 'code', size: 6 },
            { name: 'cover', size: 6 },
          ],
          [{ name: 'author', size: 6 }],
          [{ name: 'seo', size: 12 }],
          [{ name: 'zone', size: 12 }],
        ],
        list: ['title', 'colour', 'views', 'mood', 'updatedAt'],
        mainField: 'title',
        defaultSort: 'updatedAt:desc',
        pageSize: 10,
      });
      const common = { required: false, localized: false, private: false, description: null, placeholder: null };
      const open = { ...common, readable: true, writable: true, writableInNew: true };
      deepStrictEqual(attributes.slice(0, 2), [
        { ...open, name: 'title', type: 'string', required: true, label: 'Title', unique: false, maxLength: 80 },
        {
          ...open,
          name: 'slug',
          type: 'uid',
          label: 'Slug',
          unique: false,
          targetField: 'title',
          options: { separator: '_' },
        },
      ]);
      const of = (name: string) => named(attributes, name, 'name');
      deepStrictEqual([of('colour').type, of('colour').customField], ['string', 'plugin::color-picker.color']);
      deepStrictEqual([of('views').min, of('views').default, of('mood').enum], [0, 3, ['glad', 'sad']]);
      deepStrictEqual([of('publishedOn').label, of('publishedOn').private], ['Published on', true]);
      deepStrictEqual([of('code').readable, of('code').writable], [false, true]);
      deepStrictEqual([of('cover').multiple, of('cover').allowedTypes], [false, ['images']]);
      deepStrictEqual([of('author').relation, of('author').target], ['manyToOne', 'api::author.author']);
      deepStrictEqual([of('seo').component, of('seo').repeatable], ['shared.seo', false]);
      const author = named(types, 'api::author.author').attributes;
      // what the column itself keeps, whoever has made it
      const kept = (list: unknown[]) => [named(list, 'fee', 'name').decimals, named(list, 'weight', 'name').decimals];
      const isRounded = engine.name === 'postgres';
      deepStrictEqual(kept(author), [isRounded ? 2 : undefined, undefined]);
      if (isRounded) {
        await change('alter table authors alter column fee type numeric(12,4)');
        deepStrictEqual(kept(named((await schema()).contentTypes, 'api::author.author').attributes), [4, undefined]);
      }
      deepStrictEqual([of('zone').components, of('zone').max], [['shared.quote'], 4]);
    });

    it('contains only types, components and attributes that the rights permit', async () => {
      const action = (name: string) => `plugin::content-manager.explorer.${name}`;
      await change(`delete from admin_permissions where subject in ('api::author.author', 'api::notice.notice')`);
      const fields = JSON.stringify({ fields: ['title', 'slug', 'zone.text'] });
      await change(`update admin_permissions set properties = '${fields}' where action = '${action('read')}'`);
      await change(`update admin_permissions set properties = '{"fields":["title"]}'
        where action = '${action('update')}'`);
      await change(`delete from admin_permissions where action = '${action('delete')}'`);
      const { contentTypes: types, components: parts } = await schema('editor');
      const { attributes, layout, actions } = types[0];
      deepStrictEqual(
        types.map(({ uid }: { uid: string }) => uid),
        [POST],
      );
      deepStrictEqual(
        attributes.map(({ name, writable, writableInNew }: Record<string, unknown>) => [name, writable, writableInNew]),
        [
          ['title', true, true],
          ['slug', false, true],
          ['code', false, true],
          ['zone', false, true],
        ],
      );
      deepStrictEqual(actions, { create: true, update: true, delete: false, publish: true });
      deepStrictEqual(layout.list, ['title', 'updatedAt']);
      deepStrictEqual(
        parts.map(({ uid }: { uid: string }) => uid),
        ['shared.quote'],
      );
    });

    it('follows the layout of the panel, and survives an invalid one', async () => {
      const key = `plugin_content_manager_configuration_content_types::${POST}`;
      await server.app.database.transaction(async (tx) => {
        const columns = { key, value: JSON.stringify(STORED), type: 'object' };
        await insertRow(tx, 'strapi_core_store_settings', columns);
        const broken = { key: key.replace('post.post', 'author.author'), value: '[1', type: 'object' };
        await insertRow(tx, 'strapi_core_store_settings', broken);
      });
      const { contentTypes: types } = await schema();
      const { layout, attributes } = named(types, POST);
      const { edit, ...rest } = layout;
      deepStrictEqual(rest, {
        list: ['title', 'author', 'updatedAt'],
        mainField: 'slug',
        defaultSort: 'views:desc',
        pageSize: 20,
      });
      deepStrictEqual(edit.slice(0, 2), [
        [
          { name: 'slug', size: 4 },
          { name: 'title', size: 8 },
        ],
        [{ name: 'author', size: 6 }],
      ]);
      // what the panel does not know yet follows; what it hides does not
      const names = edit.flat().map(({ name }: { name: string }) => name);
      deepStrictEqual([names.includes('zone'), names.includes('body')], [true, false]);
      const [title, slug] = attributes;
      deepStrictEqual([title.label, title.description, title.placeholder], ['Headline', 'Short', null]);
      deepStrictEqual([slug.label, slug.writable], ['Slug', false]);
      strictEqual(named(attributes, 'author', 'name').mainField, 'name');
      strictEqual(named(types, 'api::author.author').layout.mainField, 'name');
    });

    it('is hidden without a session', async () => {
      strictEqual((await new Browser(server).get('schema')).status, 401);
    });
  });
}
