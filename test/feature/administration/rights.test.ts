/**
 * What administrators may do follows from stored permissions: fields, those of components included, locales and
 * conditions. Whatever no right names is not there, however it is asked for.
 */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  actionOf,
  type Operation,
  rightsOf,
  type StoredPermission,
} from '../../../src/access/administrators/administrator-rights.ts';
import type { Viewer } from '../../../src/access/view.ts';
import { Views } from '../../../src/access/views.ts';
import { Transitions } from '../../../src/content/documents/transitions.ts';
import { LocaleStore } from '../../../src/content/locales/locale-store.ts';
import { Reader } from '../../../src/content/reading/reader.ts';
import { parseParams, type RawObject } from '../../../src/query/params.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const POST = 'api::post.post';
const TAG = 'api::tag.tag';

const localized = { pluginOptions: { i18n: { localized: true } } };
const part = (component: string, more = {}) => ({ type: 'component', component, ...localized, ...more });
const contentTypes = {
  post: contentType(
    'post',
    {
      title: { type: 'string', ...localized },
      secret: { type: 'string', private: true, ...localized },
      code: { type: 'password', ...localized },
      notes: { type: 'json', ...localized },
      tag: { type: 'relation', relation: 'manyToOne', target: TAG },
      next: { type: 'relation', relation: 'oneToOne', target: POST },
      seo: part('shared.seo'),
      parts: part('shared.seo', { repeatable: true }),
      zone: { type: 'dynamiczone', components: ['shared.seo'], ...localized },
      // shared by all locales
      mark: { type: 'string' },
      stamp: { type: 'component', component: 'shared.seo' },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', { name: { type: 'string' }, note: { type: 'string' }, seo: part('shared.seo') }),
};
const components = {
  'shared.seo': {
    collectionName: 'components_seos',
    attributes: {
      head: { type: 'string' },
      text: { type: 'string' },
      link: { type: 'component', component: 'shared.link' },
    },
  },
  'shared.link': {
    collectionName: 'components_links',
    attributes: { url: { type: 'string' }, label: { type: 'string' } },
  },
};

const EVERY: readonly Operation[] = ['read', 'create', 'update', 'delete', 'publish'];

for (const engine of engines) {
  describe(`rights of administrators on ${engine.name}`, () => {
    let server: SeededServer;
    let reader: Reader;
    let transitions: Transitions;
    const ids: Record<string, number> = {};

    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, components }));
      const { catalog, layout, database, config, writer } = server.app;
      const locales = new LocaleStore(database);
      reader = new Reader({ catalog, layout, database, locales, limits: config.rest });
      transitions = new Transitions({ database, reader, locales, writer });
      for (const [name, role] of [
        ['ann', 'strapi-author'],
        ['bob', 'strapi-author'],
        ['eva', 'strapi-editor'],
        ['sue', 'strapi-super-admin'],
      ]) {
        ids[name!] = await makeAdministrator(server, name!, role!);
      }
    });
    after(() => server?.stop());

    const type = (uid = POST) => server.app.catalog.contentTypes.get(uid)!;
    const permission = (operation: Operation, subject: string, properties: object, conditions: string[] = []) => ({
      action: actionOf(operation),
      subject,
      properties,
      conditions,
    });
    /** Somebody with permissions, for an operation. */
    const viewer = (permissions: readonly StoredPermission[], operation: Operation = 'read', name = 'ann'): Viewer => {
      const rights = rightsOf(server.app.catalog, permissions, false);
      const view = server.app.views.administrator(rights, new Map())[operation];
      return { view, values: { administratorId: ids[name]! } };
    };
    const superior = (): Viewer => ({
      view: server.app.views.administrator(rightsOf(server.app.catalog, [], true), new Map()).update,
      values: { administratorId: ids['sue']! },
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
    const list = async (as: Viewer, query: string, uid = POST): Promise<any[]> =>
      JSON.parse((await reader.list(type(uid), as, parseParams(query))).data);
    const write = (as: Viewer, data: RawObject, { uid = POST, locale = 'en', shape = {} } = {}) => ({
      type: type(uid),
      viewer: as,
      status: 'draft' as const,
      locale,
      data,
      shape,
      mayLocalize: true,
    });
    const create = async (as: Viewer, data: RawObject, more = {}): Promise<string> =>
      JSON.parse((await server.app.writer.create(write(as, data, more))).data).documentId;
    const update = (as: Viewer, id: string, data: RawObject, more = {}) =>
      server.app.writer.update(write(as, data, more), id);
    const is = (status: number) => (error: { status?: number }) => {
      strictEqual(error.status, status);
      return true;
    };
    const full = { fields: ['title', 'secret', 'code', 'tag', 'next', 'seo', 'parts', 'zone'], locales: null };

    it('reads, filters, sorts, searches and populates the fields that a right names, and no others', async () => {
      const as = viewer([permission('read', POST, { fields: ['title', 'seo.head'], locales: null })]);
      await create(superior(), {
        title: 'fields',
        secret: 'hidden',
        notes: { of: 'buried' },
        seo: { head: 'h', text: 't', link: { url: 'u' } },
        parts: [{ head: 'p' }],
      });
      const [found] = await list(as, 'filters[title]=fields&populate=*&status=draft');
      const times = ['createdAt', 'updatedAt', 'publishedAt'];
      const names = ['id', 'documentId', 'title', ...times, 'locale', 'seo', 'createdBy', 'updatedBy', 'localizations'];
      deepStrictEqual(Object.keys(found), names);
      deepStrictEqual(Object.keys(found.seo), ['id', 'head']);
      for (const query of [
        'filters[secret]=hidden',
        'sort=secret',
        'fields=secret',
        'populate=parts',
        'filters[parts][head]=p',
        'filters[seo][text]=t',
        'sort=seo.text',
        'populate[seo][fields]=text',
        'populate=seo.link',
        'populate[seo][filters][link][url]=u',
        'filters[tag][name]=x',
        'populate[seo][populate]=link',
      ]) {
        await rejects(list(as, `status=draft&${query}`), /Invalid key/, query);
      }
      strictEqual((await list(as, '_q=hidden&status=draft')).length, 0);
      strictEqual((await list(superior(), '_q=hidden&status=draft')).length, 1);
      strictEqual((await list(as, '_q=buried&status=draft')).length, 0);
      strictEqual((await list(superior(), '_q=buried&status=draft')).length, 1);
      await rejects(list(superior(), 'fields=code'), /Invalid key code/);
    });

    it('shows a component by the place that it stands at', async () => {
      const as = viewer([
        permission('read', POST, { fields: ['title', 'seo.link.url', 'parts.head', 'zone'], locales: null }),
        permission('read', TAG, { fields: ['name', 'seo'] }),
      ]);
      const tag = await create(superior(), { name: 'places', seo: { head: 'h', text: 't' } }, { uid: TAG });
      await create(superior(), {
        title: 'places',
        tag,
        seo: { head: 'h', link: { url: 'u', label: 'l' } },
        parts: [{ head: 'p', text: 'q' }],
        zone: [{ __component: 'shared.seo', head: 'z', text: 'y' }],
      });
      const query = 'filters[title]=places&status=draft&populate[seo][populate]=link&populate[parts]=true';
      const [found] = await list(as, `${query}&populate[zone]=true`);
      deepStrictEqual(Object.keys(found.seo), ['id', 'link']);
      deepStrictEqual(Object.keys(found.seo.link), ['id', 'url']);
      deepStrictEqual(Object.keys(found.parts[0]), ['id', 'head']);
      deepStrictEqual(Object.keys(found.zone[0]), ['id', 'head', 'text', '__component']);
      const [shown] = await list(as, 'filters[name]=places&populate=seo', TAG);
      deepStrictEqual(Object.keys(shown.seo), ['id', 'head', 'text']);
    });

    it('writes the fields that the right to the operation names, at any depth', async () => {
      const may = [
        permission('read', POST, full),
        permission('create', POST, { fields: ['title', 'seo.head'], locales: null }),
        permission('update', POST, { fields: ['seo'], locales: null }),
      ];
      const id = await create(viewer(may, 'create'), { title: 'written', seo: { head: 'h' } });
      await rejects(create(viewer(may, 'create'), { title: 'x', secret: 's' }), /Invalid key secret/);
      await rejects(create(viewer(may, 'create'), { seo: { text: 't' } }), /Invalid key text at seo/);
      await update(viewer(may, 'update'), id, { seo: { text: 't' } });
      await rejects(update(viewer(may, 'update'), id, { title: 'x' }), /Invalid key title/);
      await rejects(update(viewer(may, 'delete'), id, { title: 'x' }), /Invalid key title/);
      strictEqual(viewer(may, 'delete').view.may(`${POST}.delete`), false);
      strictEqual(viewer(may, 'update').view.may(`${POST}.update`), true);
    });

    it('does not let administrators write values that they may not see', async () => {
      const blind = viewer([permission('update', POST, full), permission('read', TAG, { fields: ['name'] })], 'update');
      strictEqual(blind.view.may(`${POST}.update`), false);
      const linker = viewer([permission('read', POST, full), permission('update', POST, full)], 'update');
      const id = await create(superior(), { title: 'no tag' });
      await rejects(update(linker, id, { tag: null }), /Invalid key tag/);
      await rejects(list(linker, 'filters[tag][name]=x'), /Invalid key tag/);
    });

    it('keeps to the locales of a right, for reading and for writing', async () => {
      const may = EVERY.map((operation) => permission(operation, POST, { ...full, locales: ['en'] }));
      const id = await create(superior(), { title: 'in english' });
      await update(superior(), id, { title: 'en français' }, { locale: 'fr' });
      const titles = async (as: Viewer) =>
        (await list(as, `filters[documentId]=${id}&locale=*&status=draft&sort=locale`)).map(({ title }) => title);
      deepStrictEqual(await titles(viewer(may)), ['in english']);
      deepStrictEqual(await titles(superior()), ['in english', 'en français']);
      await rejects(update(viewer(may, 'update'), id, { title: 'non' }, { locale: 'fr' }), is(404));
      await rejects(create(viewer(may, 'create'), { title: 'nein' }, { locale: 'de' }), is(403));
      await rejects(update(viewer(may, 'update'), id, { title: 'nein' }, { locale: 'de' }), is(403));
      await update(viewer(may, 'update'), id, { title: 'still english' });
      // the reference gives no locale where a permission names none
      const unsaid = EVERY.map((operation) => permission(operation, POST, { fields: full.fields }));
      strictEqual(viewer(unsaid).view.may(`${POST}.find`), false);
    });

    it('lets a translator make and publish a locale, and change nothing that others share with it', async () => {
      const shared = { ...full, fields: [...full.fields, 'mark', 'stamp'] };
      const may = [
        permission('read', POST, shared),
        ...EVERY.slice(1).map((operation) => permission(operation, POST, { ...shared, locales: ['de'] })),
      ];
      const publish = (as: Viewer, id: string, locale: string) =>
        transitions.run({
          name: 'publish',
          type: type(),
          viewer: as,
          documentId: id,
          locales: { kind: 'some', codes: [locale] },
          shape: {},
        });
      const translator = viewer(may, 'update');
      const publisher = viewer(may, 'publish');
      const id = await create(superior(), { title: 'shared', mark: '1', stamp: { head: 'one' } });
      await publish(superior(), id, 'en');
      const texts = async (status: string) =>
        (await list(superior(), `filters[documentId]=${id}&locale=*&status=${status}&sort=locale&populate=stamp`)).map(
          ({ locale, title, mark, stamp }) => [locale, title, mark, stamp.head].join(),
        );

      await update(translator, id, { title: 'geteilt' }, { locale: 'de' });
      await update(translator, id, { title: 'gemeinsam', mark: '1' }, { locale: 'de' });
      await publish(publisher, id, 'de');
      const both = ['de,gemeinsam,1,one', 'en,shared,1,one'];
      deepStrictEqual([await texts('draft'), await texts('published')], [both, both]);

      for (const data of [{ mark: '2' }, { stamp: { head: 'two' } }]) {
        await rejects(update(translator, id, data, { locale: 'de' }), is(403));
      }
      await rejects(update(translator, id, { title: 'x' }), is(403));
      await rejects(update(translator, id, { title: 'x' }, { locale: 'fr' }), is(403));
      await rejects(publish(publisher, id, 'en'), is(403));
      deepStrictEqual(await texts('published'), both);
      // what is published of the other locale keeps what it has until that is published
      for (const [mark, head] of [
        ['3', 'one'],
        ['3', 'three'],
      ]) {
        await update(superior(), id, { mark, stamp: { head } });
        await publish(publisher, id, 'de');
        deepStrictEqual(await texts('published'), [`de,gemeinsam,${mark},${head}`, 'en,shared,1,one']);
      }
      await publish(superior(), id, 'en');
      deepStrictEqual(await texts('published'), ['de,gemeinsam,3,three', 'en,shared,3,three']);
    });

    it('lets an administrator of one locale publish it and discard its draft', async () => {
      const fields = ['title', 'mark'];
      const may = EVERY.map((operation) => permission(operation, POST, { fields, locales: ['de'] }));
      const id = await create(superior(), { title: 'one', mark: '1' });
      await update(superior(), id, { title: 'eins' }, { locale: 'de' });
      const move = (name: 'publish' | 'discardDraft', as: Viewer, locale: string) =>
        transitions.run({
          name,
          type: type(),
          viewer: as,
          documentId: id,
          locales: { kind: 'some', codes: [locale] },
          shape: {},
        });
      const texts = async (status: string) =>
        (await list(superior(), `filters[documentId]=${id}&locale=*&status=${status}&sort=locale`)).map(
          ({ locale, title, mark }) => [locale, title, mark].join(),
        );
      for (const locale of ['en', 'de']) await move('publish', superior(), locale);
      await update(superior(), id, { title: 'two', mark: '2' });
      await update(viewer(may, 'update'), id, { title: 'zwei' }, { locale: 'de' });
      await move('publish', viewer(may, 'publish'), 'de');
      deepStrictEqual(await texts('published'), ['de,zwei,2', 'en,one,1']);
      await update(viewer(may, 'update'), id, { title: 'drei' }, { locale: 'de' });
      await move('discardDraft', viewer(may, 'update'), 'de');
      deepStrictEqual(await texts('draft'), ['de,zwei,2', 'en,two,2']);
      await rejects(move('publish', viewer(may, 'publish'), 'en'), is(404));
    });

    it('lets an administrator of one locale write it, despite differences in other locales', async () => {
      const fields = ['title', 'mark'];
      const may = (['read', 'update'] as const).map((operation) =>
        permission(operation, POST, { fields, locales: ['de'] }),
      );
      const translator = viewer(may, 'update');
      const id = await create(superior(), { title: 'one', mark: '1' });
      await update(superior(), id, { title: 'eins' }, { locale: 'de' });
      // as Strapi stores a shared password for each version anew
      const text = `update posts set mark = '9' where document_id = '${id}' and locale = 'en'`;
      await server.app.database.transaction(async (tx) => void (await tx.rows(text, [])));
      const texts = async () =>
        (await list(superior(), `filters[documentId]=${id}&locale=*&status=draft&sort=locale`)).map(
          ({ locale, title, mark }) => [locale, title, mark].join(),
        );
      await update(translator, id, { title: 'zwei' }, { locale: 'de' });
      deepStrictEqual(await texts(), ['de,zwei,1', 'en,one,9']);
      await rejects(update(translator, id, { mark: '2' }, { locale: 'de' }), is(403));
      await update(superior(), id, { title: 'drei' }, { locale: 'de' });
      deepStrictEqual(await texts(), ['de,drei,1', 'en,one,1']);
    });

    it('limits authors to their own documents, and returns the creator', async () => {
      const own = EVERY.map((operation) => permission(operation, POST, full, ['admin::is-creator']));
      const ann = (operation: Operation) => viewer(own, operation, 'ann');
      const bob = (operation: Operation) => viewer(own, operation, 'bob');
      const id = await create(ann('create'), { title: 'by ann' });
      const titles = async (as: Viewer) =>
        (await list(as, 'status=draft&filters[title][$startsWith]=by ann')).map(({ title }) => title);
      deepStrictEqual(await titles(ann('read')), ['by ann']);
      deepStrictEqual(await titles(bob('read')), []);
      await rejects(update(bob('update'), id, { title: 'by bob' }), is(404));
      // as what is not there
      await server.app.writer.delete({ type: type(), viewer: bob('delete'), documentId: id, locales: undefined });
      deepStrictEqual(await titles(ann('read')), ['by ann']);
      await rejects(create(bob('create'), { title: 'b', next: id }), is(400));
      await update(superior(), id, { title: 'by ann and sue' });
      const request = {
        name: 'publish',
        type: type(),
        documentId: id,
        locales: { kind: 'default' },
        shape: {},
      } as const;
      await rejects(transitions.run({ ...request, viewer: bob('publish') }), is(404));
      await transitions.run({ ...request, viewer: ann('publish') });
      const [row] = await list(ann('read'), 'status=published&populate[createdBy]=true&populate[updatedBy]=true');
      const names = (person: object) => Object.entries(person).filter(([key]) => /name$/.test(key));
      deepStrictEqual(names(row.createdBy), [
        ['firstname', 'ann'],
        ['lastname', null],
        ['username', null],
      ]);
      strictEqual(row.updatedBy.firstname, 'sue');
      strictEqual('email' in row.createdBy || 'password' in row.createdBy, false);
      strictEqual(
        (await list(superior(), 'filters[createdBy][firstname]=ann&filters[title][$startsWith]=by ann&status=draft'))
          .length,
        1,
      );
      await rejects(list(superior(), 'filters[createdBy][email][$contains]=a'), /Invalid key email/);
      await rejects(list(superior(), 'populate[createdBy][populate]=roles'), /Invalid key roles/);
    });

    it('distinguishes visible from writable fields', async () => {
      const may = [
        permission('read', POST, full),
        permission('update', POST, full, ['admin::is-creator']),
        permission('create', POST, full),
      ];
      const hers = await create(viewer(may, 'create', 'ann'), { title: 'seen by bob' });
      const bob = viewer(may, 'update', 'bob');
      await rejects(update(bob, hers, { title: 'x' }), is(403));
      const his = await create(viewer(may, 'create', 'bob'), { title: 'links', next: hers });
      await update(bob, his, { next: { connect: [hers] }, title: 'changed' });
    });

    it('keeps to documents of people with a role of the reader', async () => {
      const may = [permission('read', POST, full, ['admin::has-same-role-as-creator'])];
      const author = EVERY.map((operation) => permission(operation, POST, full));
      await create(viewer(author, 'create', 'eva'), { title: 'by an editor' });
      await create(viewer(author, 'create', 'bob'), { title: 'by an author' });
      const seen = async (name: string) =>
        (await list(viewer(may, 'read', name), 'status=draft&filters[title][$startsWith]=by an ')).map(
          ({ title }) => title,
        );
      deepStrictEqual(await seen('ann'), ['by an author']);
      deepStrictEqual(await seen('eva'), ['by an editor']);
    });

    it('grants nothing for unknown conditions, types, fields and actions', () => {
      const { catalog } = server.app;
      const none = [
        permission('read', POST, full, ['plugin::own.is-friend']),
        permission('read', 'api::gone.gone', full),
        permission('read', POST, { fields: [], locales: null }),
        permission('read', POST, { fields: 'title', locales: null }),
        { ...permission('read', POST, full), conditions: 'admin::is-creator' },
        permission('read', 'admin::user', { fields: ['password'] }),
        { ...permission('read', POST, full), action: 'plugin::content-manager.explorer.own' },
        permission('read', POST, { ...full, locales: ['$administrator.id'] }),
      ];
      deepStrictEqual(rightsOf(catalog, none, false).rights, []);
      const some = rightsOf(
        catalog,
        [permission('read', POST, full, ['plugin::own.is-friend', 'admin::is-creator'])],
        false,
      );
      deepStrictEqual(some.rights[0]?.conditions, ['admin::is-creator']);
    });

    it('puts the rights of several roles together, and never shows more than one of them would', async () => {
      const editor = permission('read', POST, { fields: ['title', 'secret'], locales: null });
      const author = permission('read', POST, { fields: ['title'], locales: ['en'] }, ['admin::is-creator']);
      strictEqual(rightsOf(server.app.catalog, [editor, author], false).rights.length, 1);
      const mixed = viewer([
        permission('read', POST, { fields: ['title', 'secret'], locales: ['en'] }, ['admin::is-creator']),
        permission('read', POST, { fields: ['title', 'seo'], locales: ['fr'] }),
      ]);
      await rejects(list(mixed, 'fields=secret'), /Invalid key secret/);
      await list(mixed, 'fields=title&locale=*&status=draft');
    });

    it('closes actions whose guard in project code does not run', () => {
      const rights = rightsOf(server.app.catalog, [], true);
      const closed = new Map([[`${POST}.update`, 'a lifecycle']]);
      const { update: view } = new Views(server.app.catalog).administrator(rights, closed);
      deepStrictEqual([view.may(`${POST}.update`), view.may(`${POST}.find`)], [false, true]);
    });

    it('creates the roles of the reference in a new database, for all locales, and lists the rights of an administrator', async () => {
      const browser = new Browser(server);
      const { rights, roles } = (await browser.signIn('eva')).body.data;
      deepStrictEqual(
        roles.map(({ code }: { code: string }) => code),
        ['strapi-editor'],
      );
      const of = (action: string) =>
        rights.find(
          (right: { action: string; subject: string }) => right.action.endsWith(action) && right.subject === POST,
        );
      deepStrictEqual(of('explorer.publish'), {
        action: 'plugin::content-manager.explorer.publish',
        subject: POST,
        fields: null,
        locales: ['de', 'en', 'fr'],
        creatorOnly: false,
        conditions: [],
      });
      match(of('explorer.update').fields.join(), /title,secret,code,notes,tag,next,seo\.head,seo\.text,seo\.link\.url/);
      const author = (await new Browser(server).signIn('bob')).body.data.rights;
      const own = author.filter(({ subject }: { subject: string }) => subject === POST);
      deepStrictEqual(
        own.map(({ creatorOnly }: { creatorOnly: boolean }) => creatorOnly),
        [true, true, true, true],
      );
      strictEqual(
        author.some(({ action }: { action: string }) => action === 'plugin::upload.assets.create'),
        true,
      );
    });
  });
}
