/**
 * Databases that other tools have created or filled: requests are answered or refused, never with a 500, and
 * `galley doctor` names what to change.
 */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder, serve } from '../../support/servers/project.ts';

const contentTypes = {
  page: contentType(
    'page',
    {
      title: { type: 'string' },
      isOpen: { type: 'boolean' },
      rating: { type: 'float' },
      meta: { type: 'json' },
      day: { type: 'date' },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
    },
    { options: { draftAndPublish: true } },
  ),
  tag: contentType('tag', { name: { type: 'string' } }),
};

const VALUES = { title: 'a long title', isOpen: true, rating: 1.5, meta: { a: 1 }, day: '2026-01-02' };

/** Without the triggers that Galley adds at its first start, which keep types of columns from being changed. */
const WITHOUT_TRIGGERS = `do $$ declare t record; begin
  for t in select tgname, tgrelid::regclass as place from pg_trigger where tgname like 'galley%total%' loop
    execute format('drop trigger %I on %s', t.tgname, t.place);
  end loop; end $$`;

for (const engine of engines) describe(`a database of another tool on ${engine.name}`, () => suite(engine));

function suite(engine: Engine): void {
  let folder: ProjectFolder;
  let database: TestDatabase;
  before(async () => {
    folder = await makeProject({ contentTypes });
  });
  after(() => folder?.remove());

  const galley = async (...args: string[]) => {
    const out: string[] = [];
    const print = (line: string): void => void out.push(line);
    const code = await runCommandLine(args, { env: database.env, print, warn: print });
    return { code, out: out.join('\n') };
  };
  const doctor = (...args: string[]) => galley('doctor', folder.dir, ...args);

  /** Serves the database. */
  async function served(token: string) {
    const remains = () => Promise.resolve();
    const { app, request, stop } = await serve({ ...folder, remove: remains }, { ...database, drop: remains });
    const ask = (method: string, path: string, data?: object) =>
      request(method, `/api/${path}`, { token, ...(data ? { body: { data } } : {}) });
    return {
      stop,
      warnings: app.warnings,
      get: (path: string) => ask('GET', path),
      post: (path: string, data: object) => ask('POST', path, data),
      put: (path: string, data: object) => ask('PUT', path, data),
      run: (statements: readonly string[]) =>
        app.database.transaction(async (tx) => {
          for (const statement of statements) await tx.rows(statement, []);
        }),
    };
  }

  interface Changed {
    readonly server: Awaited<ReturnType<typeof served>>;
    /** A document that was written before. */
    readonly page: string;
    readonly start: () => ReturnType<typeof served>;
  }

  /** Has statements run in a database that has a document, and then serves it. */
  async function changed(statements: readonly string[], work: (changed: Changed) => Promise<void>): Promise<void> {
    database = await engine.databaseFor(folder);
    try {
      const { out } = await galley('token', 'create', '--name', 'full', '--type', 'full-access', folder.dir);
      const token = out.split('\n').find((line) => /^[\da-f]{256}$/.test(line))!;
      const before = await served(token);
      let page = '';
      try {
        const tag = (await before.post('tags', { name: 'red' })).body.data.documentId;
        page = (await before.post('pages', { ...VALUES, tags: [tag] })).body.data.documentId;
        await before.run(engine.name === 'postgres' ? [WITHOUT_TRIGGERS, ...statements] : statements);
      } finally {
        await before.stop();
      }
      const server = await served(token);
      try {
        await work({ server, page, start: () => served(token) });
      } finally {
        await server.stop();
      }
    } finally {
      await database.drop();
    }
  }

  /** What a server answers to reads and writes of every kind, none of which fails. @param says what refusals say. */
  async function statuses({ server, page }: Changed, says = /galley doctor/): Promise<readonly number[]> {
    const answers = [
      await server.get('pages?populate=*&sort=title,createdAt,rating'),
      await server.get(
        'pages?filters[isOpen]=true&filters[createdAt][$gt]=2001-01-01T00:00:00Z&filters[day]=2026-01-02',
      ),
      await server.get(`pages/${page}?status=draft`),
      await server.post('tags', { name: 'blue' }),
      await server.post('pages', { ...VALUES, title: 'another one' }),
      await server.put(`pages/${page}`, { ...VALUES, title: 'changed' }),
    ];
    for (const { status, text } of answers) {
      ok(status < 500, text);
      doesNotMatch(text, /select|insert|varchar|smallint|own|secret|"pages"/i);
      if (status >= 400) match(text, says);
    }
    return answers.map(({ status }) => status);
  }

  it('that is one of Strapi has no differences', () =>
    changed([], async (one) => {
      deepStrictEqual(await statuses(one), [200, 200, 200, 200, 200, 200]);
      deepStrictEqual(await doctor(), { code: 0, out: 'no problems found' });
    }));

  if (engine.name === 'sqlite') {
    it('with texts where numbers belong is read, and the doctor has the statement that converts them', () =>
      changed(
        [`update pages set created_at = '2026-01-02 03:04:05.678', is_open = 'true', rating = 'x'`],
        async (one) => {
          const { code, out } = await doctor();
          strictEqual(code, 1);
          match(out, /pages\.rating has texts in 2 rows, the schema expects float\n/);
          const statements = [...out.matchAll(/^ {4}(update .*;)$/gm)].map(([, statement]) => statement!);
          await one.server.run(statements);
          const { createdAt, isOpen } = (await one.server.get(`pages/${one.page}`)).body.data;
          deepStrictEqual([createdAt, isOpen], ['2026-01-02T03:04:05.678Z', true]);
          await statuses(one);
        },
      ));

    it('with a column that needs a value refuses rows, and the doctor names it', () =>
      changed(
        ['drop table tags', 'create table tags (id integer primary key, document_id text, must text not null)'],
        async (one) => {
          ok((await statuses(one)).includes(400));
          match((await doctor()).out, /tags\.must is not in the schema, allows no null and has no default/);
        },
      ));

    it('whose ids are no primary key is refused at the start', () =>
      rejects(
        changed(['drop table tags', 'create table tags (id bigint primary key, document_id text)'], async () => {}),
        /table tags .* its column id must be "integer primary key"/,
      ));
    return;
  }

  const IMPORTED = `insert into tags (id, document_id, name, published_at)
    select n, 'imported' || n, 'imported ' || n, now() from generate_series(2, 40) n`;

  it('with ids ahead of their sequence continues after them, from the start and during an import of rows', () =>
    changed([IMPORTED], async ({ server, start }) => {
      strictEqual((await server.post('tags', { name: 'first' })).body.data.id, 41);
      await server.run(['insert into tags (id, document_id) select n, n::text from generate_series(42, 60) n']);
      const names = Array.from({ length: 8 }, (_, n) => `at once ${n}`);
      const written = await Promise.all(names.map((name) => server.post('tags', { name })));
      for (const { status, text } of written) strictEqual(status, 200, text);
      const ids = written.map(({ body }) => body.data.id).sort((a, b) => a - b);
      deepStrictEqual(ids[0], 61);
      strictEqual(new Set(ids).size, names.length);
      match(
        (await doctor()).out,
        /^note: the sequence tags_id_seq was behind the ids of tags until .* moved it forward/m,
      );
      await server.run([`select setval('tags_id_seq', 5)`]);
      const told = await doctor();
      strictEqual(told.code, 1);
      match(
        told.out,
        /tags\.id reaches \d+, and its sequence tags_id_seq only 5: .*\(--fix repairs it\)\n {4}select setval/,
      );
      deepStrictEqual((await doctor('--fix')).code, 0);
      deepStrictEqual(await doctor(), { code: 0, out: 'no problems found' });
      const after = await start();
      ok((await after.post('tags', { name: 'last' })).body.data.id > 61);
      await after.stop();
    }));

  it('whose unused sequence starts after the ids stays unchanged', () =>
    changed(
      [
        'alter table tags alter column id drop default',
        'alter table tags alter column id add generated always as identity (start with 500)',
      ],
      async (one) => {
        strictEqual((await one.server.post('tags', { name: 'next' })).body.data.id, 500);
        deepStrictEqual((await doctor()).out, 'no problems found');
      },
    ));

  it('with a sequence that cannot be advanced starts, and reports the reason', () =>
    changed([IMPORTED, 'alter sequence tags_id_seq maxvalue 30'], async ({ server }) => {
      match(
        server.warnings.join('\n'),
        /the id sequences that are behind their rows could not be advanced: .*tags_id_seq/,
      );
    }));

  it('with a sequence that belongs to no column continues as well', () =>
    changed([IMPORTED, 'alter sequence tags_id_seq owned by none'], async ({ server }) => {
      strictEqual((await server.post('tags', { name: 'next' })).body.data.id, 41);
    }));

  it('with ids without a default refuses rows, until the doctor gives them one', () =>
    changed(
      ['pages', 'tags', 'pages_tags_lnk', 'files', 'up_users'].map(
        (t) => `alter table ${t} alter column id drop default`,
      ),
      async (one) => {
        deepStrictEqual((await statuses(one)).slice(3, 5), [400, 400]);
        match((await doctor()).out, /tags\.id has neither a sequence nor another default: .*\(--fix repairs it\)/);
        strictEqual((await doctor('--fix')).code, 0);
        deepStrictEqual((await statuses(one)).slice(3), [200, 200, 200]);
      },
    ));

  const works: readonly (readonly [what: string, statements: readonly string[]])[] = [
    [
      'times with a zone, read in another one',
      [
        'alter table pages alter created_at type timestamptz, alter updated_at type timestamptz, alter published_at type timestamptz',
        `do $$ begin execute format('alter database %I set timezone = %L', current_database(), 'Asia/Tokyo'); end $$`,
      ],
    ],
    ['large ids', ['alter table pages alter id type bigint', 'alter table pages_tags_lnk alter page_id type bigint']],
    [
      'texts without a length',
      ['alter table pages alter title type text, alter document_id type text, alter locale type text'],
    ],
    ['exact numbers for floats', ['alter table pages alter rating type numeric']],
  ];
  it(`with ${works.map(([what]) => what).join(', ')} works as one of Strapi`, () =>
    changed(
      works.flatMap(([, statements]) => statements),
      async (one) => {
        const { createdAt } = (await one.server.get(`pages/${one.page}?fields=createdAt`)).body.data;
        ok(Math.abs(Date.now() - Date.parse(createdAt)) < 3_600_000, createdAt);
        deepStrictEqual(await statuses(one), [200, 200, 200, 200, 200, 200]);
        deepStrictEqual(await doctor(), { code: 0, out: 'no problems found' });
      },
    ));

  const differs: readonly (readonly [what: string, statements: readonly string[], told: RegExp])[] = [
    [
      'numbers for booleans',
      ['alter table pages alter is_open type smallint using is_open::int, alter is_open set default 0'],
      /pages\.is_open is smallint, the schema expects boolean/,
    ],
    [
      'short texts',
      [`alter table pages alter title type varchar(3) using left(title, 3)`],
      /pages\.title is character varying\(3\), the schema expects varchar\(255\)/,
    ],
    [
      'padded texts',
      ['alter table pages alter document_id type char(24), alter locale type char(10)'],
      /pages\.document_id is character\(24\)/,
    ],
    ['texts for JSON', ['alter table pages alter meta type text'], /pages\.meta is text, the schema expects jsonb/],
    [
      'texts for times',
      ['alter table pages alter published_at type text, alter day type text'],
      /pages\.day is text, the schema expects date/,
    ],
    [
      'milliseconds for times',
      [`alter table pages alter created_at type bigint using (extract(epoch from created_at) * 1000)::bigint`],
      /pages\.created_at is bigint, the schema expects timestamp/,
    ],
    [
      'an enumeration',
      [
        `update pages set title = 'other'`,
        `create type kind as enum ('other')`,
        'alter table pages alter title type kind using title::kind',
      ],
      /pages\.title is kind, the schema expects varchar/,
    ],
    [
      'a column that needs a value',
      ['alter table tags add must text', `update tags set must = 'x'`, 'alter table tags alter must set not null'],
      /tags\.must is not in the schema, allows no null and has no default/,
    ],
    [
      'ids that are no primary key',
      ['alter table pages_tags_lnk drop constraint pages_tags_lnk_pkey'],
      /pages_tags_lnk\.id is no primary key/,
    ],
  ];
  it('with columns of other types is never a 500, and the statements of the doctor mend each', () =>
    changed([], async (one) => {
      for (const [what, statements, told] of differs) {
        await one.server.run([WITHOUT_TRIGGERS, ...statements]);
        await statuses(one);
        const { code, out } = await doctor();
        strictEqual(code, 1, what);
        match(out, told);
        const [, listed = ''] = out.split('the schema:\n');
        for (const statement of statementsOf(listed)) await one.server.run([statement]);
        deepStrictEqual((await doctor()).out, 'no problems found', what);
      }
      // statements that were prepared for the former types fail until the server starts anew
      const server = await one.start();
      deepStrictEqual(await statuses({ ...one, server }), [200, 200, 200, 200, 200, 200]);
      await server.stop();
    }));

  it('with several differences starts, and lists them', () =>
    changed(
      differs.filter(([what]) => what !== 'an enumeration').flatMap(([, statements]) => statements),
      async (one) => {
        await statuses(one);
        strictEqual((await doctor()).code, 1);
      },
    ));

  it('with its own constraints and triggers refuses the same values, with a message', () =>
    changed(
      [
        'alter table pages add constraint own check (length(title) < 5) not valid',
        `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'secret'; end $$`,
        'create trigger own before insert on tags for each row execute function refuse()',
      ],
      async (one) => {
        const says =
          /"The database refuses this value: a constraint or trigger of the database[^"]* does not allow it"/;
        deepStrictEqual((await statuses(one, says)).slice(3), [400, 400, 400]);
      },
    ));

  it('that loses tables and columns while it is served is unavailable to reads, and refuses writes', () =>
    changed([], async ({ server, page, start }) => {
      await server.run([WITHOUT_TRIGGERS, 'alter table pages drop column rating', 'drop table tags cascade']);
      for (const path of ['pages', `pages/${page}`, 'pages?filters[rating]=1', 'tags', 'pages?populate=tags']) {
        const { status, text } = await server.get(path);
        strictEqual(status, 503, text);
        match(text, /"ServiceUnavailableError".*galley doctor/);
        doesNotMatch(text, /rating|"tags"|select/);
      }
      for (const { status, text } of [
        await server.post('pages', { title: 'new', rating: 2 }),
        await server.post('tags', { name: 'new' }),
      ]) {
        strictEqual(status, 400, text);
        match(text, /galley doctor/);
      }
      // a start adds them again
      const again = await start();
      strictEqual((await again.get('pages?populate=tags')).status, 200);
      await again.stop();
    }));

  it('with names in capitals is refused at the start, with the statement that renames', async () => {
    await rejects(
      changed(['alter table pages rename column title to "Title"'], async () => {}),
      /rename it with alter table "pages" rename column "Title" to "title"/,
    );
    await rejects(
      changed(['alter table tags rename to "Tags"'], async () => {}),
      /rename it with alter table "Tags" rename to "tags"/,
    );
  });
}

/** The statements that a person copies from the lines of the doctor. */
function statementsOf(listed: string): string[] {
  const lines = listed.split('\n');
  const statements: string[] = [];
  for (let n = 0; n < lines.length; n++) {
    if (!lines[n]!.startsWith('    ')) continue;
    let statement = lines[n]!.trim();
    while (!statement.endsWith(';') || (statement.startsWith('do ') && !statement.endsWith('$drop$;'))) {
      statement += `\n${lines[++n]}`;
    }
    statements.push(statement);
  }
  return statements;
}
