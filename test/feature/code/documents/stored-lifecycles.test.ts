/** What lifecycles change of the rows that an operation makes: docs/reference/project-code.md. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { verifyPassword } from '../../../../src/content/validation/password-hashing.ts';
import { Transaction } from '../../../../src/db/interface/transaction.ts';
import { engines } from '../../../support/databases/databases.ts';
import { type ServedActions, serveActions } from '../../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../../support/servers/project.ts';

const text = { type: 'string' };
const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true } };

const PROJECT: ProjectFiles = {
  components: {
    'shared.safe': {
      collectionName: 'components_safes',
      info: { displayName: 'safe' },
      attributes: { pin: { type: 'password' }, label: text },
    },
    'shared.part': {
      collectionName: 'components_parts',
      info: { displayName: 'part' },
      attributes: { label: { ...text, default: 'lab' }, n: { type: 'integer' } },
    },
    'shared.seal': {
      collectionName: 'components_seals',
      info: { displayName: 'seal' },
      attributes: {
        label: text,
        item: { type: 'relation', relation: 'oneToOne', target: 'api::item.item' },
        part: { type: 'component', component: 'shared.part' },
      },
    },
  },
  contentTypes: {
    vault: contentType('vault', {
      title: text,
      secret: { type: 'password', minLength: 6 },
      safe: { type: 'component', component: 'shared.safe' },
      safes: { type: 'dynamiczone', components: ['shared.safe'] },
      spare: { type: 'password' },
      history: { type: 'text' },
      log: { type: 'json' },
    }),
    card: contentType(
      'card',
      {
        title: { ...text, ...localized },
        size: { type: 'integer', default: 3, ...localized },
        code: { ...text, default: 'shared' },
        meta: { type: 'json', default: { a: 1 }, ...localized },
        secret: { type: 'password', default: 'secret1' },
        parts: { type: 'component', component: 'shared.part', repeatable: true, ...localized },
        part: { type: 'component', component: 'shared.part', ...localized },
      },
      { ...drafts, ...localized },
    ),
    page: contentType(
      'page',
      {
        title: text,
        mark: text,
        size: { type: 'integer' },
        meta: { type: 'json' },
        items: { type: 'relation', relation: 'manyToMany', target: 'api::item.item' },
      },
      drafts,
    ),
    note: contentType('note', { title: { ...text, ...localized }, code: text }, { ...drafts, ...localized }),
    item: contentType('item', { name: text, mark: text }),
    slip: contentType('slip', {
      name: { ...text, required: true },
      short: { ...text, maxLength: 2 },
      mark: { ...text, required: true },
      item: { type: 'relation', relation: 'manyToOne', target: 'api::item.item', required: true },
    }),
    leaf: contentType('leaf', { name: text }, drafts),
    poster: contentType(
      'poster',
      {
        title: { ...text, ...localized },
        secret: { type: 'password' },
        seal: { type: 'component', component: 'shared.seal' },
        zone: { type: 'dynamiczone', components: ['shared.seal'] },
        safe: { type: 'component', component: 'shared.safe' },
      },
      { ...drafts, ...localized },
    ),
    brief: contentType(
      'brief',
      {
        title: { ...text, ...localized },
        code: text,
        mark: text,
        secret: { type: 'password' },
        cover: { type: 'media' },
      },
      { ...drafts, ...localized },
    ),
  },
  files: {
    'config/api.json': { documents: { strictRelations: true } },
    'src/api/page/content-types/page/lifecycles.js': `module.exports = {
  beforeCreate(event) {
    const { data } = event.params;
    if (data.title === 'left alone') return;
    if (data.publishedAt !== null && !(data.publishedAt instanceof Date)) throw new Error('no date');
    const of = data.publishedAt === null ? 'draft' : 'published';
    if (data.title === 'replaced') event.params.data = { ...data, mark: of, title: 'another' };
    else data.mark = of;
    if (data.title === 'deep' && of === 'published') data.meta.list.push(2);
    if (data.title === 'less' && of === 'published') { delete data.size; data.items = []; }
    if (data.title === 'wrong' && of === 'published') data.size = 'no number';
  },
  beforeUpdate(event) { event.params.data.mark = 'updated'; },
  afterCreate({ result }) { if (result.title === 'told') result.title = 'told by code'; },
};`,
    'src/api/vault/content-types/vault/lifecycles.js': `const kindOf = (value) => (value === undefined ? 'none' : /^\\$2/.test(value) ? 'hash' : value);
const tell = ({ action, params: { data } }) => void strapi.vaults.push([action, kindOf(data.secret), kindOf(data.safe?.pin)].join(' '));
const before = (event) => {
  tell(event);
  const { data } = event.params;
  if (data.title === 'own') data.secret = 'of code';
  if (data.title !== 'kept') return;
  const { secret, safes: [entry] } = data;
  const log = { old: [secret], pin: entry.pin };
  const safe = { pin: entry.pin, label: entry.pin };
  event.params.data = { ...data, history: secret, log, spare: secret, safe, safes: [{ ...entry, label: secret }] };
};
module.exports = { beforeCreate: before, afterCreate: tell, beforeUpdate: before, afterUpdate: tell };`,
    'src/api/note/content-types/note/lifecycles.js':
      "module.exports = { beforeCreate({ params: { data } }) { if (data.publishedAt) data.code = 'c-' + data.locale; } };",
    'src/api/poster/content-types/poster/lifecycles.js': `const hashed = (name, value) => (/^\\$2/.test(value) ? 'hash' : /At$/.test(name) && value ? 'time' : name === 'documentId' || name === 'id' ? name : name === 'item' ? value?.name : value);
const before = ({ action, params: { where, data } }) => {
  strapi.posters.push([action, Object.keys(where).join(), JSON.parse(JSON.stringify(data), hashed)]);
  if (data.title === 'Deux') { data.seal.label = 'by code'; data.secret = 'of code'; }
  if (where.locale && data.seal?.label === 'asked') { data.zone[0].label = 'of all'; }
};
module.exports = { beforeCreate: before, beforeUpdate: before };`,
    'src/api/brief/content-types/brief/lifecycles.js': `const tell = ({ action, params: { where, data }, result }) => {
  const named = where.documentId ? [where.publishedAt === null ? 'draft' : JSON.stringify(where.publishedAt), where.locale.$eq] : [Object.keys(where).join()];
  strapi.briefs.push([action, ...named, Object.keys(data).sort().join(), data.code, result ? [result.locale, result.code].join() : undefined].filter((one) => one !== undefined).join(' '));
};
module.exports = {
  beforeUpdate(event) {
    tell(event);
    const { where, data } = event.params;
    if (where.locale && data.code === 'refused') throw new Error('not there');
    if (where.locale && data.code === 'changed') data.mark = 'by ' + where.locale.$eq;
  },
  afterUpdate: tell,
};`,
    'src/index.js': `module.exports = { bootstrap({ strapi }) {
  strapi.cards = [];
  const typed = (name, value) => (/^\\$2/.test(value) ? 'hash' : value instanceof Date ? 'Date' : /At$/.test(name) && typeof value === 'string' ? 'text' : JSON.stringify(value));
  const textOf = (data) => Object.entries(data).filter(([name, value]) => name !== 'documentId' && value !== null && value !== undefined).map(([name, value]) => name + ':' + typed(name, value)).sort().join(' ');
  const tell = ({ action, model, params: { data } }) => void strapi.cards.push([action, model.uid.split('.')[1], [data].flat().map(textOf).join(' / ')].join(' '));
  const keep = (event) => {
    tell(event);
    const { data } = event.params;
    if (data.title === 'changed') { data.size = 7; data.meta.a = 2; data.createdAt = new Date(0); }
    if (data.title === 'gone') delete data.size;
  };
  strapi.db.lifecycles.subscribe({ models: ['api::card.card', 'shared.part'], beforeCreate: keep, beforeUpdate: keep, beforeCreateMany: tell, beforeUpdateMany: tell });
} };`,
    'src/api/slip/content-types/slip/lifecycles.js': `module.exports = {
  beforeCreate({ params: { data } }) { data.short = data.name.slice(0, 2); data.item ??= data.name === 'no item' ? undefined : strapi.item; },
  beforeUpdate({ params: { data } }) { if ('name' in data) data.short = data.name.slice(0, 4); },
  afterFindOne({ result }) { if (result) result.read = result.name + '!'; },
  afterCreate({ result }) { result.told = result.read; },
};`,
    'src/api/leaf/content-types/leaf/lifecycles.js':
      "module.exports = { afterFindOne({ result }) { result.read = 'as ' + (result.publishedAt ? 'published' : 'draft'); } };",
    'src/api/item/content-types/item/lifecycles.js':
      "module.exports = { beforeCreate({ params: { data } }) { data.mark = 'of ' + data.name; } };",
  },
};

const PAGES = `const pages = strapi.documents('api::page.page');
    const rows = async ({ documentId }) => (await strapi.db.query('api::page.page').findMany({ where: { documentId }, populate: ['items'] })).map(({ title, mark, publishedAt, size, meta, items }) => [publishedAt === null ? 'draft' : 'published', title, mark, size, JSON.stringify(meta), items.length].join()).sort();
    const shown = ({ entries }) => entries.map(({ title, mark }) => [title, mark]);
    const make = async (data) => { const { documentId } = await pages.create({ data }); return { documentId }; };`;

const CARDS = `const [cards, rows] = [strapi.documents('api::card.card'), strapi.db.query('api::card.card')];
    const steps = [];
    const step = async (work) => { strapi.cards.length = 0; const made = await work(); steps.push([...strapi.cards]); return made; };`;

const ACTIONS = {
  slips: `const slips = strapi.documents('api::slip.slip');
    strapi.item = (await strapi.documents('api::item.item').create({ data: { name: 'i' } })).documentId;
    const told = async (work) => { try { const { name, short, read, told } = await work(); return [name, short, read, told].join(); } catch (error) { return error.message; } };
    const made = await slips.create({ data: { name: 'first', mark: 'm' } });
    const steps = [[made.short, made.read, made.told].join()];
    for (const data of [{}, { name: 7, mark: 'm' }, { name: 'a' }, { name: 'no item', mark: 'm' }]) steps.push(await told(() => slips.create({ data })));
    for (const data of [{ name: 8 }, { name: null }, { name: 'four' }, { name: 'at' }, {}]) steps.push(await told(() => slips.update({ documentId: made.documentId, data })));
    const pages = strapi.documents('api::page.page');
    steps.push(await told(() => pages.create({ data: { title: 7 } })), await told(() => strapi.entityService.create('api::slip.slip', { data: { name: 'last', mark: 'm' } })));
    const shown = ({ entries }) => entries.map(({ name, read }) => [name, String(read)].join()).join();
    const last = (await slips.findFirst({ filters: { name: 'last' } })).documentId;
    const { entries: [copy] } = await slips.clone({ documentId: last, data: { name: 'copy', item: strapi.item } });
    steps.push([copy.name, copy.read, copy.told].join());
    const leaves = strapi.documents('api::leaf.leaf');
    const { documentId } = await leaves.create({ data: { name: 'leaf' } });
    for (const move of [() => leaves.publish({ documentId }), () => leaves.discardDraft({ documentId }), () => leaves.clone({ documentId }), () => leaves.unpublish({ documentId })]) steps.push(shown(await move()));
    return steps;`,
  secrets: `const vaults = strapi.documents('api::vault.vault');
    const steps = [];
    const step = async (work) => { strapi.vaults = []; const made = await work().catch(({ message }) => message); steps.push(typeof made === 'string' ? [...strapi.vaults, made] : strapi.vaults); return made; };
    const { documentId } = await step(() => vaults.create({ data: { title: 'a', secret: 'first one', safe: { pin: 'inner', label: 'first one' } } }));
    await step(() => vaults.update({ documentId, data: { secret: 'second one' } }));
    await step(() => vaults.update({ documentId, data: { secret: 'short' } }));
    await step(() => vaults.update({ documentId, data: { title: 'b' } }));
    const copy = await step(() => vaults.clone({ documentId, data: { secret: 'of the copy' } }));
    await step(() => vaults.create({ data: { title: 'own', secret: 'not this one' } }));
    return steps;`,
  kept: `const vaults = strapi.documents('api::vault.vault');
    strapi.vaults = [];
    const left = [];
    const keep = ({ history, log, safe, safes }) => void left.push([history, log.old[0], log.pin, safe.label, safes[0].label]);
    const dataOf = (secret, pin) => ({ title: 'kept', secret, safes: [{ __component: 'shared.safe', pin }] });
    const populate = ['safe', 'safes'];
    const made = await vaults.create({ data: dataOf('first one', 'inner'), populate });
    keep(made);
    keep(await vaults.update({ documentId: made.documentId, data: dataOf('second one', 'within'), populate }));
    return left;`,
  shown: `${CARDS}
    const { documentId } = await step(() => cards.create({ data: { title: 'a', parts: [{ n: 1 }] } }));
    await step(() => cards.update({ documentId, data: { title: 'b', parts: [{ n: 5 }], updatedAt: '2020-01-01T00:00:00.000Z' } }));
    await step(() => cards.update({ documentId, locale: 'fr', data: { title: 'c', parts: [{ n: 6 }] } }));
    await step(() => cards.create({ data: { title: 'p', size: 5, createdAt: '2020-01-01T00:00:00.000Z' }, status: 'published' }));
    return steps;`,
  shownRows: `${CARDS}
    const data = { title: 'q', locale: 'en' };
    const { id } = await step(() => rows.create({ data }));
    await step(() => rows.update({ where: { id }, data: { title: 'r' } }));
    await step(() => rows.createMany({ data: [{ title: 'm', locale: 'en' }] }));
    await step(() => rows.updateMany({ where: { title: 'm' }, data: { title: 'n' } }));
    return [steps, Object.keys(data).sort()];`,
  keptDefaults: `${CARDS}
    const made = [];
    for (const title of ['as it is', 'changed', 'gone']) {
      const { size, code, meta, parts, createdAt, updatedAt } = await cards.create({ data: { title, parts: [{ n: 1 }] }, populate: ['parts'] });
      made.push([size, code, meta.a, parts.map(({ label, n }) => label + n).join(), createdAt === updatedAt]);
    }
    return made;`,
  creates: `${PAGES}
    const made = await pages.create({ data: { title: 'a' }, status: 'published', fields: ['title', 'mark'] });
    return [[made.title, made.mark], await rows(made)];`,
  updates: `${PAGES}
    const page = await make({ title: 'a' });
    const made = await pages.update({ ...page, data: { title: 'b' }, status: 'published' });
    return [[made.title, made.mark], await rows(page)];`,
  publishes: `${PAGES}
    const page = await make({ title: 'a' });
    await pages.update({ ...page, data: { title: 'b' } });
    const published = shown(await pages.publish(page));
    const first = await rows(page);
    await pages.update({ ...page, data: { title: 'replaced' } });
    return [published, first, shown(await pages.publish({ ...page, fields: ['title'] })), await rows(page)];`,
  discards: `${PAGES}
    const page = await make({ title: 'a' });
    await pages.publish(page);
    await pages.update({ ...page, data: { title: 'b' } });
    return [shown(await pages.discardDraft(page)), await rows(page)];`,
  copies: `${PAGES}
    const page = await make({ title: 'left alone', mark: 'own' });
    const copy = await pages.clone({ ...page, data: { title: 'copy' } });
    const item = await strapi.documents('api::item.item').create({ data: { name: 'x' } });
    const { entries } = await strapi.documents('api::item.item').clone({ documentId: item.documentId, data: { name: 'y' } });
    return [shown(copy), await rows(copy), await rows(page), entries.map(({ name, mark }) => [name, mark])];`,
  values: `${PAGES}
    const item = await strapi.documents('api::item.item').create({ data: { name: 'x' } });
    const made = [];
    for (const title of ['deep', 'less', 'wrong', 'told']) {
      const page = await make({ title, size: 1, meta: { list: [1] }, items: [item.documentId] });
      const result = await pages.publish(page).then(shown, ({ name }) => name);
      made.push([result, await rows(page)]);
    }
    return made;`,
  shares: `const notes = strapi.documents('api::note.note');
    const { documentId } = await notes.create({ data: { title: 'One', code: 'a' } });
    await notes.update({ documentId, locale: 'de', data: { title: 'Eins' } });
    const { entries } = await notes.publish({ documentId, locale: ['fr', 'en'] });
    const codes = async () => (await strapi.db.query('api::note.note').findMany({ where: { documentId } })).map(({ locale, publishedAt, code }) => [locale, publishedAt === null ? 'draft' : 'published', code].join()).sort();
    const first = await codes();
    await notes.publish({ documentId, locale: 'de' });
    return [entries.map(({ code }) => code), first, await codes()];`,
  many: `const notes = strapi.documents('api::note.note');
    return strapi.db.transaction(async () => {
      const { documentId } = await notes.create({ data: { title: 'One' } });
      for (let n = 0; n < 9; n++) await notes.update({ documentId, data: { title: 'One ' + n } });
    });`,
  takes: `const posters = strapi.documents('api::poster.poster');
    strapi.posters = [];
    const item = await strapi.documents('api::item.item').create({ data: { name: 'shared' } });
    const seal = { label: 'a', item: item.documentId, part: { n: 1 } };
    const zone = [{ __component: 'shared.seal', ...seal }];
    const { documentId } = await posters.create({ data: { title: 'One', secret: 'Secret12', seal, zone, safe: { pin: 'inner1', label: 'b' } } });
    const told = [];
    const step = async (work) => { strapi.posters.length = 0; await work(); told.push([...strapi.posters]); };
    await step(() => posters.update({ documentId, locale: 'fr', data: { title: 'Un' } }));
    await step(() => posters.publish({ documentId, locale: 'fr' }));
    await step(() => posters.update({ documentId, locale: 'fr', data: { seal: { label: 'asked', item: item.documentId } } }));
    await step(() => posters.update({ documentId, locale: 'de', data: { title: 'Deux' } }));
    const populate = { seal: { populate: ['item', 'part'] }, zone: { on: { 'shared.seal': { populate: ['item', 'part'] } } }, safe: true };
    const rows = await strapi.db.query('api::poster.poster').findMany({ where: { documentId }, populate, orderBy: 'id' });
    const sealText = (one) => [one.label, one.item?.name, one.part?.n].join();
    return [told, rows.map((row) => [row.locale, row.publishedAt ? 'published' : 'draft', sealText(row.seal), row.zone.map(sealText).join(' '), row.safe?.label].join(' '))];`,
  reaches: `const briefs = strapi.documents('api::brief.brief');
    const told = [];
    strapi.briefs = [];
    const { documentId } = await briefs.create({ data: { title: 'One', code: 'a', secret: 'Secret12' } });
    await briefs.update({ documentId, locale: 'fr', data: { title: 'Un' } });
    const update = async (params) => {
      strapi.briefs.length = 0;
      const failed = await briefs.update({ documentId, ...params }).then(() => undefined, ({ message }) => message);
      told.push([...strapi.briefs, ...(failed ? [failed] : [])]);
    };
    await update({ data: { title: 'Two' } });
    await update({ data: { code: 'b' } });
    await update({ data: { code: 'b' } });
    await briefs.publish({ documentId, locale: '*' });
    await update({ locale: 'fr', data: { title: 'Deux', code: 'c' }, status: 'published' });
    await update({ data: { code: 'refused' } });
    await update({ data: { code: 'changed' } });
    await update({ locale: 'de', data: { title: 'Eins', code: 'd' } });
    const rows = await strapi.db.query('api::brief.brief').findMany({ where: { documentId } });
    const inOne = await strapi.db.transaction(async () => {
      strapi.briefs.length = 0;
      const { documentId } = await briefs.create({ data: { title: 'One', code: 'a' } });
      await briefs.update({ documentId, locale: 'fr', data: { title: 'Un' } });
      for (const code of ['b', 'c']) await briefs.update({ documentId, data: { code } });
      return strapi.briefs;
    });
    return [told, inOne, rows.map(({ locale, publishedAt, title, code, mark }) => [locale, publishedAt === null ? 'draft' : 'published', title, code, mark].join()).sort()];`,
};

for (const engine of engines) {
  describe(`changes of rows by lifecycles on ${engine.name}`, () => {
    let served: ServedActions;

    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS);
    });
    after(() => served?.server.stop());

    it('is stored in the row that it was shown of, when a write publishes as well', async () => {
      deepStrictEqual(await served.run('creates'), [
        ['a', 'published'],
        ['draft,a,draft,,null,0', 'published,a,published,,null,0'],
      ]);
      deepStrictEqual(await served.run('updates'), [
        ['b', 'published'],
        ['draft,b,updated,,null,0', 'published,b,published,,null,0'],
      ]);
    });

    it('are validated after the data was valid before, and shown as they are stored', async () => {
      deepStrictEqual(await served.run('slips'), [
        'fi,first!,first!',
        '2 errors occurred',
        'name must be a `string` type, but the final value was: `7`.',
        'mark must be defined.',
        // links may come from listeners
        'item must be defined.',
        'name must be a `string` type, but the final value was: `8`.',
        'name must be a `string` type, but the final value was: `null`.',
        'short must be at most 2 characters',
        'at,at,at!,',
        'at,at,at!,',
        'title must be a `string` type, but the final value was: `7`.',
        'last,la,last!,last!',
        'copy,copy!,copy!',
        'leaf,as published',
        'leaf,as draft',
        'leaf,as draft',
        // what is gone was listed
        'leaf,undefined',
      ]);
    });

    it('are stored in the published row, and not in its draft', async () => {
      deepStrictEqual(await served.run('publishes'), [
        [['b', 'published']],
        ['draft,b,updated,,null,0', 'published,b,published,,null,0'],
        // the answer has what was asked for
        [['another', null]],
        ['draft,replaced,updated,,null,0', 'published,another,published,,null,0'],
      ]);
    });

    it('is stored in a draft that is discarded, and in a copy', async () => {
      deepStrictEqual(await served.run('discards'), [
        [['a', 'draft']],
        ['draft,a,draft,,null,0', 'published,a,published,,null,0'],
      ]);
      deepStrictEqual(await served.run('copies'), [
        [['copy', 'draft']],
        ['draft,copy,draft,,null,0'],
        ['draft,left alone,own,,null,0'],
        [['y', 'of y']],
      ]);
    });

    it('may be deep inside of a value, a value taken away or links, and is refused where it is wrong', async () => {
      const draft = (title: string) => `draft,${title},draft,1,{"list":[1]},1`;
      deepStrictEqual(await served.run('values'), [
        [[['deep', 'published']], [draft('deep'), 'published,deep,published,1,{"list":[1,2]},1']],
        [[['less', 'published']], [draft('less'), 'published,less,published,,{"list":[1]},0']],
        ['ValidationError', [draft('wrong')]],
        [[['told by code', 'published']], [draft('told'), 'published,told,published,1,{"list":[1]},1']],
      ]);
    });

    it('are shared with the published versions of other locales', async () => {
      deepStrictEqual(await served.run('shares'), [
        ['c-en'],
        ['de,draft,a', 'en,draft,a', 'en,published,c-en'],
        ['de,draft,a', 'de,published,c-de', 'en,draft,a', 'en,published,c-de'],
      ]);
    });

    it('are stored in versions of other locales that receive shared values, with events for these as well', async () => {
      const all = 'code,cover,mark,secret,updatedAt';
      const own = (data: string, ...codes: string[]) => [
        ['beforeUpdate id', `${data},locale,publishedAt,updatedAt`, ...codes].join(' '),
        ['afterUpdate id', `${data},locale,publishedAt,updatedAt`, ...codes, `en,${codes[0] ?? 'a'}`].join(' '),
      ];
      const other = (status: string, locale: string, code: string) => [
        `beforeUpdate ${status} ${locale} ${all} ${code}`,
        `afterUpdate ${status} ${locale} ${all} ${code} ${locale},${code}`,
      ];
      const [told, inOne, rows] = await served.run('reaches');
      deepStrictEqual(told, [
        [
          'beforeUpdate id locale,publishedAt,title,updatedAt',
          'afterUpdate id locale,publishedAt,title,updatedAt en,a',
        ],
        [...own('code', 'b'), ...other('draft', 'fr', 'b')],
        own('code', 'b'),
        [
          'beforeUpdate id code,locale,publishedAt,title,updatedAt c',
          'afterUpdate id code,locale,publishedAt,title,updatedAt c fr,c',
          `beforeUpdate draft en ${all} c`,
          `beforeUpdate {"$ne":null} en ${all} c`,
          `afterUpdate draft en ${all} c en,c`,
          `afterUpdate {"$ne":null} en ${all} c en,c`,
        ],
        [...own('code', 'refused'), `beforeUpdate draft fr ${all} refused`, 'not there'],
        [...own('code', 'changed'), ...other('draft', 'fr', 'changed')],
        [
          ...['en', 'fr'].map((locale) => other('draft', locale, 'd')[0]),
          ...['en', 'fr'].map((locale) => other('draft', locale, 'd')[1]),
        ],
      ]);
      // whatever the same transaction has done before
      deepStrictEqual(
        inOne,
        ['b', 'c'].flatMap((code) => [...own('code', code), ...other('draft', 'fr', code)]),
      );
      deepStrictEqual(rows, [
        'de,draft,Eins,d,by fr',
        ...['en,draft,Two,d,by fr', 'en,published,Two,c,', 'fr,draft,Deux,d,by fr', 'fr,published,Deux,c,'],
      ]);
    });

    it('is of data with hashes in the places of passwords, which are stored as they were meant', async () => {
      const both = (moment: string, kinds: string) => [`before${moment} ${kinds}`, `after${moment} ${kinds}`];
      deepStrictEqual(await served.run('secrets'), [
        both('Create', 'hash hash'),
        both('Update', 'hash none'),
        ['secret must be at least 6 characters'],
        both('Update', 'none none'),
        both('Create', 'hash none'),
        ['beforeCreate hash none', 'afterCreate of code none'],
      ]);
      const { database } = served.server.app;
      const passwords = ['first one', 'second one', 'of the copy', 'of code'];
      const left = [];
      for (const [title, hash] of await database.rows('select title, secret from vaults', [])) {
        const fits = await Promise.all(passwords.map((password) => verifyPassword(password, String(hash))));
        left.push(`${title}, ${passwords[fits.indexOf(true)]}`);
      }
      deepStrictEqual(left.sort(), ['b, of the copy', 'b, second one', 'own, of code']);
      const [[pin, label] = []] = await database.rows('select pin, label from components_safes order by id', []);
      deepStrictEqual([await verifyPassword('inner', String(pin)), label], [true, 'first one']);
    });

    it('may keep the hash of a password elsewhere: the password itself is stored nowhere', async () => {
      const { database } = served.server.app;
      const meant = ['first one', 'inner', 'second one', 'within'];
      const known = async (hash: unknown) => {
        const fits = await Promise.all(meant.map((password) => verifyPassword(password, String(hash))));
        return meant[fits.indexOf(true)] ?? `none of them: ${hash}`;
      };
      const all = (rows: readonly (readonly unknown[])[]) =>
        Promise.all(rows.map((row) => Promise.all(row.map(known))));
      deepStrictEqual(await all(await served.run('kept')), [
        ['first one', 'first one', 'inner', 'inner', 'first one'],
        ['second one', 'second one', 'within', 'within', 'second one'],
      ]);
      const vaults = await database.rows("select secret, spare from vaults where title = 'kept'", []);
      deepStrictEqual(await all(vaults), [['second one', 'second one']]);
      const safes = "select pin, label from components_safes where label <> 'first one' order by id";
      deepStrictEqual((await all(await database.rows(safes, []))).map(String).sort(), [
        'within,second one',
        'within,within',
      ]);
    });

    it('include shared values, hashes and entries, and are stored with all attributes of these', async () => {
      const [told, rows] = await served.run('takes');
      const part = { label: 'lab', n: 1 };
      const [now, made] = [{ updatedAt: 'time' }, { createdAt: 'time', updatedAt: 'time' }];
      const whole = (label: string) => ({ label, item: 'shared', part });
      const create = (data: object) => ['beforeCreate', '', { documentId: 'documentId', ...made, ...data }];
      const other = (label: string, inZone: string) => [
        'beforeUpdate',
        'documentId,publishedAt,locale',
        {
          seal: { id: 'id', label },
          zone: [{ id: 'id', label: inZone, __component: 'shared.seal' }],
          safe: { id: 'id', label: 'b' },
          secret: 'hash',
          ...now,
        },
      ];
      const zone = [{ ...whole('a'), __component: 'shared.seal' }];
      const shared = { seal: whole('a'), zone, secret: 'hash', publishedAt: null };
      const version = { publishedAt: null, locale: 'fr', ...now };
      const entry = (field: string, uid: string) => ({ id: 'id', __pivot: { field, component_type: uid } });
      deepStrictEqual(told, [
        [create({ title: 'Un', ...shared, locale: 'fr' })],
        [
          create({
            ...{ title: 'Un', secret: 'hash', publishedAt: 'time', locale: 'fr', createdBy: null, updatedBy: null },
            ...{ seal: entry('seal', 'shared.seal'), safe: entry('safe', 'shared.safe') },
            zone: [{ id: 'id', __component: 'shared.seal', __pivot: { field: 'zone' } }],
          }),
        ],
        [['beforeUpdate', 'id', { seal: { label: 'asked' }, ...version }], other('asked', 'a')],
        [
          create({
            ...{ title: 'Deux', ...shared, locale: 'de' },
            seal: { label: 'asked', item: 'shared', part: null },
            zone: [{ ...whole('of all'), __component: 'shared.seal' }],
          }),
          ...[1, 2].map(() => other('by code', 'of all')),
        ],
      ]);
      deepStrictEqual(rows, [
        'en draft by code,shared, of all,shared,1 b',
        'fr draft by code,shared, of all,shared,1 b',
        'fr published a,shared,1 a,shared,1 b',
        'de draft by code,shared, of all,shared,1 b',
      ]);
      const stored = await served.server.app.database.rows('select secret from posters order by id', []);
      const fits = (index: number, password: string) => verifyPassword(password, String(stored[index]![0]));
      deepStrictEqual(await Promise.all([0, 1, 3].map((index) => fits(index, 'of code'))), [true, true, true]);
      strictEqual(await fits(2, 'Secret12'), true);
    });

    it('is of data with times and defaults, as Strapi 5.54 has them', async () => {
      const made = 'createdAt:Date';
      const now = 'updatedAt:Date';
      deepStrictEqual(await served.run('shown'), [
        [
          `beforeCreate part ${made} label:"lab" n:1 ${now}`,
          `beforeCreate card code:"shared" ${made} locale:"en" meta:{"a":1} parts:[{"n":1,"label":"lab"}] size:3 title:"a" ${now}`,
        ],
        [`beforeCreate part ${made} n:5 ${now}`, `beforeUpdate card locale:"en" parts:[{"n":5}] title:"b" ${now}`],
        [
          `beforeCreate part ${made} label:"lab" n:6 ${now}`,
          // what locales share is what the others have, and no default
          `beforeCreate card code:"shared" ${made} locale:"fr" meta:{"a":1} parts:[{"n":6,"label":"lab"}] secret:hash size:3 title:"c" ${now}`,
        ],
        [
          `beforeCreate card code:"shared" createdAt:text locale:"en" meta:{"a":1} parts:[] size:5 title:"p" ${now}`,
          `beforeCreate card code:"shared" createdAt:text locale:"en" meta:{"a":1} parts:[] publishedAt:Date size:5 title:"p" ${now}`,
        ],
      ]);
      deepStrictEqual(await served.run('shownRows'), [
        [
          [`beforeCreate card ${made} locale:"en" title:"q" ${now}`],
          [`beforeUpdate card title:"r" ${now}`],
          [`beforeCreateMany card ${made} locale:"en" title:"m" ${now}`],
          ['beforeUpdateMany card title:"n"'],
        ],
        ['createdAt', 'locale', 'title', 'updatedAt'],
      ]);
    });

    it('is stored in the place of defaults, and leaves times as they are', async () => {
      deepStrictEqual(await served.run('keptDefaults'), [
        [3, 'shared', 1, 'lab1', true],
        [7, 'shared', 2, 'lab1', true],
        [3, 'shared', 1, 'lab1', true],
      ]);
    });

    it('are computed without reading the earlier changes of a transaction', async () => {
      const { mock: looks } = mock.getter(Transaction.prototype, 'changes');
      try {
        await served.run('many');
        // at its end, and not in each of ten writes
        ok(looks.callCount() < 5, `${looks.callCount()} times`);
      } finally {
        looks.restore();
      }
    });

    it('are reported as a part of the change', async () => {
      const told: string[] = [];
      const stop = served.server.app.database.subscribe({
        afterCommit: (changes) => void told.push(...changes.map(({ kind, status }) => `${kind} ${status}`)),
      });
      try {
        await served.run('publishes');
      } finally {
        stop();
      }
      deepStrictEqual(told, [
        ...['created draft', 'updated draft', 'published published'],
        ...['updated draft', 'published published'],
      ]);
    });
  });
}
