/** Lifecycles of components: docs/reference/project-code.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../../support/accounts/administrators.ts';
import { engines } from '../../../support/databases/databases.ts';
import { type ServedActions, serveActions } from '../../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../../support/servers/project.ts';

const text = { type: 'string' };
const component = (collectionName: string, attributes: Readonly<Record<string, unknown>>) => ({
  collectionName,
  info: { displayName: collectionName },
  attributes,
});
const localized = { pluginOptions: { i18n: { localized: true } } };
const link = { type: 'component', component: 'shared.link' };
const attributes = {
  title: text,
  seo: { type: 'component', component: 'shared.seo' },
  links: { ...link, repeatable: true },
  zone: { type: 'dynamiczone', components: ['blocks.hero', 'blocks.quote'] },
};

const PROJECT: ProjectFiles = {
  contentTypes: {
    page: contentType('page', attributes, { options: { draftAndPublish: true } }),
    plain: contentType('plain', attributes),
    item: contentType('item', { name: text }),
    home: contentType('home', { seo: { type: 'component', component: 'shared.seo' } }, { kind: 'singleType' }),
    story: contentType(
      'story',
      { title: { ...text, ...localized }, seo: { type: 'component', component: 'shared.seo' } },
      { options: { draftAndPublish: true }, ...localized },
    ),
  },
  components: {
    'shared.seo': component('components_shared_seos', { metaTitle: text, kind: text, link }),
    'shared.link': component('components_shared_links', {
      label: text,
      item: { type: 'relation', relation: 'oneToOne', target: 'api::item.item' },
    }),
    'blocks.hero': component('components_blocks_heroes', { heading: text, link }),
    'blocks.quote': component('components_blocks_quotes', { body: text }),
  },
  files: {
    'src/extensions/users-permissions/content-types/user/schema.json': {
      kind: 'collectionType',
      collectionName: 'up_users',
      info: { name: 'user', singularName: 'user', pluralName: 'users', displayName: 'User' },
      attributes: { profile: { type: 'component', component: 'shared.seo' } },
    },
    'src/index.js': `module.exports = { register({ strapi }) {
    strapi.told = [];
    const WORDS = { Create: '+', Update: '~', Delete: '-' };
    const textOf = (value) => ['title', 'metaTitle', 'kind', 'label', 'heading', 'body'].flatMap((name) => (typeof value?.[name] === 'string' ? [value[name]] : [])).join('/');
    const tell = (event) => {
      const [, time, moment] = /^(before|after)(.+)$/.exec(event.action);
      event.state.count = (event.state.count ?? 0) + 1;
      if (event.state.count !== (time === 'before' ? 1 : 2)) throw new Error('not one state');
      if (moment !== 'Create' && !event.params.where.id) throw new Error('no id');
      const text = textOf(time === 'before' ? event.params.data : event.result);
      strapi.told.push([time, WORDS[moment] + event.model.uid.split('.')[1] + (text && ' ' + text)]);
    };
    strapi.db.lifecycles.subscribe({
      models: ['api::page.page', 'api::plain.plain', 'api::home.home', 'shared.seo', 'shared.link', 'blocks.hero', 'blocks.quote'],
      beforeCreate: tell, afterCreate: tell, beforeUpdate: tell, afterUpdate: tell, beforeDelete: tell, afterDelete: tell,
    });
    const item = async () => (await strapi.db.query('api::item.item').findOne({})).id;
    strapi.db.lifecycles.subscribe({
      models: ['shared.seo', 'shared.link', 'blocks.hero'],
      async beforeCreate(event) {
        const { data } = event.params;
        if (data.label === 'refused') throw new Error('no such label');
        if (data.label === 'linked') data.item = await item();
        if (/^count/.test(data.metaTitle)) data.metaTitle += '+';
        if (data.kind === 'gone') delete data.kind;
        if (data.heading === 'another') event.params.data = { heading: 'instead', id: 12345, nope: 1, link: { label: 'put' } };
      },
      beforeUpdate({ params: { data } }) {
        if (data.label === 'forbidden') throw new Error('no such label');
        if (/^(?:changed|b)$/.test(data.label)) data.label += '~';
      },
      beforeDelete({ params }) { if (strapi.keeps) throw new Error('stays'); },
    });
  } };`,
  },
};

/** What Strapi 5.54 tells before and after: `+` of what is made, `~` changed, `-` removed, with the texts that are told. */
const RECORDED: Readonly<Record<string, readonly [string, string]>> = {
  'plain: create': [
    '+link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +plain t',
    '+link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +plain t',
  ],
  'plain: update without entries': ['~plain u', '~plain u'],
  'plain: update with entries': [
    '~seo n, -link, ~link b2, +link c, -link, -hero, ~quote q2, +hero new, ~plain',
    '~seo n, -link a, +link c, ~link b2, -link z, -hero h, +hero new, ~quote q2, ~plain u',
  ],
  'plain: update within an entry': ['-hero, ~quote, ~plain', '-hero new, ~quote q2, ~plain u'],
  'plain: another entry': [
    '-link, -seo, +link within, +seo other, ~plain',
    '-link inner, -seo n, +link within, +seo other, ~plain u',
  ],
  'plain: less': ['-link, -seo, -link, -link, ~plain', '-link within, -seo other, -link b2, -link c, ~plain u'],
  'plain: clone': [
    '+link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +plain copy',
    '+link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +plain copy',
  ],
  'plain: delete': [
    '-plain, -link, -seo, -link, -link, -quote, -link, -hero',
    '-plain t, -link inner, -seo m, -link a, -link b, -quote q, -link z, -hero h',
  ],
  'page: create': [
    '+link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +page t',
    '+link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +page t',
  ],
  'page: update without entries': ['~page u', '~page u'],
  'page: update with entries': [
    '~seo n, -link, ~link b2, +link c, -link, -hero, ~quote q2, +hero new, ~page',
    '~seo n, -link a, +link c, ~link b2, -link z, -hero h, +hero new, ~quote q2, ~page u',
  ],
  'page: update within an entry': ['-hero, ~quote, ~page', '-hero new, ~quote q2, ~page u'],
  'page: another entry': [
    '-link, -seo, +link within, +seo other, ~page',
    '-link inner, -seo n, +link within, +seo other, ~page u',
  ],
  'page: less': ['-link, -seo, -link, -link, ~page', '-link within, -seo other, -link b2, -link c, ~page u'],
  'page: clone': [
    '+link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +page copy',
    '+link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +page copy',
  ],
  'page: publish': [
    '+link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +page t',
    '+link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +page t',
  ],
  'page: publish again': [
    '-page, -link, -seo, -link, -link, -quote, -link, -hero, +link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +page t',
    '-page t, -link inner, -seo m, -link a, -link b, -quote q, -link z, -hero h, +link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +page t',
  ],
  'page: discard': [
    '-page, -link, -seo, -link, -link, -quote, -link, -hero, +link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +page t',
    '-page t, -link inner, -seo m, -link a, -link b, -quote q, -link z, -hero h, +link inner, +seo m, +link a, +link b, +link z, +quote q, +hero h, +page t',
  ],
  'page: update and publish': [
    '-link, -seo, +seo both, ~page, -page, -link, -seo, -link, -link, -quote, -link, -hero, +seo both, +link a, +link b, +link z, +quote q, +hero h, +page t',
    '-link inner, -seo m, +seo both, ~page t, -page t, -link inner, -seo m, -link a, -link b, -quote q, -link z, -hero h, +seo both, +link a, +link b, +link z, +quote q, +hero h, +page t',
  ],
  'page: create and publish': ['+seo x, +page, +seo x, +page', '+seo x, +page, +seo x, +page'],
  'page: unpublish': [
    '-page, -seo, -link, -link, -quote, -link, -hero',
    '-page t, -seo both, -link a, -link b, -quote q, -link z, -hero h',
  ],
  'page: delete': [
    '-page, -seo, -link, -link, -quote, -link, -hero',
    '-page t, -seo both, -link a, -link b, -quote q, -link z, -hero h',
  ],
};

