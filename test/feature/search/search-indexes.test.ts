/** Search indexes: lists are the same with them as without (docs/reference/search.md). */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSearchIndex, dropSearchIndex } from '../../../src/db/indexes/building.ts';
import { type Engine, engines } from '../../support/databases/databases.ts';
import { openPlain, type PlainDatabase } from '../../support/databases/plain-database.ts';
import { type RecordingReader, recordingReader } from '../../support/recording/recording.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

const UID = 'api::page.page';
const SEARCHED = { table: 'pages', columns: ['title', 'body'] };
const ATTRIBUTES = {
  title: { type: 'string' },
  body: { type: 'text' },
  size: { type: 'integer' },
  parent: { type: 'relation', relation: 'manyToOne', target: UID, inversedBy: 'children' },
  children: { type: 'relation', relation: 'oneToMany', target: UID, mappedBy: 'parent' },
};
const ROWS = 250;

/** Letters of several scripts, with pairs that fold to one, that fold to two, and that only some engines know. */
const SCRIPTS = [
  'abcxyzABCXYZ',
  'eianrstlEIANRSTL',
  'oudmcpOUDMCP',
  'ikKIıİſsSßẞ\u0307',
  'éÉåÅñÑœŒǅǆ',
  'αβσςΣΩωΐΆά',
  'жЖёЁшШҐґ',
  'აბგᲐᲑᲒ',
  'ᏣᏤꭰꭱᎠ',
  '日本語テキスト',
  'שלוםمرحبا',
  '😀👩‍💻🧵𐐀𐐨𞤀𞤢',
  '%_\\"\'()*^:-+ ',
  '12 07e.,',
];

const OPERATORS = ['$contains', '$containsi', '$startsWith', '$startsWithi', '$endsWith', '$endsWithi'];
const UNSERVED = ['$notContains', '$notContainsi', '$eqi'];

/** Numbers from 0 up to 1, the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const next = numbers(7);
const below = (count: number): number => Math.floor(next() * count);
const oneOf = <T>(all: readonly T[]): T => all[below(all.length)]!;

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    const letters = [...oneOf(SCRIPTS)];
    for (let count = 1 + below(6); count > 0; count--) text += oneOf(letters);
  }
  return text;
}

/** A piece of a text, now and then in other cases or with a letter that is not there. */
function pieceOf(text: string): string {
  const letters = [...text];
  const length = 1 + below(9);
  const from = oneOf([0, Math.max(0, letters.length - length), below(letters.length)]);
  const piece = letters.slice(from, from + length).join('');
  return oneOf([piece, piece, piece.toUpperCase(), piece.toLowerCase(), `${piece}${oneOf(letters)}`]);
}

interface Pages extends RunningServer {
  /** A reader that uses search indexes, and one that does not. */
  readonly quick: RecordingReader;
  readonly plain: RecordingReader;
  /** The same database as another program sees it. */
  readonly elsewhere: PlainDatabase;
  readonly texts: string[];
}

async function servePages(engine: Engine): Promise<Pages> {
  const database = await engine.emptyDatabase();
  const folder = await makeProject({ contentTypes: { page: contentType('page', ATTRIBUTES) } });
  const server = await serve(folder, database);
  const texts = Array.from({ length: ROWS }, (_, i) => randomText(i % 10 === 0 ? 600 : 30));
  await server.app.database.transaction(async (tx) => {
    const { dialect } = tx;
    const row = dialect.unfold({ chunks: ['', ''], slots: [0] } as never, [
      { name: 'n', kind: 'integer' },
      { name: 'title', kind: 'text' },
      { name: 'body', kind: 'text' },
    ]);
    const from = row.chunks.join(dialect.placeholder(1));
    const values = texts.map((text, i) => [i, i % 17 === 0 ? null : randomText(12), text]);
    await tx.rows(
      `insert into pages (document_id, published_at, title, body) select 'd' || n, ${engine.name === 'sqlite' ? '0' : 'now()'}, title, body from ${from} r`,
      [JSON.stringify(values)],
    );
    await tx.rows(
      'insert into pages_parent_lnk (page_id, inv_page_id) select id, id % 9 + 1 from pages where id % 4 > 0',
      [],
    );
    for (const [title] of await tx.rows('select title from pages where title is not null', [])) {
      texts.push(String(title));
    }
  });
  const { app } = server;
  return {
    ...server,
    quick: recordingReader(app, app.database.search),
    plain: recordingReader(app),
    elsewhere: await openPlain(database),
    texts,
  };
}

/** Whether a statement is one that search indexes narrow. */
const isServed = (text: string): boolean => text.includes('galley_sought');

