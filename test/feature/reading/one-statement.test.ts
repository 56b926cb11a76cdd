/** One statement for a read of any depth (docs/architecture.md). */
import { ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Library, serveLibrary } from '../../support/content/library.ts';
import { engines } from '../../support/databases/databases.ts';
import { type RecordingReader, recordingReader } from '../../support/recording/recording.ts';

const ARTICLE = 'api::article.article';

const QUERIES: readonly [string, string][] = [
  ['of plain documents', ''],
  ['with a count of all', 'pagination[pageSize]=1'],
  ['without a count', 'pagination[withCount]=false'],
  ['populated one level', 'populate=*'],
  ['populated at six levels', 'populate=author.articles.tags.articles.author.country'],
  ['populated through zones, components and files', 'populate[zone][populate]=*&populate[seo][populate]=image'],
  [
    'filtered, sorted and searched through relations',
    'filters[tags][articles][author][name]=Ann&sort=tags.weight&_q=a',
  ],
  ['of a cohort', 'status=draft&publicationFilter=unmodified&populate=tags'],
  [
    'as if a release had run',
    'release=spring&populate[author][populate]=country&populate[tags][populate]=articles&sort=tags.weight',
  ],
  ['of several locales with their versions', 'locale=*&populate=localizations.tags'],
];

for (const engine of engines) {
  describe(`one statement on ${engine.name}`, () => {
    let library: Library;
    let reader: RecordingReader;

    before(async () => {
      library = await serveLibrary(engine);
      reader = recordingReader(library.app);
    });
    after(() => library?.stop());

    for (const [what, query] of QUERIES) {
      it(`reads a list ${what}`, async () => {
        reader.reset();
        const { data } = await reader.list(ARTICLE, query);
        ok(data.length > 0);
        strictEqual(reader.statements.length, 1);
      });

      it(`reads one document ${what}`, async () => {
        reader.reset();
        ok(
          await reader.one(
            ARTICLE,
            { kind: 'document', documentId: library.ids['Alpha']! },
            query.replace('locale=*', ''),
          ),
        );
        strictEqual(reader.statements.length, 1);
      });
    }

    it('takes no statement to refuse a query', async () => {
      reader.reset();
      await reader.list(ARTICLE, 'populate=nope').catch(() => {});
      strictEqual(reader.statements.length, 0);
    });

    it('sends the same text for queries that differ only in values', async () => {
      reader.reset();
      await reader.list(ARTICLE, 'filters[title]=a&filters[views][$in][0]=1&pagination[page]=1&_q=x');
      await reader.list(ARTICLE, "filters[title]=' or 1&filters[views][$in][0]=2&pagination[page]=7&_q=%25'");
      const [first, second] = reader.statements;
      strictEqual(first!.text, second!.text);
      ok(!second!.text.includes("' or 1"));
    });
  });
}
