/** `galley explain`: what permits a request, how the database answers it, and what is missing. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { storedIndexes, storeIndex } from '../../../src/db/indexes/stored-indexes.ts';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

/** Rows of the table that is large enough to matter. */
const ROWS = 12_000;
const BODY = 'word '.repeat(200);
const UID = 'api::article.article';

const relation = { type: 'relation', relation: 'manyToOne', target: 'api::author.author' };
const articles = contentType(
  'article',
  {
    title: { type: 'string' },
    body: { type: 'richtext' },
    views: { type: 'integer' },
    rank: { type: 'integer', index: true },
    slug: { type: 'uid' },
    secret: { type: 'string', private: true },
    author: relation,
  },
  { options: { draftAndPublish: true } },
);

interface Explained {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The lines of a section. */
  section(name: string): string[];
}

for (const engine of engines) {
  describe(`galley explain on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let secrets: Record<string, string>;
    const env = () => ({ ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' });
    const galley = async (
      args: readonly string[],
      more: Record<string, string> = {},
      input = '',
    ): Promise<Explained> => {
      const [out, err]: [string[], string[]] = [[], []];
      const code = await runCommandLine([...args, folder.dir], {
        env: { ...env(), ...more },
        print: (line) => void out.push(line),
        warn: (line) => void err.push(line),
        input: async () => input,
      });
      const section = (name: string) => {
        const start = out.findIndex((line) => line === name || line.startsWith(`${name},`));
        const end = out.indexOf('', start);
        return start < 0 ? [] : out.slice(start + 1, end < 0 ? undefined : end).map((line) => line.slice(2));
      };
      return { code, out: out.join('\n'), err: err.join('\n'), section };
    };
    const explain = (request: string, ...more: string[]) => galley(['explain', request, ...more]);

    before(async () => {
      folder = await makeProject({
        contentTypes: {
          article: articles,
          note: contentType('note', { body: { type: 'richtext' }, name: { type: 'string' }, word: { type: 'string' } }),
          author: contentType('author', { name: { type: 'string' } }),
          home: contentType('home', { title: { type: 'string' } }, { kind: 'singleType' }),
        },
        files: {
          'src/api/author/controllers/author.js': `const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreController('api::author.author', () => ({
  async find(ctx) { await strapi.db.queryBuilder('visits').insert({}); return super.find(ctx); },
}));`,
          'public/robots.txt': 'User-agent: *',
          'rights.json': {
            roles: {
              public: [
                `${UID}.find`,
                'api::home.home.find',
                'api::note.note.find',
                'plugin::users-permissions.auth.register',
              ],
              authenticated: [`${UID}.find`, `${UID}.findOne`, 'api::author.author.find'],
            },
            tokens: [
              { name: 'site', type: 'read-only' },
              { name: 'all', type: 'full-access' },
            ],
          },
        },
      });
      database = await engine.emptyDatabase();
      const out = path.join(folder.dir, 'secrets.json');
      const applied = await galley(['apply', path.join(folder.dir, 'rights.json'), '--tokens-out', out]);
      strictEqual(applied.code, 0, applied.err);
      secrets = JSON.parse(await readFile(out, 'utf8')) as Record<string, string>;
      await fill(folder.dir, env(), engine);
    });
    after(async () => {
      await folder?.remove();
      await database?.drop();
    });

    describe('permission', () => {
      it('names the caller, the action, and hidden content', async () => {
        const { code, section } = await explain('GET /api/articles?pagination[pageSize]=1');
        strictEqual(code, 0);
        deepStrictEqual(section('Permission'), [
          'caller    the public',
          'action    api::article.article.find: granted',
          'hidden    secret (private), author (api::author.author.find is not granted)',
        ]);
      });

      it('is that of a role by its type or name, or of an API token by its name, id or secret', async () => {
        const callers: [word: string, caller: string, granted: string, input?: string][] = [
          ['authenticated', 'the role Authenticated', 'granted'],
          ['Authenticated', 'the role Authenticated', 'granted'],
          [
            'site',
            'the API token site (read-only)',
            'read-only tokens may perform actions that end in find or findOne',
          ],
          [
            secrets['site']!,
            'the API token site (read-only)',
            'read-only tokens may perform actions that end in find or findOne',
          ],
          [
            '-',
            'the API token site (read-only)',
            'read-only tokens may perform actions that end in find or findOne',
            secrets['site']!,
          ],
          ['all', 'the API token all (full-access)', 'full-access tokens may do everything'],
        ];
        for (const [word, caller, granted, input] of callers) {
          const { code, out, section } = await galley(['explain', '/api/articles/d1', '--as', word], {}, input);
          const [named, action] = section('Permission');
          deepStrictEqual(
            [code, named, action],
            [0, `caller    ${caller}`, `action    api::article.article.findOne: ${granted}`],
          );
          ok(!out.includes(secrets['site']!), 'no secret is printed');
        }
      });

      it('is that of an account by its user token, which is named', async () => {
        const app = await openProject(folder.dir, { env: env(), overrides: { host: '127.0.0.1', port: 0 } });
        const { url } = await app.listen();
        const registered = await fetch(`${url}/api/auth/local/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: 'ann', email: 'ann@example.org', password: 'Harbour1909' }),
        });
        const { jwt, user } = (await registered.json()) as {
          readonly jwt: string;
          readonly user: { readonly id: number };
        };
        await app.close();
        const { code, out, section } = await explain('/api/articles/d1', '--as', jwt);
        strictEqual(code, 0, out);
        strictEqual(section('Permission')[0], `caller    the account ann (id ${user.id}), by its user token`);
        ok(!out.includes(jwt), 'no secret is printed');
      });

      it('refuses an unknown caller without repeating its name', async () => {
        const { code, err } = await explain('/api/articles', '--as', 'autenticated');
        strictEqual(code, 2);
        strictEqual(err, 'galley: --as names no role and no API token: did you mean authenticated?');
        const other = await explain('/api/articles', '--as', 'c0ffee');
        deepStrictEqual([other.code, other.err.includes('c0ffee')], [2, false]);
      });
    });

    it('distinguishes paths that the server answers itself from paths without an answer', async () => {
      for (const [request, answered] of [
        ['/robots.txt', true],
        ['HEAD /admin', true],
        ['/_health', true],
        ['/humans.txt', false],
      ] as const) {
        const { code, out } = await explain(request);
        strictEqual(code, answered ? 0 : 1, out);
        match(out, /no route of the API takes this request\n/);
        strictEqual(
          /\n {2}answer {4}20[04]: the server itself answers, as for files in public/.test(out),
          answered,
          out,
        );
      }
    });

    describe('a request that would be refused', () => {
      const refusals: [request: string, as: string | undefined, refusal: RegExp][] = [
        ['/api/articles/d1', undefined, /^Refused: 403 ForbiddenError: Forbidden$/m],
        ['/api/articles?sort=nothing', undefined, /^Refused: 400 ValidationError: Invalid key nothing \{.*"sort"/m],
        ['/api/articles?filters[secret]=x', undefined, /^Refused: 400 ValidationError: Invalid key secret/m],
        ['/api/articles/nobody', 'site', /^Refused: 404 NotFoundError: Not Found$/m],
        ['/api/nothing', undefined, /no route of the API takes this request\n\nRefused: 404 NotFoundError: Not Found$/],
        ['DELETE /api/articles', 'all', /no route of the API takes this request\n\nRefused: 405 Method Not Allowed$/],
        [
          'POST /api/articles',
          undefined,
          /article\.create: not granted\n.*\n\nRefused: 403 ForbiddenError: Forbidden$/,
        ],
        ['/api/articles', '-', /^Refused: 401 UnauthorizedError: Missing or invalid credentials$/m],
      ];
      for (const [request, as, refusal] of refusals) {
        it(`prints the error and exits with 1: ${request}`, async () => {
          const more = as === undefined ? [] : ['--as', as];
          const { code, out } = await galley(['explain', request, ...more], {}, 'invalid');
          strictEqual(code, 1);
          match(out, refusal);
        });
      }
    });

    it('runs no request other than reads of documents, and shows its permission', async () => {
      for (const [request, action] of [
        ['DELETE /api/articles/d1', 'api::article.article.delete'],
        ['POST /api/articles', 'api::article.article.create'],
        ['GET /api/users', 'plugin::users-permissions.user.find'],
        ['PUT /api/i18n/locales/1', 'plugin::i18n.locales.updateLocale'],
      ] as const) {
        const { code, out } = await explain(request, '--as', 'all');
        strictEqual(code, 0, request);
        ok(out.includes(`action    ${action}: full-access tokens may do everything`), out);
        match(out, /This request was not run/);
      }
      strictEqual((await explain('/api/articles/d1', '--as', 'all')).code, 0, 'the document is still there');
    });

    describe('a read', () => {
      it('has its statement with the values, the plan and the time', async () => {
        const { code, section } = await explain(
          `/api/articles?filters[views][$between][]=7&filters[views][$between][]=9`,
        );
        strictEqual(code, 0);
        const sql = section('SQL');
        const placeholder = engine.name === 'sqlite' ? '+?' : '$1::bigint';
        ok(
          sql.some((line) => line.trim().startsWith(`and t0."views" between ${placeholder} and`)),
          sql.join('\n'),
        );
        deepStrictEqual(sql.slice(-4), [
          'parameter 1: 7 (views)',
          'parameter 2: 9 (views)',
          'parameter 3: 25',
          'parameter 4: 0',
        ]);
        match(section('Plan').join('\n'), engine.name === 'sqlite' ? /SCAN t0/ : /Seq Scan on articles t0 \(rows 3, /);
        const [time, found, lane] = section('Time');
        match(time!, /^\d+\.\d\d ms, the median of \d runs?$/);
        match(found!, /^3 rows of 3, [\d,]+ bytes$/);
        strictEqual(
          lane,
          engine.name === 'sqlite'
            ? 'may be slow, so it runs apart from quick reads: its work depends on its values'
            : 'counts as quick: by its plan it stays below 10 ms, or it was seen to take less than 50 ms',
        );
      });

      it('names the origin of learned and created indexes that it uses', async () => {
        const made = await galley(['index', 'create', UID, 'views']);
        strictEqual(made.code, 0, made.err);
        const asked = '/api/articles?sort=views&pagination[withCount]=false';
        const [line = ''] = (await explain(asked)).section('Indexes');
        match(
          line,
          /^galley_articles_made_\w+: created by galley index create on 2\d{3}-\d\d-\d\d; npm run -s galley -- index drop removes it$/,
        );
        const app = await openProject(folder.dir, { env: env() });
        const kept = await storedIndexes(app.database);
        for (const one of kept)
          await storeIndex(app.database, { ...one, origin: 'learned', reads: 7, milliseconds: 1900 });
        await app.close();
        match(
          (await explain(asked)).section('Indexes')[0] ?? '',
          /: learned: Galley created it on 2\d{3}-\d\d-\d\d, after 7 slow reads \(15 ms or more each\) took 1\.9 s without it, and drops it if no read uses it for 30 days$/,
        );
        deepStrictEqual((await explain('/api/articles?pagination[withCount]=false')).section('Indexes'), []);
        for (const { index } of kept) strictEqual((await galley(['index', 'drop', index.name])).code, 0);
      });

      it('names the origin of a search index that it uses, by its name in `galley index list` and in the database', async () => {
        const names: string[] = [];
        for (const texts of ['word', 'name,word']) {
          const made = await galley(['index', 'create', 'api::note.note', texts, '--search']);
          names.push(/^created (\w+)/.exec(made.out)![1]!);
        }
        const { section } = await explain('/api/notes?filters[word][$contains]=nowhere');
        const used = section('Indexes').map((line) =>
          /^(\w+) \(in the database: (galley_search_notes_\w+)\): created by galley index create on /
            .exec(line)!
            .slice(1),
        );
        // on PostgreSQL both are, for this attribute, the same one
        deepStrictEqual(
          used.map(([name]) => name),
          engine.name === 'sqlite' ? names.slice(0, 1) : names,
        );
        const whole = [...section('SQL'), ...section('Plan')].join('\n');
        for (const [, name] of used) ok(whole.includes(name!), whole);
        for (const name of names) strictEqual((await galley(['index', 'drop', name])).code, 0);
      });

      it('of one document or a single type is explained alike', async () => {
        const one = await explain('/api/articles/d7', '--as', 'authenticated');
        deepStrictEqual([one.code, one.section('Missing')], [0, ['nothing is missing']]);
        match(one.section('SQL').join('\n'), /parameter \d: "d7"/);
        const home = await explain('/api/home');
        match(home.out, /action {4}api::home\.home\.find: granted/);
        match(home.out, /Refused: 404[\s\S]*from "homes" t0/);
      });

      it('stops a read that takes too long, and shows its plan without running it', async () => {
        const tests = Array.from({ length: 90 }, (_, n) => `filters[$or][${n}][body][$contains]=x${n}y`).join('&');
        const { code, out, section } = await galley(['explain', `/api/notes?${tests}`], {
          GALLEY_READ_TIMEOUT: '300',
        });
        strictEqual(code, 1);
        match(out, /^Refused: 503 ServiceUnavailableError: The database took too long to answer$/m);
        match(out, /^Plan, without running it$/m);
        doesNotMatch(section('Plan').join('\n'), / ms[,)]/);
        strictEqual(section('Time')[0], 'stopped at the time limit for reads');
      });
    });

    describe('missing indexes', () => {
      const total = (rows: string) => `the total counts ${rows} rows: ask without it (pagination[withCount]=false)`;
      const uncounted = 'pagination[withCount]=false';
      const missing: [query: string, sentences: string[]][] = [
        [uncounted, []],
        ['', []],
        ['filters[id][$gt]=0', [total('12,000')]],
        [
          'filters[title][$containsi]=none',
          ['a search for a piece of text reads every title: 12,000 rows of articles (search index on articles: title)'],
        ],
        ['filters[id]=7', []],
        ['filters[slug]=slug-7', []],
        // no index replaces a sort of what the filter has found for the total
        [
          'filters[title][$ne]=x&sort=views',
          [
            'the order by views sorts all rows that the filter finds, for the total: 12,000 rows of articles',
            'a filter that excludes values of title is tested on each row: 12,000 rows of articles',
            total('12,000'),
          ],
        ],
        // of a range that an index has few rows are looked at, or as many as the page has
        ['filters[rank][$gt]=0', [total('12,000')]],
        [`filters[rank][$gt]=0&${uncounted}`, []],
        [`filters[rank][$gt]=11990&${uncounted}`, []],
      ];
      for (const [query, sentences] of missing) {
        it(`are reported for ${query || 'a list'}`, async () => {
          const { section } = await explain(`/api/articles?${query}`);
          deepStrictEqual(section('Missing'), sentences.length === 0 ? ['nothing is missing'] : sentences);
        });
      }

      it('is a search index only where one would serve', async () => {
        const searched = async (query: string) => (await explain(`/api/articles?${query}`)).section('Missing');
        const every = 'a search for a piece of text reads every';
        const by = (of: string) => `${every} ${of}: 12,000 rows of articles`;
        const tooShort = [
          `${by('title')}; a search index cannot look up "zx": an index needs three letters or digits in a row`,
        ];
        deepStrictEqual(await searched('filters[title][$contains]=zx'), tooShort);
        match((await searched('_q=98765432')).join(), /; no search index serves it, as views, rank are not text$/);
        const made = await galley(['index', 'create', UID, 'title', '--search']);
        strictEqual(made.code, 0, made.err);
        deepStrictEqual(await searched('filters[title][$containsi]=none'), ['nothing is missing']);
        deepStrictEqual(await searched('filters[title][$contains]=zx'), tooShort);
        const [, name = ''] = /^created (\S+)/.exec(made.out)!;
        strictEqual((await galley(['index', 'drop', name])).code, 0);
      });

      it('is nothing once the index that it names is there', async () => {
        const app = await openProject(folder.dir, { env: env() });
        const define = (text: string) => app.database.transaction(async (tx) => tx.rows(text, []));
        try {
          // on SQLite the index that finds slugs has them in the order of lists as well
          const bySlug = [`sort=slug&${uncounted}`, 'no index serves the order by slug: 12,000 rows'] as const;
          if (engine.name === 'sqlite')
            deepStrictEqual((await explain(`/api/articles?${bySlug[0]}`)).section('Missing'), ['nothing is missing']);
          for (const [query, gap] of [
            ...(engine.name === 'sqlite' ? [] : [bySlug]),
            [`sort=title:desc&${uncounted}`, 'no index serves the order by title: 12,000 rows of articles are sorted'],
            ['filters[title]=none', 'no index finds articles by title: 12,000 rows are read'],
            [
              `filters[views][$between][]=1&filters[views][$between][]=3&sort=views:desc,createdAt&${uncounted}`,
              'no index finds articles by views: 12,000 rows are read',
            ],
          ] as const) {
            const [sentence = ''] = (await explain(`/api/articles?${query}`)).section('Missing');
            ok(sentence.startsWith(gap), sentence);
            const named = /\(index on (\w+): (.*), of published rows\)$/.exec(sentence)!;
            await define(`create index explained_idx on ${named[1]} (${named[2]}) where published_at is not null`);
            await define('analyze');
            const { section } = await explain(`/api/articles?${query}`);
            await define('drop index explained_idx');
            deepStrictEqual(section('Missing'), ['nothing is missing']);
            match(section('Plan').join('\n'), /explained_idx/);
          }
        } finally {
          await app.close();
        }
      });
    });
  });
}

/** Makes the large table. */
async function fill(dir: string, env: Record<string, string>, { name }: Engine): Promise<void> {
  const app = await openProject(dir, { env });
  try {
    const published = name === 'sqlite' ? '0' : `timestamp '2026-01-01'`;
    await app.database.transaction(async (tx) => {
      await tx.rows(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS})
         insert into articles (document_id, title, slug, views, rank, published_at)
           select 'd' || i, 'title ' || i, 'slug-' || i, i, i, ${published} from n`,
        [],
      );
      // the highest id says little of how many rows there are
      await tx.rows(`update articles set id = 900000 where id = ${ROWS}`, []);
      await tx.rows(
        `insert into notes (document_id, body, published_at) select document_id, '${BODY}', published_at from articles`,
        [],
      );
    });
    await app.database.transaction(async (tx) => tx.rows('analyze', []));
  } finally {
    await app.close();
  }
}
