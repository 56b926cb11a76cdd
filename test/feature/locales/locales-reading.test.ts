/** Reading in locales: docs/reference/query-parameters.md, "Locale". */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

/** Sentence, query, titles. */
const LISTS: readonly [string, string, readonly string[]][] = [
  ['reads the default locale without a word', '', ['one en', 'two en']],
  ['reads the default locale for an empty word', 'locale=', ['one en', 'two en']],
  ['reads one locale', 'locale=fr', ['one fr', 'three fr']],
  ['reads all locales', 'locale=*', ['one en', 'one fr', 'one de', 'two en', 'three fr']],
  ['reads several locales', 'locale[0]=fr&locale[1]=de', ['one fr', 'one de', 'three fr']],
  ['reads several locales of a repeated parameter', 'locale=fr&locale=de', ['one fr', 'one de', 'three fr']],
  ['reads an unknown locale as empty', 'locale=xx', []],
  ['reads a locale in another letter case as empty', 'locale=FR', []],
  ['lets a filter at the top take the place of the default', 'filters[locale]=fr', ['one fr', 'three fr']],
  ['lets a filter at the top take the place of the parameter', 'filters[locale]=fr&locale=en', ['one fr', 'three fr']],
  ['lets a filter at the top choose by any operator', 'filters[locale][$ne]=en', ['one fr', 'one de', 'three fr']],
  ['lets a filter at the top stand beside others', 'filters[locale]=fr&filters[title][$contains]=three', ['three fr']],
  ['joins a filter in a group with the locale', 'filters[$and][0][locale]=fr', []],
  [
    'joins a filter in a choice with the locale',
    'filters[$or][0][locale]=fr&filters[$or][1][title]=two en',
    ['two en'],
  ],
  ['joins a negated filter with the locale', 'filters[$not][locale]=fr', ['one en', 'two en']],
  ['sorts by locale', 'locale=*&sort=locale:desc,title', ['one fr', 'three fr', 'one en', 'two en', 'one de']],
  ['lets a negated filter at the top choose', 'filters[locale][$not]=en', ['one fr', 'one de', 'three fr']],
  ['joins a single filter in a group with all locales', 'filters[$and][0][locale]=fr&locale=*', ['one fr', 'three fr']],
  ['joins a filter on the locale of a version with the locale', 'filters[localizations][locale]=fr', ['one en']],
  ['filters through every locale', 'filters[localizations][title]=one fr', ['one en']],
  ['filters through the row itself as one of them', 'filters[localizations][title]=two en', ['two en']],
  ['filters out what has a version in any locale', 'filters[$not][localizations][locale]=fr', ['two en']],
  ['knows no document without versions', 'filters[localizations][$null]=true', []],
  ['sorts by every locale, the row itself included', 'sort=localizations.title:desc', ['two en', 'one en']],
];

