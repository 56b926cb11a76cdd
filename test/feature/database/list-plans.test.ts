/** An engine without statistics takes the index that serves a list, or a value, and not one that merely begins with the locale. */
import { ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LocaleStore } from '../../../src/content/locales/locale-store.ts';
import { Reader } from '../../../src/content/reading/reader.ts';
import type { Read } from '../../../src/db/interface/database.ts';
import { parseParams } from '../../../src/query/params.ts';
import { engines } from '../../support/databases/databases.ts';
import { standIn } from '../../support/databases/stand-in.ts';
import { recordTransactions } from '../../support/recording/recorded-transactions.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

const BY_VIEWS = 'galley_articles_by_views';
const OF_LIST = 'galley_articles_published_id';

describe('the plan on sqlite', () => {
  let server: SeededServer;
  let read: Read | undefined;
  let reader: Reader;
  before(async () => {
    server = await serveScenarioProject(engines[0]!);
    const { engine, database, catalog, layout, config } = server.app;
    const index = { name: BY_VIEWS, columns: ['locale', 'views', 'id'], unique: false, whereNotNull: 'published_at' };
    await engine.addIndex(database, { table: 'articles', index });
    const heard = standIn(database, {
      keepsTotals: () => true,
      read: (asked) => {
        read = asked;
        return database.read(asked);
      },
    });
    reader = new Reader({ catalog, layout, database: heard, locales: new LocaleStore(database), limits: config.rest });
  });
  after(() => server?.stop());

  const planOf = async (query: string): Promise<string> => {
    const { app } = server;
    await reader.list(app.catalog.contentTypes.get('api::article.article')!, app.views.full, parseParams(query));
    return (await app.engine.explain(app.database, read!, undefined)).lines.join('\n');
  };

  it('uses the index of a value to check whether it is taken', async () => {
    const { app } = server;
    const { statements } = recordTransactions(app.database);
    await app.documents('api::article.article').create({ data: { title: 'a', slug: 'free' }, status: 'published' });
    const { text, values } = statements.find((one) => one.text.startsWith('select 1 from "articles"'))!;
    const plan = String(await app.database.rows(`explain query plan ${text}`, values));
    ok(plan.includes(' galley_articles_slug_idx '), plan);
  });

  for (const [query, index] of [
    ['', OF_LIST],
    ['sort=createdAt:desc', 'galley_articles_published_created_at'],
    ['filters[views]=7', BY_VIEWS],
    ['filters[views]=7&sort=id', BY_VIEWS],
    ['filters[views][$in]=7&filters[views][$in]=9', BY_VIEWS],
    ['filters[views][$null]=true', BY_VIEWS],
    ['filters[views][$gte]=7', BY_VIEWS],
    ['sort=views', BY_VIEWS],
    ['filters[documentId]=abc', 'articles_documents_idx'],
  ] as const) {
    for (const page of ['', 'pagination[withCount]=false']) {
      // with a range and no total the rows may as well be met in the order of the list
      if (page !== '' && query.includes('$gte')) continue;
      it(`uses ${index} for "${query}"${page ? ' without a total' : ''}`, async () => {
        const plan = await planOf([query, page].filter((part) => part !== '').join('&'));
        ok(plan.includes(` ${index} `), plan);
      });
    }
  }
});
