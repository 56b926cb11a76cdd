/** The rights on a field of a component depend on the place of the component, and forms receive them. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { componentOf } from '../../../admin/src/form/values/model.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const POST = 'api::post.post';
const part = (component: string, more = {}) => ({ type: 'component', component, ...more });
const contentTypes = {
  post: contentType('post', {
    title: { type: 'string' },
    seo: part('shared.seo'),
    side: part('shared.seo'),
    parts: part('shared.seo', { repeatable: true }),
    shut: part('shared.seo'),
    zone: { type: 'dynamiczone', components: ['shared.seo', 'shared.link'] },
    shutZone: { type: 'dynamiczone', components: ['shared.link'] },
  }),
};
const components = {
  'shared.seo': {
    collectionName: 'components_seos',
    attributes: { head: { type: 'string' }, text: { type: 'string' }, link: part('shared.link') },
  },
  'shared.link': {
    collectionName: 'components_links',
    attributes: { url: { type: 'string' }, label: { type: 'string' }, inner: part('shared.link') },
  },
};

const RIGHTS = {
  read: ['title', 'seo', 'side', 'parts.head', 'parts.text', 'shut', 'zone', 'shutZone'],
  update: ['title', 'seo.head', 'seo.link.url', 'side', 'parts.text', 'zone'],
  create: ['title', 'seo.text', 'side.link'],
};

/** Each attribute of the type with the paths of components that are tried below it. */
const PLACES = [
  ['seo'],
  ['seo', 'link'],
  ['seo', 'link', 'inner'],
  ['side'],
  ['side', 'link'],
  ['side', 'link', 'inner'],
  ['parts'],
  ['parts', 'link'],
  ['shut'],
  ['shut', 'link'],
  ['zone'],
  ['zone', 'link'],
  ['shutZone'],
] as const;

for (const engine of engines) {
  describe(`rights on fields of components by place on ${engine.name}`, () => {
    let server: RunningServer;
    let eva: Browser;
    let sue: Browser;
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
    let schema: any;

    before(async () => {
      const folder = await makeProject({ contentTypes, components });
      server = await serve(folder, await engine.databaseFor(folder));
      await makeAdministrator(server, 'eva', 'strapi-editor');
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      for (const [name, fields] of Object.entries(RIGHTS)) {
        const action = `plugin::content-manager.explorer.${name}`;
        await server.app.database.transaction(async (tx) => {
          const text = `update admin_permissions set properties = '${JSON.stringify({ fields })}'
            where action = '${action}' and subject = '${POST}'`;
          await tx.rows(text, []);
        });
      }
      [eva, sue] = [new Browser(server), new Browser(server)];
      await eva.signIn('eva');
      await sue.signIn('sue');
      schema = await schemaOf(eva);
    });
    after(() => server?.stop());

    const schemaOf = async (browser: Browser) => {
      const { status, body } = await browser.get('schema');
      deepStrictEqual(breaches('GET', 'schema', status, body), []);
      return body.data;
    };
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const typeOf = (shown: any) => shown.contentTypes.find(({ uid }: { uid: string }) => uid === POST);
    const rowOf = (names: readonly string[], uid = 'shared.seo') =>
      names[0] === 'zone' || names[0] === 'shutZone' ? { __component: names[0] === 'zone' ? uid : 'shared.link' } : {};

    /** What is told of an attribute at a place; undefined where the place or the attribute is not shown. */
    const told = (names: readonly string[], name: string) => {
      let model = typeOf(schema);
      for (const step of names) {
        // biome-ignore lint/suspicious/noExplicitAny: as above
        const attribute = model?.attributes.find((one: any) => one.name === step);
        model = attribute && componentOf(schema, attribute, rowOf(names));
      }
      // biome-ignore lint/suspicious/noExplicitAny: as above
      return model?.attributes.find((one: any) => one.name === name);
    };
    const uidAt = (names: readonly string[]) =>
      names.length > 1 || names[0] === 'shutZone' ? 'shared.link' : 'shared.seo';
    const namesAt = (names: readonly string[]) => Object.keys(components[uidAt(names)].attributes);
    const bodyOf = (names: readonly string[], name: string) => {
      const isPart = name === 'link' || name === 'inner';
      const whole = [...names.slice(1), name].reduceRight<unknown>(
        (inside, step) => ({ [step]: inside }),
        isPart ? {} : 'x',
      );
      const row = { ...rowOf(names), ...(whole as object) };
      return { [names[0]!]: ['parts', 'zone', 'shutZone'].includes(names[0]!) ? [row] : row };
    };

    it('shows accepted fields as open, and refused ones as closed or not at all', async () => {
      const { body: made } = await sue.send('POST', `content/${POST}`, { data: { title: 'one' } });
      const path = `content/${POST}/${made.data.documentId}`;
      const found: string[] = [];
      const expected: string[] = [];
      for (const names of PLACES) {
        for (const name of namesAt(names)) {
          const place = [...names, name].join('.');
          const attribute = told(names, name);
          const data = bodyOf(names, name);
          const saved = await eva.send('PUT', path, { data }, { 'if-match': '*' });
          ok([200, 400].includes(saved.status), `${place}: ${saved.text}`);
          if (saved.status === 200) found.push(`${place} in a known one`);
          if (attribute?.writable) expected.push(`${place} in a known one`);
          const created = await eva.send('POST', `content/${POST}`, { data });
          ok([201, 400].includes(created.status), `${place}: ${created.text}`);
          if (created.status === 201) found.push(`${place} in a new one`);
          if (attribute?.writableInNew) expected.push(`${place} in a new one`);
        }
      }
      deepStrictEqual(expected, found);
      ok(found.includes('seo.head in a known one') && !found.includes('side.head in a new one'));
    });

    it('lists the readable fields of a place', async () => {
      const link = { url: 'u', label: 'l', inner: { url: 'i' } };
      const seo = { head: 'h', text: 't', link };
      const zone = [{ __component: 'shared.seo', ...seo }];
      const data = { title: 'all', seo, side: seo, parts: [seo], shut: seo, zone };
      const { body: made } = await sue.send('POST', `content/${POST}`, { data });
      const { body } = await eva.get(`content/${POST}/${made.data.documentId}`);
      for (const names of [['seo'], ['seo', 'link'], ['side'], ['parts'], ['shut', 'link'], ['zone']]) {
        let row = body.data.draft;
        for (const step of names) row = Array.isArray(row[step]) ? row[step][0] : row[step];
        const shown = namesAt(names).filter((name) => name in row);
        deepStrictEqual(
          namesAt(names).filter((name) => told(names, name)?.readable),
          shown,
          names.join('.'),
        );
      }
      strictEqual(told(['parts'], 'link'), undefined);
    });

    it('lists a component once if all of it is permitted', async () => {
      const { contentTypes: types, components: parts } = await schemaOf(sue);
      deepStrictEqual(
        parts.map(({ uid, place }: { uid: string; place?: string }) => [uid, place]),
        [
          ['shared.seo', undefined],
          ['shared.link', undefined],
        ],
      );
      // biome-ignore lint/suspicious/noExplicitAny: as above
      ok(typeOf({ contentTypes: types }).attributes.every((attribute: any) => attribute.place === undefined));
    });
  });
}
