/**
 * The text of reads. `reads.<engine>.sql` states, for each query, the exact statement; here it is compared and executed.
 * Started with GALLEY_UPDATE_GOLDEN=1 the test writes these files anew, for a reader to look at what changed.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FULL_ACCESS } from '../../src/access/grants.ts';
import type { RowRules } from '../../src/access/row-conditions.ts';
import { Views } from '../../src/access/views.ts';
import { cursorTie, encodeCursor } from '../../src/query/cursor.ts';
import { parseSort } from '../../src/query/sort.ts';
import { type Library, serveLibrary } from '../support/content/library.ts';
import { engines } from '../support/databases/databases.ts';
import { type RecordingReader, recordingReader } from '../support/recording/recording.ts';

interface Read {
  readonly name: string;
  readonly query: string;
  /** Titles that it gives. */
  readonly titles: readonly string[];
  /** Conditions on rows of the reader's View; the reader's own account is 30. */
  readonly rules?: RowRules;
  /** Read as one document, `Alpha`. */
  readonly single?: boolean;
}

/** A page of two by cursor. */
const page = (cursor: string) => `pagination[pageSize]=2&pagination[cursor]=${cursor}`;

/** The cursor of articles behind values of the keys that they are sorted by. */
function behind(sort: readonly string[], id: string, ...values: (string | null)[]): string {
  return encodeCursor(cursorTie('api::article.article', parseSort([...sort])), { values, id });
}

const READS: readonly Read[] = [
  {
    name: 'a list counts and builds its page apart',
    query: 'fields=title',
    titles: ['Alpha', 'Beta', 'Gamma', 'Delta'],
  },
  {
    name: 'a list without a count',
    query: 'fields=title&pagination[withCount]=false&pagination[limit]=1',
    titles: ['Alpha'],
  },
  {
    name: 'all locales need no test of them',
    query: 'fields=title&locale=*',
    titles: ['Alpha', 'Beta', 'Gamma', 'Delta'],
  },
  { name: 'one document', query: 'fields=title,meta,big,at', titles: ['Alpha'], single: true },
  {
    name: 'a to-one within a to-one',
    query: 'fields=title&populate[author][fields]=name&populate[author][populate][country][fields]=code',
    titles: ['Alpha'],
    single: true,
  },
  {
    name: 'what rows of a page have in common is made once',
    query:
      'fields=title&pagination[withCount]=false&populate[author][fields]=name&populate[author][populate][articles][fields]=title',
    titles: ['Alpha', 'Beta', 'Gamma', 'Delta'],
  },
  {
    name: 'what rows of a filtered page have in common is made once',
    query:
      'fields=title&sort=author.name:desc&filters[author][name][$notNull]=true&populate[author][fields]=name&populate[author][filters][age][$gt]=20&populate[author][populate][articles][fields]=title',
    titles: ['Beta', 'Alpha', 'Gamma'],
  },
  {
    name: 'a to-many in connection order',
    query: 'fields=title&populate[tags][fields]=name',
    titles: ['Alpha'],
    single: true,
  },
  {
    name: 'a count of related rows',
    query: 'fields=title&populate[tags][count]=true',
    titles: ['Alpha'],
    single: true,
  },
  {
    name: 'the other locales',
    query: 'fields=title&populate[localizations][fields]=title',
    titles: ['Alpha'],
    single: true,
  },
  {
    name: 'a zone chooses by its component',
    query: 'fields=title&populate[zone][on][blocks.quote][fields]=text',
    titles: ['Alpha'],
    single: true,
  },
  { name: 'a file', query: 'fields=title&populate[cover][fields]=url', titles: ['Alpha'], single: true },
  {
    name: 'a negation of a to-many is an anti-join',
    query: 'fields=title&filters[$not][tags][name]=red',
    titles: ['Beta', 'Delta'],
  },
  {
    name: 'a negation within a negation is not correlated',
    query: 'fields=title&filters[$not][tags][$not][articles][title]=Beta',
    titles: ['Beta', 'Delta'],
  },
  {
    name: 'a negation of a to-one reaches the test within',
    query: 'fields=title&filters[$not][author][name]=Ann',
    titles: ['Beta'],
  },
  {
    name: 'a filter through every locale version',
    query: 'fields=title&filters[localizations][title]=Beta',
    titles: ['Beta'],
  },
  {
    name: 'a null within a relation holds without the relation',
    query: 'fields=title&filters[author][name][$null]=true',
    titles: ['Delta'],
  },
  { name: 'no related row at all', query: 'fields=title&filters[tags][$null]=true', titles: ['Delta'] },
  {
    name: 'folded and ordered text',
    query: 'fields=title&filters[title][$containsi]=ALPH&filters[title][$lt]=B',
    titles: ['Alpha'],
  },
  {
    name: 'text folded once for several tests',
    query: 'fields=title&filters[title][$containsi]=ALPH&filters[title][$notContainsi]=b&filters[views]=10',
    titles: ['Alpha'],
  },
  {
    name: 'a sort through a to-many',
    query: 'fields=title&sort=tags.weight:desc&filters[tags][$notNull]=true',
    titles: ['Alpha', 'Gamma', 'Beta'],
  },
  {
    name: 'populated rows sorted through a to-many',
    query: 'fields=title&populate[tags][fields]=name&populate[tags][sort]=articles.author.name',
    titles: ['Alpha'],
    single: true,
  },
  { name: 'a search', query: 'fields=title&_q=30', titles: ['Gamma'] },
  {
    name: 'a cohort of drafts',
    query: 'fields=title&status=draft&publicationFilter=unmodified',
    titles: ['Alpha', 'Beta', 'Gamma', 'Delta'],
  },
  {
    name: 'rows that a view hides are not listed or counted',
    query: 'fields=title&filters[title][$ne]=Beta',
    rules: { 'api::article.article': { $or: [{ views: '$user.id' }, { author: { name: 'Bob' } }] } },
    titles: ['Gamma'],
  },
  {
    name: 'rows that a view hides are not there on paths and below',
    query: 'fields=title&filters[author][name][$notNull]=true&sort=tags.weight:desc&populate[tags][fields]=name',
    rules: { 'api::tag.tag': { weight: { $lt: '3' } }, 'api::author.author': { name: { $ne: 'Bob' } } },
    titles: ['Gamma', 'Alpha'],
  },
  {
    name: 'a range that an index finds is looked at before the page',
    query: 'fields=title&filters[createdAt][$gte]=2000-01-01T00:00:00.000Z',
    titles: ['Alpha', 'Beta', 'Gamma', 'Delta'],
  },
  {
    name: 'a range in the order of its index is counted apart from the page',
    query: 'fields=title&filters[id][$gte]=1',
    titles: ['Alpha', 'Beta', 'Gamma', 'Delta'],
  },
  { name: 'a page far from the beginning', query: 'fields=title&pagination[start]=1001&sort=author.name', titles: [] },
  { name: 'the first page with a cursor', query: `fields=title&${page('')}`, titles: ['Alpha', 'Beta'] },
  { name: 'a page behind a row', query: `fields=title&${page(behind([], '2'))}`, titles: ['Beta', 'Gamma'] },
  {
    name: 'a page behind a value',
    query: `fields=title&sort=title:desc&${page(behind(['title:desc'], '1000', 'Delta'))}`,
    titles: ['Beta', 'Alpha'],
  },
  {
    name: 'a page behind a missing value',
    query: `fields=title&sort=kind,title&filters[kind][$null]=true&${page(behind(['kind', 'title'], '1000', null, 'Delta'))}&pagination[withCount]=true`,
    titles: ['Gamma'],
  },
  {
    name: 'a page behind a value through a to-many',
    query: `fields=title&sort=tags.name,body&filters[tags][$notNull]=true&${page(behind(['tags.name', 'body'], '0', 'blue', null))}`,
    titles: ['Beta', 'Gamma'],
  },
  {
    name: 'a page behind a value of rows that a view hides in part',
    query: `fields=title&sort=author.name&${page(behind(['author.name'], '0', 'A'))}`,
    rules: { 'api::author.author': { name: { $ne: 'Bob' } } },
    titles: ['Alpha', 'Gamma'],
  },
  {
    name: 'versions that a view hides are not there for a cohort',
    query: 'fields=title&status=draft&publicationFilter=unmodified',
    rules: { 'api::article.article': { hidden: 'treasure' } },
    titles: ['Alpha'],
  },
];

