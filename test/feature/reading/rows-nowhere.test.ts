/**
 * Rows that lead nowhere, as Strapi leaves them when it publishes and deletes: nothing minds them, `galley start` tells
 * of them, and `galley doctor` removes them.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { strayNotice } from '../../../src/content/doctor/orphans.ts';
import { type Documents, documentsOf } from '../../support/content/documents.ts';
import { engines } from '../../support/databases/databases.ts';
import { startProcess } from '../../support/servers/process.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const text = { type: 'string' };
const localized = { pluginOptions: { i18n: { localized: true } } };
const relation = (kind: string, target?: string, more = {}) => ({
  type: 'relation',
  relation: kind,
  ...(target ? { target: `api::${target}.${target}` } : {}),
  ...more,
});

function project() {
  return makeProject({
    contentTypes: {
      page: contentType(
        'page',
        {
          title: { ...text, ...localized },
          zone: { type: 'dynamiczone', components: ['parts.box', 'parts.card'] },
          box: { type: 'component', component: 'parts.box' },
          cards: { type: 'component', component: 'parts.card', repeatable: true, ...localized },
          tags: relation('manyToMany', 'tag', { inversedBy: 'pages' }),
          one: relation('oneToOne', 'tag'),
          things: relation('oneToMany', 'thing'),
          any: relation('morphToMany'),
          subject: relation('morphToOne'),
          files: { type: 'media', multiple: true },
          needed: { ...relation('manyToMany', 'tag'), required: true },
        },
        { options: { draftAndPublish: true }, ...localized },
      ),
      tag: contentType(
        'tag',
        { name: text, pages: relation('manyToMany', 'page', { mappedBy: 'tags' }) },
        { options: { draftAndPublish: true } },
      ),
      thing: contentType('thing', { name: text }),
      emptied: contentType(
        'emptied',
        { name: text, zone: { type: 'dynamiczone', components: ['parts.box'] } },
        { options: { draftAndPublish: true } },
      ),
    },
    components: {
      'parts.box': {
        collectionName: 'components_parts_boxes',
        info: { displayName: 'box' },
        attributes: { label: text, inner: { type: 'component', component: 'parts.card', repeatable: true } },
      },
      'parts.card': {
        collectionName: 'components_parts_cards',
        info: { displayName: 'card' },
        attributes: { label: text, tags: relation('manyToMany', 'tag') },
      },
    },
    files: { 'config/api.json': { documents: { strictRelations: true } } },
  });
}

/** An id that no row has; another one each time, since no two ties of a row are the same. */
let gone = 900_000;
const POPULATE =
  'populate[zone][on][parts.box][populate]=*&populate[zone][on][parts.card][populate]=*&populate[box][populate]=inner' +
  '&populate[cards][populate]=tags&populate[tags]=true&populate[one]=true&populate[things]=true&populate[any]=true' +
  '&populate[subject]=true&populate[files]=true&populate[needed]=true';