const PAGES = `const populate = { seo: { populate: '*' }, links: { populate: '*' }, zone: { populate: '*' } };
    const populateRows = { seo: { populate: true }, links: { populate: true }, zone: { populate: true } };
    const pages = strapi.documents('api::page.page');
    const linkOf = (one) => one && (one.item ? one.label + '>' + one.item.name : one.label);
    const shown = (page) => page && [page.publishedAt === null ? 'draft' : 'published', page.seo && [page.seo.metaTitle, page.seo.kind, linkOf(page.seo.link)].join(), page.links.map(linkOf).join(), page.zone.map(({ heading, body, link }) => [heading ?? body, linkOf(link)].join()).join(';')].join(' | ');
    const rows = async ({ documentId }) => (await strapi.db.query('api::page.page').findMany({ where: { documentId }, populate: populateRows })).map(shown).sort();
    const reason = (work) => work.then(() => 'done', ({ message }) => message);`;
const ACTIONS = {
  steps: `
    const full = () => ({ title: 't', seo: { metaTitle: 'm', link: { label: 'inner' } }, links: [{ label: 'a' }, { label: 'b' }], zone: [{ __component: 'blocks.hero', heading: 'h', link: { label: 'z' } }, { __component: 'blocks.quote', body: 'q' }] });
    const populate = { seo: { populate: '*' }, links: true, zone: { populate: '*' } };
    const steps = {};
    for (const name of ['plain', 'page']) {
      const documents = strapi.documents(\`api::\${name}.\${name}\`);
      const step = async (what, work) => {
        strapi.told.length = 0;
        const made = await work();
        const words = (wanted) => strapi.told.filter(([time]) => time === wanted).map(([, word]) => word);
        steps[\`\${name}: \${what}\`] = [words('before'), words('after')];
        return made;
      };
      const { documentId, seo, links, zone } = await step('create', () => documents.create({ data: full(), populate }));
      const update = (data, more) => documents.update({ documentId, data, populate, ...more });
      await step('update without entries', () => update({ title: 'u' }));
      await step('update with entries', () => update({
        seo: { id: seo.id, metaTitle: 'n' },
        links: [{ id: links[1].id, label: 'b2' }, { label: 'c' }],
        zone: [{ __component: 'blocks.quote', id: zone[1].id, body: 'q2' }, { __component: 'blocks.hero', heading: 'new' }],
      }));
      await step('update within an entry', () => update({ zone: [{ __component: 'blocks.quote', id: zone[1].id }] }));
      await step('another entry', () => update({ seo: { metaTitle: 'other', link: { label: 'within' } } }));
      await step('less', () => update({ seo: null, links: [] }));
      await update(full());
      await step('clone', () => documents.clone({ documentId, data: { title: 'copy' } }));
      if (name === 'page') {
        await step('publish', () => documents.publish({ documentId }));
        await step('publish again', () => documents.publish({ documentId }));
        await step('discard', () => documents.discardDraft({ documentId }));
        await step('update and publish', () => update({ seo: { metaTitle: 'both' } }, { status: 'published' }));
        await step('create and publish', () => documents.create({ data: { seo: { metaTitle: 'x' } }, status: 'published' }));
        await step('unpublish', () => documents.unpublish({ documentId }));
      }
      await step('delete', () => documents.delete({ documentId }));
    }
    return steps;`,
  order: `strapi.told.length = 0;
    await strapi.documents('api::plain.plain').create({ data: { title: 't', seo: { metaTitle: 'm', link: { label: 'in' } } } });
    return strapi.told.map((words) => words.join(' '));`,
  stores: `${PAGES}
    await strapi.db.query('api::item.item').create({ data: { name: 'one' } });
    const page = await pages.create({ data: { seo: { metaTitle: 'count', kind: 'gone', link: { label: 'linked' } }, links: [{ label: 'a' }, { label: 'linked' }], zone: [{ __component: 'blocks.quote', body: 'q' }, { __component: 'blocks.hero', heading: 'another', link: { label: 'own' } }] } });
    const created = await rows(page);
    const published = await pages.publish({ documentId: page.documentId, populate });
    const first = await rows(page);
    const { links } = await pages.findOne({ documentId: page.documentId, populate });
    await pages.update({ documentId: page.documentId, data: { links: [{ id: links[1].id, label: 'changed' }, { label: 'b' }] }, status: 'published' });
    const second = await rows(page);
    await pages.discardDraft({ documentId: page.documentId });
    const copy = await pages.clone({ documentId: page.documentId, data: {} });
    return [created, published.entries.map(shown), first, second, await rows(page), await rows(copy)];`,
  both: `${PAGES}
    const page = await pages.create({ data: { seo: { metaTitle: 'count' }, links: [{ label: 'a' }] }, status: 'published', populate });
    return [shown(page), await rows(page)];`,
  refuses: `${PAGES}
    const data = { title: 'old', seo: { metaTitle: 's' }, links: [{ label: 'a' }] };
    const page = await pages.create({ data });
    const before = await rows(page);
    const { links } = await pages.findOne({ documentId: page.documentId, populate });
    const count = () => pages.count();
    const there = await count();
    const reasons = [
      await reason(pages.create({ data: { ...data, zone: [{ __component: 'blocks.hero', link: { label: 'refused' } }] } })),
      await reason(pages.update({ documentId: page.documentId, data: { title: 'half', seo: { metaTitle: 'half' }, links: [{ label: 'refused' }] } })),
      await reason(pages.update({ documentId: page.documentId, data: { seo: null, links: [{ id: links[0].id, label: 'forbidden' }] } })),
    ];
    strapi.keeps = true;
    reasons.push(await reason(pages.delete({ documentId: page.documentId })), await reason(pages.update({ documentId: page.documentId, data: { links: [] } })));
    strapi.keeps = false;
    return [reasons, JSON.stringify(await rows(page)) === JSON.stringify(before), (await count()) - there];`,
  newest: `${PAGES}
    const [{ documentId }] = await pages.findMany({ sort: 'createdAt:desc', limit: 1 });
    return rows({ documentId });`,
  others: `${PAGES}
    const home = strapi.documents('api::home.home');
    strapi.told.length = 0;
    const { documentId, seo } = await home.create({ data: { seo: { metaTitle: 'count' } }, populate: ['seo'] });
    await home.update({ documentId, data: { seo: { id: seo.id, metaTitle: 'own' } } });
    const told = strapi.told.filter(([time]) => time === 'before').map(([, word]) => word);
    const stories = strapi.documents('api::story.story');
    const story = await stories.create({ data: { title: 'one', seo: { metaTitle: 'count' } } });
    await stories.update({ documentId: story.documentId, locale: 'fr', data: { title: 'un' } });
    const versions = await strapi.db.query('api::story.story').findMany({ where: { documentId: story.documentId }, populate: ['seo'], orderBy: 'locale' });
    const users = strapi.plugin('users-permissions').service('user');
    const account = { username: 'xxx', email: 'x@example.com', password: 'Secret123', role: 1 };
    await users.add({ ...account, profile: { metaTitle: 'count' } });
    const refused = await reason(users.add({ ...account, username: 'yyy', email: 'y@example.com', profile: { link: { label: 'refused' } } }));
    const profiles = (await strapi.db.query('plugin::users-permissions.user').findMany({ populate: ['profile'] })).map(({ profile }) => profile.metaTitle);
    return [told, versions.map(({ locale, seo }) => locale + ' ' + seo?.metaTitle), profiles, refused];`,
  profiles: `return (await strapi.db.query('plugin::users-permissions.user').findMany({ populate: ['profile'] })).map(({ profile }) => profile.metaTitle);`,
  queries: `${PAGES}
    const query = strapi.db.query('api::page.page');
    const made = await query.create({ data: { publishedAt: null, seo: { metaTitle: 'count' }, links: [{ label: 'a' }] } });
    const { links } = await query.findOne({ where: { id: made.id }, populate: populateRows });
    await query.update({ where: { id: made.id }, data: { links: [{ id: links[0].id, label: 'b' }] } });
    const refused = await reason(query.update({ where: { id: made.id }, data: { links: [{ label: 'refused' }] } }));
    return [await rows(made), refused];`,
};