for (const engine of engines) {
  describe(`reading locales on ${engine.name}`, () => {
    let server: SeededServer;
    let one = '';
    let three = '';
    const read = (target: string) => server.get(target, server.secrets['full']);
    const titles = async (query: string) => {
      const { body } = await read(`/api/articles?fields=title&${query}`);
      return body.data.map((article: { title: string }) => article.title);
    };
    const localesOf = (rows: { locale: string }[]) => rows.map(({ locale }) => locale);

    before(async () => {
      server = await serveScenarioProject(engine);
      const { seeder } = server;
      const uid = 'api::article.article';
      const country = await seeder.create('api::country.country', { name: 'Germany', code: 'DE' });
      await seeder.update('api::country.country', country, { name: 'Allemagne' }, { locale: 'fr' });
      await seeder.create('api::author.author', { name: 'Ann', country: { documentId: country, locale: 'fr' } });
      const tag = await seeder.create('api::tag.tag', { name: 'tag' });
      one = await seeder.create(uid, { title: 'one en', views: 3, tags: [tag] });
      await seeder.update(uid, one, { title: 'one fr', tags: [tag] }, { locale: 'fr' });
      await seeder.update(uid, one, { title: 'one de' }, { locale: 'de' });
      await seeder.create(uid, { title: 'two en', related: [one] });
      three = await seeder.create(uid, { title: 'three fr', related: [one] }, { locale: 'fr' });
      await seeder.update(uid, one, { title: 'one de draft' }, { locale: 'de', status: 'draft' });
    });
    after(() => server?.stop());

    for (const [sentence, query, expected] of LISTS) {
      it(sentence, async () => deepStrictEqual(await titles(query), expected));
    }

    it('reads one document in one locale', async () => {
      strictEqual((await read(`/api/articles/${one}`)).body.data.title, 'one en');
      strictEqual((await read(`/api/articles/${one}?locale=fr`)).body.data.title, 'one fr');
      strictEqual((await read(`/api/articles/${three}`)).status, 404);
      strictEqual((await read(`/api/articles/${one}?locale=xx`)).status, 404);
      strictEqual((await read(`/api/articles/${one}?locale=*`)).status, 404);
    });

    it('lets a filter at the top choose the version of one document', async () => {
      const title = async (query: string) => (await read(`/api/articles/${one}?${query}`)).body.data?.title;
      strictEqual(await title('filters[locale]=fr'), 'one fr');
      strictEqual(await title('filters[locale]=fr&locale=en'), 'one fr');
      strictEqual(await title('filters[$and][0][locale]=fr'), undefined);
      strictEqual(await title('locale='), 'one en');
    });

    it('refuses several locales for one document, and objects for a list', async () => {
      const { status, body } = await read(`/api/articles/${one}?locale=fr&locale=de`);
      strictEqual(status, 400);
      strictEqual(body.error.message, 'Invalid locale param fr,de provided. Document locales must be strings.');
      strictEqual((await read('/api/articles?locale[a]=fr')).status, 400);
    });

    it('does not mind locale in any form on a type that is not localized', async () => {
      for (const query of ['locale=fr', 'locale=*', 'locale[a]=fr']) {
        const { body } = await read(`/api/tags?${query}`);
        deepStrictEqual([body.data.length, 'locale' in body.data[0]], [1, false]);
      }
      for (const query of ['filters[locale]=fr', 'sort=locale', 'fields=locale', 'populate=localizations']) {
        strictEqual((await read(`/api/tags?${query}`)).status, 400, query);
      }
    });

    it('lists the other versions of the status as localizations, also those of the same page', async () => {
      const { body } = await read('/api/articles?locale=*&populate=localizations&filters[title][$contains]=one');
      deepStrictEqual(
        body.data.map((article: { localizations: { locale: string }[] }) => localesOf(article.localizations)),
        [
          ['de', 'fr'],
          ['de', 'en'],
          ['en', 'fr'],
        ],
      );
      const draft = await read(`/api/articles/${one}?status=draft&populate[localizations][filters][locale]=de`);
      deepStrictEqual(
        draft.body.data.localizations.map((version: { title: string }) => version.title),
        ['one de draft'],
      );
      deepStrictEqual((await read(`/api/articles/${three}?locale=fr&populate=*`)).body.data.localizations, []);
    });

    it('sorts, filters, counts and narrows localizations', async () => {
      const of = async (query: string) => (await read(`/api/articles/${one}?${query}`)).body.data.localizations;
      deepStrictEqual(localesOf(await of('populate[localizations][sort]=title:desc')), ['fr', 'de']);
      deepStrictEqual(await of('populate[localizations][count]=true'), { count: 2 });
      deepStrictEqual(Object.keys((await of('populate[localizations][fields]=title'))[0]), [
        'id',
        'documentId',
        'title',
      ]);
    });

    it('joins versions of the same locale, and whichever was connected from a type without locales', async () => {
      const query = 'fields=title&populate[related][fields]=title,locale';
      const { body } = await read(`/api/articles/${three}?locale=fr&${query}`);
      deepStrictEqual(localesOf(body.data.related), ['fr']);
      const author = (await read('/api/authors?populate[country][fields]=name&locale=en')).body.data[0];
      strictEqual(author.country.name, 'Allemagne');
    });

    it('shows versions of all locales on the inverse side of a type without locales', async () => {
      const { body } = await read('/api/tags?populate[articles][fields]=title,locale');
      deepStrictEqual(localesOf(body.data[0].articles).sort(), ['en', 'fr']);
    });
  });
}
