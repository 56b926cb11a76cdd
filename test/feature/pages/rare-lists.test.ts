/**
 * Lists for a locale or a word that few rows have: PostgreSQL, which plans without the values, finds the rows by their index
 * and does not read the others.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSearchIndex } from '../../../src/db/indexes/building.ts';
import { engines } from '../../support/databases/databases.ts';
import { mostLookedAt } from '../../support/recording/looked-at.ts';
import { type RecordingReader, recordingReader } from '../../support/recording/recording.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const UID = 'api::item.item';
const ROWS = 4000;
/** One of so many rows is in the rare locale. */
const LOCALE = 400;
/**
 * The only row with the rare word. Of the sample, which is drawn by lot and has more than 50 rows, it is less than one
 * in fifty: a word of several rows would be taken for a common one where the lot falls on enough of them.
 */
const WORD = ROWS - 2;
/** Rows that may be looked at: a sample of the table for the search, and what is found. */
const FEW = 600;

describe('rare lists on postgres', () => {
  let server: RunningServer;
  let reader: RecordingReader;
  before(async () => {
    const options = { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } };
    const attributes = { title: { type: 'string' }, body: { type: 'text' } };
    const folder = await makeProject({ contentTypes: { item: contentType('item', attributes, options) } });
    server = await serve(folder, await engines[1]!.emptyDatabase());
    const { app } = server;
    await app.database.transaction(async (tx) => {
      // the rare ones come last
      const [ofLocale, ofWord] = [`n % ${LOCALE} = ${LOCALE - 1}`, `n = ${WORD}`];
      await tx.rows(
        `insert into items (document_id, locale, title, body, published_at)
        select 'd' || n, case when ${ofLocale} then 'de' when n % 2 = 0 then 'en' else 'fr' end,
          'title of ' || md5(n::text) || case when ${ofWord} then ' zephyr' else '' end,
          repeat('long ', 150), '2024-01-01'
        from generate_series(0, ${ROWS - 1}) n`,
        [],
      );
      // no row is known to be seen by all, as it is where much was written: an index alone does not do
      await tx.rows('analyze', []);
    });
    await createSearchIndex(app.database, app.engine.search, { table: 'items', columns: ['title', 'body'] });
    reader = recordingReader(app, app.database.search, true);
  });
  after(() => server?.stop());

  const looked = async (query: string) => {
    reader.reset();
    const found = await reader.list(UID, `fields=documentId&${query}`);
    return { ...found, rows: await mostLookedAt(server.app.database, reader.statements[0]!) };
  };

  it('of a locale read only its rows, by page and by cursor', async () => {
    strictEqual((await looked('locale=de')).data.length, ROWS / LOCALE);
    let walked = 0;
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { data, next, rows } = await looked(`locale=de&pagination[pageSize]=4&pagination[cursor]=${cursor}`);
      ok(rows <= 2 * (ROWS / LOCALE), `${rows} rows for a page behind ${walked}`);
      walked += data.length;
      cursor = next;
    }
    strictEqual(walked, ROWS / LOCALE);
    const { rows } = await looked('locale=de&pagination[limit]=5');
    ok(rows <= 2 * (ROWS / LOCALE), `${rows} rows for a page`);
  });

  it('of rare locales read only their rows, in both orders of ids and in every form of request', async () => {
    const ofOne = ['locale=de', 'filters[locale]=de', 'filters[locale][$in]=de&filters[locale][$in]=it'];
    const ofSeveral = ['locale[0]=de&locale[1]=it', 'locale[0]=it&locale[1]=de&locale[2]=de'];
    const ofBoth = ['locale[0]=fr&locale[1]=de&filters[$and][0][locale]=de'];
    for (const locales of [...ofOne, ...ofSeveral, ...ofBoth]) {
      const all = (await looked(`${locales}&sort=documentId`)).data.map(({ id }) => Number(id));
      strictEqual(all.length, ROWS / LOCALE, locales);
      all.sort((a, b) => a - b);
      for (const sort of ['', 'sort=id', 'sort=id:desc', 'sort[0]=id:desc&sort[1]=title']) {
        const wanted = sort.includes('desc') ? all.toReversed() : all;
        for (const page of ['pagination[start]=3&pagination[limit]=4', 'pagination[withCount]=false']) {
          const { data, rows } = await looked([locales, sort, page].join('&'));
          const part = page.includes('start') ? wanted.slice(3, 7) : wanted;
          deepStrictEqual(
            data.map(({ id }) => id),
            part,
            `${locales}&${sort}&${page}`,
          );
          ok(rows <= 2 * (ROWS / LOCALE), `${rows} rows for ${locales}&${sort}&${page}`);
        }
        const walked: unknown[] = [];
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const query = `${locales}&${sort}&pagination[pageSize]=4&pagination[cursor]=${cursor}`;
          const { data, next, rows } = await looked(query);
          ok(rows <= 2 * (ROWS / LOCALE), `${rows} rows for ${query}`);
          walked.push(...data.map(({ id }) => id));
          cursor = next;
        }
        deepStrictEqual(walked, wanted, `${locales}&${sort} by cursor`);
      }
    }
  });

  it('without rows read none', async () => {
    for (const locale of ['locale=it', 'filters[locale]=it', 'locale[0]=it&locale[1]=es']) {
      for (const sort of ['', 'sort=id', 'sort=id:desc']) {
        const { data, rows } = await looked(`${locale}&${sort}`);
        ok(data.length === 0 && rows <= 2 * (ROWS / LOCALE), `${rows} rows for ${locale}&${sort}`);
      }
    }
  });

  it('of a word read its row and a sample of the others', async () => {
    for (const search of ['_q=zephyr', 'filters[title][$containsi]=ZEPHYR']) {
      for (const rest of ['', '&sort=title', '&pagination[withCount]=false', '&pagination[cursor]=']) {
        const { data, rows } = await looked(`${search}${rest}`);
        deepStrictEqual([data.length, rows <= FEW], [1, true], `${search}${rest}: ${rows} rows`);
      }
    }
  });
});