const sorted = (words: readonly string[]): string => [...words].sort().join(', ');

for (const engine of engines) {
  describe(`lifecycles of components on ${engine.name}`, () => {
    let served: ServedActions;

    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS);
    });
    after(() => served?.server.stop());

    it('receive all effects of a write on entries, as in Strapi', async () => {
      const steps: Record<string, [string[], string[]]> = await served.run('steps');
      deepStrictEqual(Object.keys(steps), Object.keys(RECORDED));
      for (const [name, [began, ended]] of Object.entries(RECORDED)) {
        strictEqual(sorted(steps[name]![0]), sorted(began.split(', ')), `before: ${name}`);
        strictEqual(sorted(steps[name]![1]), sorted(ended.split(', ')), `after: ${name}`);
      }
    });

    it('receive nested entries first, and the row that has them last', async () => {
      deepStrictEqual(await served.run('order'), [
        ...['before +link in', 'before +seo m', 'before +plain t'],
        ...['after +link in', 'after +seo m', 'after +plain t'],
      ]);
    });

    it('store their changes, in copies too', async () => {
      const draft = 'draft | count+,,linked | a,linked>one | q,;instead,put';
      const published = draft.replace('draft | count', 'published | count+');
      const changed = (row: string) => row.replace('a,linked>one', 'changed~>one,b');
      const discarded = changed(draft).replace('count+', 'count+++');
      deepStrictEqual(await served.run('stores'), [
        [draft],
        [published],
        [draft, published],
        [changed(draft), changed(published)],
        [discarded, changed(published)],
        [discarded.replace('count', 'count+')],
      ]);
      const both = 'published | count++,, | a | ';
      deepStrictEqual(await served.run('both'), [both, ['draft | count+,, | a | ', both]]);
    });

    it('may refuse a write, which is rolled back', async () => {
      const reasons = ['no such label', 'no such label', 'no such label', 'stays', 'stays'];
      deepStrictEqual(await served.run('refuses'), [reasons, true, 0]);
    });

    it('receive writes of strapi.db.query to the rows that have them', async () => {
      deepStrictEqual(await served.run('queries'), [['draft | count+,, | b~ | '], 'no such label']);
    });

    it('receive requests, and close actions that would bypass them', async () => {
      const { server } = served;
      const token = server.secrets['full']!;
      const post = (target: string, body: unknown) => server.request('POST', `/api/${target}`, { token, body });
      const made = await post('pages?populate=seo', { data: { seo: { metaTitle: 'count' } } });
      match(made.text, /"metaTitle":"count\+\+"/);
      match((await post('pages', { data: { links: [{ label: 'refused' }] } })).text, /"status":500/);
      const operations = [{ action: 'create', data: {} }];
      strictEqual((await post('pages/actions/batch', { operations })).status, 403);
      strictEqual((await post(`pages/${made.body.data.documentId}/actions/publish`, {})).status, 403);
    });

    it('receive writes of administrators', async () => {
      const { server } = served;
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      const sue = new Browser(server);
      await sue.signIn('sue');
      const pages = 'content/api::page.page';
      const data = { title: 't', seo: { metaTitle: 'count' }, links: [{ label: 'a' }, { label: 'b' }] };
      const made = await sue.send('POST', pages, { data });
      strictEqual(made.status, 201);
      const page = `${pages}/${made.body.data.documentId}`;
      const refused = await sue.send('PUT', page, { data: { links: [{ label: 'refused' }] } }, { 'if-match': '*' });
      strictEqual(refused.status, 500);
      strictEqual((await sue.send('POST', `${page}/publish`, {})).status, 200);
      const rows = ['draft | count+,, | a,b | ', 'published | count++,, | a,b | '];
      deepStrictEqual(await served.run('newest'), rows);
    });

    it('receive single types, further locales and accounts', async () => {
      deepStrictEqual(await served.run('others'), [
        ['+seo count', '+home', '~seo own', '~home'],
        ['en count+', 'fr count+'],
        ['count+'],
        'no such label',
      ]);
      const { server } = served;
      const account = { username: 'ann', email: 'ann@example.com', password: 'Secret123', role: 1 };
      const post = (label: string) => {
        const body = { ...account, profile: { metaTitle: 'count', link: { label } } };
        return server.request('POST', '/api/users?populate=profile', { token: server.secrets['full']!, body });
      };
      strictEqual((await post('refused')).status, 500);
      const made = await post('fine');
      strictEqual(made.status, 201);
      deepStrictEqual(await served.run('profiles'), ['count+', 'count+']);
    });
  });
}