const update = process.env['GALLEY_UPDATE_GOLDEN'] === '1';

/** Statements by name, out of the sections of a golden file. */
function golden(file: string): Map<string, string> {
  const sections = readFileSync(file, 'utf8').split(/^-- (.*)\n-- .*\n/m);
  const found = new Map<string, string>();
  for (let i = 1; i < sections.length; i += 2) found.set(sections[i]!, onOneLine(sections[i + 1]!));
  return found;
}

const onOneLine = (text: string) => text.trim().replaceAll(/;$/g, '').replaceAll(/\s+/g, ' ');

for (const engine of engines) {
  describe(`text of reads on ${engine.name}`, () => {
    const file = path.join(import.meta.dirname, `reads.${engine.name}.sql`);
    const expected = update ? new Map<string, string>() : golden(file);
    const written: string[] = [];
    let library: Library;
    let reader: RecordingReader;

    before(async () => {
      library = await serveLibrary(engine);
      reader = recordingReader(library.app);
    });
    after(async () => {
      if (update) writeFileSync(file, written.join('\n'));
      await library?.stop();
    });

    for (const { name, query, rules, titles, single } of READS) {
      it(name, async () => {
        const { catalog, views } = library.app;
        const viewer = rules ? new Views(catalog, () => rules).viewer(FULL_ACCESS, { userId: 30 }) : views.full;
        reader.reset();
        const rows = single
          ? [
              await reader.one(
                'api::article.article',
                { kind: 'document', documentId: library.ids['Alpha']! },
                query,
                viewer,
              ),
            ]
          : (await reader.list('api::article.article', query, viewer)).data;
        deepStrictEqual(
          rows.map((row) => row!['title']),
          titles,
        );
        const text = onOneLine(reader.statements[0]!.text);
        if (update) written.push(`-- ${name}\n-- ${query}\n${text};\n`);
        else strictEqual(text, expected.get(name));
      });
    }
  });
}