for (const engine of engines) {
  describe(`rows that lead nowhere on ${engine.name}`, () => {
    let server: SeededServer;
    let api: Documents;
    let token: string;
    before(async () => {
      server = await serveSeeded(engine, await project());
      api = documentsOf(server);
      token = server.secrets['full']!;
    });
    after(() => server?.stop());

    const sql = (statement: string) => server.seeder.sql(statement);

    /** Adds to every row of pages, and to every box, what leads nowhere, in front of what is there. */
    const litter = async () => {
      gone += 1;
      for (const [table, field, owner] of [
        ['pages_cmps', 'zone', 'pages'],
        ['pages_cmps', 'box', 'pages'],
        ['pages_cmps', 'cards', 'pages'],
        ['components_parts_boxes_cmps', 'inner', 'components_parts_boxes'],
      ]) {
        const columns = `insert into "${table}" ("entity_id", "cmp_id", "component_type", "field", "order")`;
        for (const [id, uid] of [
          [gone, 'parts.card'],
          [gone, 'parts.box'],
          ['null', 'parts.card'],
          [gone, 'parts.lost'],
        ]) {
          await sql(`${columns} select "id", ${id}, '${uid}', '${field}', 0.5 from "${owner}"`);
        }
      }
      for (const [table, target, order] of [
        ['pages_tags_lnk', 'tag_id', 'tag_ord'],
        ['pages_things_lnk', 'thing_id', 'thing_ord'],
        ['pages_needed_lnk', 'tag_id', 'tag_ord'],
      ]) {
        await sql(`insert into "${table}" ("page_id", "${target}", "${order}") select "id", null, 0.5 from "pages"`);
      }
      await sql(`insert into "pages_one_lnk" ("page_id", "tag_id") select "id", null from "pages"`);
      await sql(`insert into "pages_tags_lnk" ("page_id", "tag_id", "tag_ord") select null, "id", 0.5 from "tags"`);
      for (const [id, uid] of [
        [gone, 'api::tag.tag'],
        ['null', 'api::tag.tag'],
        [gone, 'api::lost.lost'],
      ]) {
        await sql(
          `insert into "pages_any_mph" ("page_id", "any_id", "any_type", "order") select "id", ${id}, '${uid}', 0.5 from "pages"`,
        );
      }
      for (const uid of ['api::page.page', 'parts.box']) {
        await sql(
          `insert into "files_related_mph" ("file_id", "related_id", "related_type", "field", "order") values (null, ${gone}, '${uid}', 'files', 1)`,
        );
      }
      await sql(
        `insert into "files_related_mph" ("file_id", "related_id", "related_type", "field", "order") select null, "id", 'api::page.page', 'files', 0.5 from "pages"`,
      );
      await sql(`update "pages" set "target_id" = ${gone}, "target_type" = 'api::tag.tag' where "target_id" is null`);
    };

    const made = async (called: string) => {
      const tag = (await api.create('tags', { name: `tag of ${called}` })).documentId;
      const thing = (await api.create('things', { name: `thing of ${called}` })).documentId;
      const card = { label: 'card', tags: [tag] };
      const box = { label: 'box', inner: [card, { label: 'second' }] };
      const { documentId } = await api.create('pages', {
        title: called,
        zone: [
          { __component: 'parts.box', ...box },
          { __component: 'parts.card', ...card },
        ],
        box,
        cards: [card, card],
        tags: [tag],
        one: tag,
        things: [thing],
        any: [{ __type: 'api::tag.tag', documentId: tag }],
        needed: [tag],
      });
      return { documentId, tag };
    };

    // biome-ignore lint/suspicious/noExplicitAny: answers are of any form
    const shape = (value: any): unknown => {
      if (Array.isArray(value)) return value.map(shape);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).filter(([key]) => !/^id$|documentId|At$|^locale$/.test(key));
      return Object.fromEntries(entries.map(([key, item]) => [key, shape(item)]));
    };
    const view = async (id: string, query = '') => shape(await api.read('pages', id, `${POPULATE}&${query}`));

    it('are not read, filtered or sorted by', async () => {
      const { documentId } = await made('read');
      const before = await view(documentId);
      await litter();
      deepStrictEqual(await view(documentId), before);
      deepStrictEqual(await view(documentId, 'status=draft'), before);
      for (const [query, count] of [
        ['filters[title]=read&filters[subject][$null]=true', undefined],
        ['filters[title]=read&filters[box][label]=box', 1],
        ['filters[title]=read&filters[tags][name][$null]=true', 0],
        ['filters[title]=read&filters[cards][label][$ne]=card', 0],
        ['filters[title]=read&sort=one.name', 1],
      ] as const) {
        const { status, body } = await server.get(`/api/pages?${query}`, token);
        if (count !== undefined) deepStrictEqual([status, body.data.length], [200, count], query);
        ok(status < 500, query);
      }
    });

    it('do not keep a document from being written, published, unpublished and discarded', async () => {
      const { documentId } = await made('written');
      await litter();
      const before = (await view(documentId)) as object;
      const written = { ...before, title: 'again' };
      await api.update('pages', documentId, { title: 'again' });
      deepStrictEqual(await view(documentId), written);
      await litter();
      await api.update('pages', documentId, { title: 'draft' }, 'status=draft');
      for (const [action, status] of [
        ['publish', 'published'],
        ['unpublish', 'draft'],
        ['publish', 'published'],
      ]) {
        const { status: code, text: answer } = await server.request(
          'POST',
          `/api/pages/${documentId}/actions/${action}`,
          { token },
        );
        strictEqual(code, 200, answer);
        deepStrictEqual(await view(documentId, `status=${status}`), { ...before, title: 'draft' }, action);
        await litter();
      }
      await api.update('pages', documentId, { title: 'lost', box: null, cards: [] }, 'status=draft');
      const { status } = await server.request('POST', `/api/pages/${documentId}/actions/discard-draft`, { token });
      strictEqual(status, 200);
      deepStrictEqual(await view(documentId, 'status=draft'), { ...before, title: 'draft' });
    });

    it('do not count as entries, links or files of the document', async () => {
      const { documentId, tag } = await made('edited');
      await litter();
      const draft = await api.read('pages', documentId, `${POPULATE}&status=draft`);
      const kept = [{ id: draft.cards[1].id, label: 'kept' }, { label: 'new' }];
      const other = (await api.create('tags', { name: 'other' })).documentId;
      const position = { before: tag };
      await api.update('pages', documentId, {
        cards: kept,
        zone: [],
        tags: { connect: [{ documentId: other, position }] },
        any: { connect: [{ __type: 'api::tag.tag', documentId: other, position: { start: true } }] },
        one: { disconnect: [tag] },
      });
      const after = await api.read('pages', documentId, POPULATE);
      deepStrictEqual(
        [after.cards.map((card: { label: string }) => card.label), after.zone, after.one],
        [['kept', 'new'], [], null],
      );
      deepStrictEqual(await api.names('pages', documentId, 'tags'), ['other', 'tag of edited']);
      deepStrictEqual(await api.names('pages', documentId, 'any'), ['other', 'tag of edited']);
      const error = await api.refused('PUT', `/api/pages/${documentId}`, { cards: [{ id: gone, label: 'gone' }] });
      match(error.message, /not related/);
      // a link that leads nowhere is none: what is required is missing
      await api.update('pages', documentId, { needed: { disconnect: [tag] } }, 'status=draft');
      await litter();
      await api.refused('PUT', `/api/pages/${documentId}`, {});
    });

    it('do not keep a zone that was emptied from being published', async () => {
      const { documentId } = await api.create('emptieds', {
        name: 'e',
        zone: [{ __component: 'parts.box', label: 'b' }],
      });
      await sql(`delete from "components_parts_boxes" where "id" in (select "cmp_id" from "emptieds_cmps")`);
      deepStrictEqual((await api.read('emptieds', documentId, 'populate=zone')).zone, []);
      await api.update('emptieds', documentId, {});
      deepStrictEqual((await api.read('emptieds', documentId, 'populate=zone')).zone, []);
      await api.update('emptieds', documentId, { name: 'f' }, 'status=draft');
      const zone = [{ __component: 'parts.box', label: 'again' }];
      await api.update('emptieds', documentId, { zone });
      const read = await api.read('emptieds', documentId, 'populate=zone');
      deepStrictEqual(shape(read.zone), zone);
    });

    it('are not copied into new versions, clones and other locales', async () => {
      const { documentId } = await made('copied');
      await litter();
      const before = (await view(documentId, 'status=draft')) as Record<string, unknown>;
      const { needed } = await api.read('pages', documentId, 'populate=needed');
      const french = { title: 'fr', needed: needed.map((one: { documentId: string }) => one.documentId) };
      await api.update('pages', documentId, french, 'locale=fr');
      const made2 = (await view(documentId, 'locale=fr')) as Record<string, unknown>;
      deepStrictEqual([made2['zone'], made2['box']], [before['zone'], before['box']]);
      const { documentId: copy } = await server.app.documents('api::page.page').clone({ documentId, locale: 'en' });
      deepStrictEqual(await view(copy, 'status=draft'), before);
      const strays = await server.app.database.rows(
        `select count(*) from "pages_cmps" where "cmp_id" > 900000 and "entity_id" in (select "id" from "pages" where "document_id" = '${copy}')`,
        [],
      );
      strictEqual(Number(strays[0]![0]), 0);
    });

    it('do not keep a target from being published, or a document from being deleted', async () => {
      const { documentId, tag } = await made('deleted');
      await litter();
      await api.update('tags', tag, { name: 'changed' });
      const fresh = (await api.create('tags', { name: 'fresh' }, 'status=draft')).documentId;
      await api.update('pages', documentId, { tags: [fresh], one: fresh, any: [] });
      await litter();
      // another program has made the published row anew: what waits for the tag belongs to a row that is gone
      await sql(`update "galley_pending_links" set "source_id" = ${gone}`);
      await api.update('tags', fresh, {});
      deepStrictEqual(await api.names('pages', documentId, 'tags', 'status=draft'), ['fresh']);
      await api.remove('tags', fresh);
      await api.remove('pages', documentId);
      strictEqual(await api.read('pages', documentId, 'status=draft'), undefined);
    });
  });

  describe(`looking for rows that lead nowhere on ${engine.name}`, () => {
    it('is checked at start and reported in one sentence, and galley doctor removes them', async () => {
      const folder = await makeProject({
        contentTypes: {
          page: contentType('page', { parts: { type: 'component', component: 'a.part', repeatable: true } }),
        },
        components: {
          'a.part': {
            collectionName: 'components_a_parts',
            info: { displayName: 'part' },
            attributes: { label: text },
          },
        },
      });
      const database = await engine.emptyDatabase();
      const start = async (told: string): Promise<string> => {
        const { child, ended, errors } = await startProcess(folder.dir, database.env);
        await until('it is told', () => errors() === told);
        child.kill('SIGTERM');
        return (await ended).err;
      };
      try {
        strictEqual(await start(''), '');
        const app = await openProject(folder.dir, { env: database.env });
        await app.documents('api::page.page').create({ data: { parts: [{ label: 'one' }] } });
        strictEqual(await strayNotice(app, app.database, app.config.dir), undefined);
        await app.database.transaction(async (tx) => void (await tx.rows('delete from "components_a_parts"', [])));
        const notice = await strayNotice(app, app.database, app.config.dir);
        match(notice ?? '', /pages_cmps.*"npm run -s galley -- doctor --fix path\/to\/\S+"/);
        await app.close();
        strictEqual(await start(`warning: ${notice}\n`), `warning: ${notice}\n`);
        const lines: string[] = [];
        const line = (one: string): void => void lines.push(one);
        const doctor = (...args: string[]) =>
          runCommandLine(['doctor', folder.dir, ...args], { env: database.env, print: line, warn: line });
        strictEqual(await doctor(), 1);
        match(lines.join('\n'), /component link from or to a row that is gone +pages_cmps +1 /);
        strictEqual(await doctor('--fix'), 0);
        strictEqual(await start(''), '');
      } finally {
        await folder.remove();
        await database.drop();
      }
    });
  });
}