for (const engine of engines) {
  describe(`search indexes on ${engine.name}`, () => {
    let pages: Pages;
    const search = () => pages.app.database.search!;
    const make = () => createSearchIndex(pages.app.database, pages.app.engine.search, SEARCHED);
    const drop = () => dropSearchIndex(pages.app.database, pages.app.engine.search, SEARCHED);
    const listed = () => pages.app.engine.search.list(pages.elsewhere.database);
    const write = (text: string) => pages.elsewhere.database.transaction(async (tx) => void (await tx.rows(text, [])));

    /** Reads a list both ways, and tells whether an index served it. */
    const compare = async (query: string) => {
      const { quick, plain } = pages;
      quick.reset();
      const [found, expected] = [await quick.list(UID, query), await plain.list(UID, query)];
      deepStrictEqual(found, expected, query);
      return { ...found, served: isServed(quick.statements[0]!.text) };
    };
    const both = async (query: string): Promise<{ served: boolean; titles: unknown[] }> => {
      const { served, data } = await compare(query);
      return { served, titles: data.map(({ title }) => title) };
    };
    const piece = (text: string) => encodeURIComponent(text);

    before(async () => {
      pages = await servePages(engine);
      await make();
    });
    after(async () => {
      await pages?.elsewhere.database.close();
      await pages?.stop();
    });

    it('are listed, and reported as complete', async () => {
      const indexes = await listed();
      deepStrictEqual(indexes.flatMap(({ columns }) => columns).sort(), ['body', 'title']);
      ok(indexes.every(({ table, isComplete }) => table === 'pages' && isComplete));
      ok(search().of('pages').length > 0);
      deepStrictEqual(search().of('others'), []);
    });

    it('change no answer, for any search', async () => {
      let served = 0;
      for (let i = 0; i < 240; i++) {
        const needle = piece(pieceOf(oneOf(pages.texts)));
        const column = oneOf(['title', 'body']);
        const query = i % 4 === 0 ? `_q=${needle}` : `filters[${column}][${oneOf(OPERATORS)}]=${needle}`;
        const page = oneOf(['', '&pagination[withCount]=false', '&sort=title:desc', '&sort=body&pagination[start]=1']);
        if ((await both(`${query}${page}`)).served) served++;
      }
      ok(served > 30, `${served} were served`);
    });

    it('serve pages by cursor, and leave each as it is', async () => {
      for (const sort of ['', 'title', 'body:desc,id:desc', 'size,title:desc', 'parent.title', 'children.body:desc']) {
        for (const needle of ['ABC', 'xyz', 'ANR', 'zzz']) {
          const count = oneOf(['', '&pagination[withCount]=true']);
          let cursor: string | undefined = '';
          for (let at = 0; cursor !== undefined && at < 4; at++) {
            const page = `pagination[cursor]=${cursor}&pagination[pageSize]=${1 + below(3)}${count}`;
            const { served, next } = await compare(`_q=${piece(needle)}&sort=${sort}&${page}`);
            ok(served);
            cursor = next;
          }
        }
      }
    });

    it('serve conjunctions of which one part can be, and alternatives of which all can', async () => {
      const [a, b] = ['ABC', 'xyz'];
      const or = (...conditions: string[]) => conditions.map((one, n) => `filters[$or][${n}]${one}`).join('&');
      const served: [string, boolean][] = [
        [`filters[title][$containsi]=${a}&filters[body][$containsi]=${b}`, true],
        [`filters[title][$containsi]=${a}&filters[size][$null]=true`, true],
        [`filters[title][$containsi]=${a}&filters[id][$gt]=20&_q=${b}`, true],
        [or(`[title][$containsi]=${a}`, `[body][$contains]=${b}`), true],
        [or(`[title][$containsi]=${a}`, `[size][$contains]=1`), false],
        [or(`[title][$containsi]=${a}`, `[id][$lt]=20`), false],
        [`filters[$not][title][$containsi]=${a}`, false],
        ['filters[size][$containsi]=123', false],
        ['_q=123', false],
        ...UNSERVED.map((operator): [string, boolean] => [`filters[title][${operator}]=${a}`, false]),
      ];
      for (const [query, expected] of served) strictEqual((await both(query)).served, expected, query);
    });

    it('do not serve texts that are too short for them', async () => {
      for (const needle of ['a', 'ab', '%%%'.slice(1), '日本'])
        strictEqual((await both(`_q=${piece(needle)}`)).served, false);
      strictEqual((await both('filters[title][$contains]=')).served, false);
    });

    it('are updated by writes of documents', async () => {
      const service = pages.app.documents(UID);
      const { documentId } = (await service.create({ data: { title: 'Marmalade jar' } }))!;
      deepStrictEqual((await both('_q=MARMALADE')).titles, ['Marmalade jar']);
      await service.update({ documentId, data: { title: 'Honey jar' } });
      deepStrictEqual(await both('_q=marmalade'), { served: true, titles: [] });
      deepStrictEqual((await both('filters[title][$startsWith]=Honey')).titles, ['Honey jar']);
      await service.delete({ documentId });
      deepStrictEqual(await both('_q=honey'), { served: true, titles: [] });
    });

    it('are updated by writes of other programs', async () => {
      await write(`insert into pages (id, document_id, title, published_at) select 9001, 'w', 'Quicksilver', published_at
        from pages where id = 1`);
      deepStrictEqual((await both('_q=quicksil')).titles, ['Quicksilver']);
      await write(`update pages set body = 'Cinnabar', id = 9002 where id = 9001`);
      deepStrictEqual((await both('_q=cinna')).titles, ['Quicksilver']);
      await write(`update pages set title = null where id = 9002`);
      deepStrictEqual(await both('_q=quicksil'), { served: true, titles: [] });
      await write('delete from pages where id = 9002');
      deepStrictEqual(await both('_q=cinna'), { served: true, titles: [] });
    });

    it('serve reads that may be slow, which run apart', async () => {
      await both('_q=abc');
      const [statement] = pages.quick.statements;
      const cost = { terms: [{ tables: ['pages'], weight: 1e9 }], dependsOnValues: true };
      const read = { ...statement!, cost, table: 'pages', page: undefined };
      const { database } = pages.app;
      // page and total; behind them stands what state was seen, which transactions in other databases change as well
      const found = (rows: readonly (readonly unknown[])[]) => rows.map(([page, total]) => [page, total]);
      const apart = found(await database.read(read));
      strictEqual(apart.length, 1);
      deepStrictEqual(apart, found(await database.rows(read.text, read.values)));
    });

    it('exclude rolled back writes', async () => {
      const failing = pages.elsewhere.database.transaction(async (tx) => {
        await tx.rows(`update pages set title = 'Thunderstorm' where id = 1`, []);
        throw new Error('no');
      });
      await rejects(failing, /no/);
      deepStrictEqual(await both('_q=thunderst'), { served: true, titles: [] });
    });

    it('take in text that is written while they are built', async () => {
      await drop();
      let statements = 0;
      await pages.app.database.separately!((executor) =>
        pages.app.engine.search.create(
          {
            dialect: pages.app.database.dialect,
            async rows(text, values) {
              const rows = await executor.rows(text, values);
              // after the commit of a step
              if (text === 'commit' && ++statements === 2) {
                await write(`update pages set title = 'Written early' where id = 2`);
                await write(`update pages set title = 'Written late' where id = ${ROWS}`);
              }
              return rows;
            },
          },
          SEARCHED,
        ),
      );
      await search().refresh();
      if (engine.name === 'sqlite') ok(statements > 3, 'rows are taken in step by step');
      else await write(`update pages set title = 'Written early' where id = 2`);
      deepStrictEqual(await both('_q=written early'), { served: true, titles: ['Written early'] });
      await both('_q=written late');
    });

    it('are not used before they are complete', async () => {
      await drop();
      deepStrictEqual(await listed(), []);
      strictEqual((await both('_q=abc')).served, false);
      await breakBuild(engine, pages);
      await search().refresh();
      ok((await listed()).some(({ isComplete }) => !isComplete));
      const { served } = await both('filters[body][$containsi]=abc');
      strictEqual(served, false);
      await make();
      ok((await listed()).every(({ isComplete }) => isComplete));
      strictEqual((await both('filters[body][$containsi]=abc')).served, true);
    });

    it('are part of the name of the plans that use them', async () => {
      const before = search().version;
      await drop();
      await until('the indexes are known to be gone', () => search().version !== before);
      deepStrictEqual(search().of('pages'), []);
      await make();
      await until('the indexes are known', () => search().of('pages').length > 0);
      match(pages.quick.statements[0]?.text ?? 'select', /^(?:select|with)/);
    });
  });
}

/** Leaves an index behind that is not complete. */
async function breakBuild({ name }: Engine, { app }: Pages): Promise<void> {
  const create = app.database.separately!((executor) =>
    app.engine.search.create(
      {
        dialect: app.database.dialect,
        async rows(text, values) {
          if (name === 'sqlite' && text.startsWith('insert or replace')) throw new Error('the process ends');
          return executor.rows(text, values);
        },
      },
      SEARCHED,
    ),
  );
  if (name === 'sqlite') return rejects(create, /the process ends/);
  await create;
  await app.database.transaction(async (tx) => {
    await tx.rows(
      `update pg_index set indisvalid = false where indexrelid = any (select oid from pg_class where relname like 'galley_search%')`,
      [],
    );
  });
}
