/**
 * Published vulnerabilities of the reference's content API, tried here: what reading tells of what it must not. The
 * leak is seldom in an answer's text; it is in which documents come back, and in which order. So every probe is sent
 * with an operand that fits the hidden value and with one that does not, and both must be answered alike.
 */
import { deepStrictEqual, doesNotMatch, ok, strictEqual } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { layoutOf } from '../../../src/schema/layout/layout.ts';
import { engines } from '../../support/databases/databases.ts';
import { type Answer, contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const PAGE = 'api::page.page';
const USER = 'plugin::users-permissions.user';
/** What an administrator's and a user's row hide. */
const HASH = '$2a$10$abcdefghijklmnopqrstuuHIDDENHIDDENHIDDENHIDDENHIDDENHI';
const TOKEN = 'deadbeefHIDDENtoken';

const CONTENT_TYPES = {
  page: contentType(
    'page',
    {
      title: { type: 'string' },
      note: { type: 'string', private: true },
      secret: { type: 'password' },
      reviewer: { type: 'relation', relation: 'manyToOne', target: 'admin::user' },
      owner: { type: 'relation', relation: 'manyToOne', target: USER },
      hiddenOwner: { type: 'relation', relation: 'manyToOne', target: USER, private: true },
      siblings: { type: 'relation', relation: 'oneToMany', target: PAGE },
    },
    { options: { draftAndPublish: false } },
  ),
};

/** Filters below `filters`, with `PROBE` for the operand. The first member of a pair fits, the other does not. */
const ORACLES: readonly [cve: string, filter: string, operands: readonly [string, string]][] = [
  ['CVE-2023-22894', '[updatedBy][password][$startsWith]=PROBE', ['$2', '$9']],
  ['CVE-2023-22894', '[createdBy][resetPasswordToken][$contains]=PROBE', ['dead', 'beef0']],
  ['CVE-2023-22894', '[updatedBy][email][$eqi]=PROBE', ['root@example.com', 'nobody@example.com']],
  ['CVE-2023-22894', '[updatedBy][id]=PROBE', ['1', '77']],
  ['CVE-2023-22894', '[createdBy][$null]=PROBE', ['false', 'true']],
  ['CVE-2023-22894', '[note][$startsWith]=PROBE', ['treasure', 'x']],
  ['CVE-2023-22894', '[secret][$startsWith]=PROBE', ['$2', '$9']],
  ['CVE-2023-22894', '[secret][$notNull]=PROBE', ['true', 'false']],
  ['CVE-2023-22894', '[owner][password][$startsWith]=PROBE', ['$2', '$9']],
  ['CVE-2023-22894', '[owner][resetPasswordToken][$startsWith]=PROBE', ['dead', 'x']],
  ['CVE-2023-22894', '[owner][confirmationToken][$startsWith]=PROBE', ['dead', 'x']],
  ['CVE-2023-22894', '[hiddenOwner][username]=PROBE', ['plugh', 'x']],
  ['CVE-2023-22894', '[siblings][note]=PROBE', ['treasure', 'x']],
  ['CVE-2023-22894', '[siblings][updatedBy][password][$startsWith]=PROBE', ['$2', '$9']],
  ['CVE-2023-22894', '[$and][0][$or][0][updatedBy][password][$startsWith]=PROBE', ['$2', '$9']],
  ['CVE-2023-22894', '[$not][note][$eq]=PROBE', ['treasure', 'x']],
  ['CVE-2023-36472', '[reviewer][resetPasswordToken][$startsWith]=PROBE', ['dead', 'x']],
  ['CVE-2023-36472', '[reviewer][id][$gt]=PROBE', ['0', '77']],
  ['CVE-2023-34235', '[updatedBy][t1.password][$startsWith]=PROBE', ['$2', '$9']],
  ['CVE-2023-34235', '[owner][t1.password][$startsWith]=PROBE', ['$2', '$9']],
  ['CVE-2023-34235', '[t0.secret][$startsWith]=PROBE', ['$2', '$9']],
  ['CVE-2023-34235', '[t0.note][$eq]=PROBE', ['treasure', 'x']],
  ['CVE-2023-34235', '[pages.note][$eq]=PROBE', ['treasure', 'x']],
  ['CVE-2023-34235', '["note"][$eq]=PROBE', ['treasure', 'x']],
  ['CVE-2023-34235', '[created_by_id][$eq]=PROBE', ['1', '77']],
];

/** Sort keys over what is hidden; each is tried in both directions. */
const SORTS: readonly [cve: string, key: string][] = [
  ['CVE-2023-22894', 'note'],
  ['CVE-2023-22894', 'secret'],
  ['CVE-2023-22894', 'updatedBy.password'],
  ['CVE-2023-22894', 'owner.resetPasswordToken'],
  ['CVE-2023-22894', 'hiddenOwner.username'],
  ['CVE-2023-36472', 'reviewer.email'],
  ['CVE-2023-34235', 't0.note'],
  ['CVE-2023-34235', 'updatedBy.t1.password'],
];

/** What is shown to nobody, asked for by name. */
const SHOWN: readonly [cve: string, query: string][] = [
  ['CVE-2022-30617', 'populate=createdBy'],
  ['CVE-2022-30617', 'populate=createdBy,updatedBy'],
  ['CVE-2022-30617', 'populate[updatedBy][fields]=email'],
  ['CVE-2022-30617', 'populate[updatedBy][populate]=*'],
  ['CVE-2022-30617', 'populate=siblings.updatedBy'],
  ['CVE-2022-30617', 'populate[siblings][populate][createdBy]=true'],
  ['CVE-2022-30617', 'populate=*'],
  ['CVE-2022-30617', 'fields=createdBy'],
  ['CVE-2023-36472', 'populate=reviewer'],
  ['CVE-2023-36472', 'populate[reviewer][fields]=password'],
  ['CVE-2023-36472', 'populate[reviewer][fields]=resetPasswordToken'],
  ['CVE-2023-36472', 'populate[owner][fields]=resetPasswordToken'],
  ['CVE-2023-36472', 'populate[owner][populate]=*'],
  ['CVE-2023-36472', 'populate=hiddenOwner'],
  ['CVE-2023-34235', 'fields=t0.note'],
  ['CVE-2023-34235', 'populate[owner][fields]=t1.password'],
];

for (const engine of engines) {
  describe(`advisories on ${engine.name}: reading`, () => {
    let server: SeededServer;
    let siblingId: string;
    const get = (target: string, as?: string): Promise<Answer> =>
      server.get(`/api${target}`, as === undefined ? undefined : server.secrets[as]);
    const everyone = [undefined, 'read', 'full'];
    /** What an answer tells: its status, and the documents in their order. */
    const told = ({ status, body }: Answer): unknown => [
      status,
      body.data?.map?.(({ documentId }: { documentId: string }) => documentId) ?? null,
      body.meta ?? null,
    ];

    before(async () => {
      const permissions = [`${PAGE}.find`, `${PAGE}.findOne`, `${USER}.find`, `${USER}.findOne`];
      const folder = await makeProject({ contentTypes: CONTENT_TYPES });
      server = await serveSeeded(engine, folder, {
        tokens: [
          { name: 'full', type: 'full-access' },
          { name: 'read', type: 'read-only' },
          { name: 'pages', type: 'custom', permissions: permissions.slice(0, 2).concat(`${PAGE}.update`) },
        ],
        roles: { public: permissions },
      });
      const { app, seeder } = server;
      const run = (parts: TemplateStringsArray, ...values: (string | number)[]) => {
        const text = parts.reduce((before, part, n) => before + app.database.dialect.placeholder(n) + part);
        return app.database.transaction(async (tx) => tx.rows(text, values));
      };
      const [admin] = await run`insert into admin_users (firstname, email, password, reset_password_token)
        values (${'Root'}, ${'root@example.com'}, ${HASH}, ${TOKEN}) returning id`;
      const adminId = Number(admin![0]);
      const user = { username: 'plugh', email: 'plugh@example.com', provider: 'local' };
      const secrets = { password: HASH, resetPasswordToken: TOKEN, confirmationToken: TOKEN };
      const userId = await seeder.create(USER, { ...user, ...secrets });
      const first = { title: 'First', note: 'treasure', secret: HASH, owner: userId, hiddenOwner: userId };
      siblingId = await seeder.create(PAGE, first);
      await seeder.create(PAGE, { title: 'Second', note: 'treasure', owner: userId, siblings: [siblingId] });
      await seeder.create(PAGE, { title: 'Third' });
      await run`update pages set created_by_id = ${adminId}, updated_by_id = ${adminId} where title <> ${'Third'}`;
      const reviewer = layoutOf(app.layout, PAGE).relations.get('reviewer')!;
      ok(reviewer.kind === 'link');
      strictEqual(reviewer.table, 'pages_reviewer_lnk');
      await run`insert into pages_reviewer_lnk (page_id, user_id) select id, ${adminId} from pages where title = ${'First'}`;
    });
    after(() => server?.stop());

    for (const [cve, filter, operands] of ORACLES) {
      it(`${cve}: filters${filter.replace('PROBE', operands[0])} tells nothing`, async () => {
        for (const as of everyone) {
          for (const where of ['filters', 'populate[siblings][filters]']) {
            const [fits, misses] = await Promise.all(
              operands.map((operand) => get(`/pages?${where}${filter.replace('PROBE', operand)}`, as)),
            );
            deepStrictEqual(told(fits!), told(misses!));
            strictEqual(fits!.status, 400, fits!.text);
          }
        }
      });
    }

    for (const [cve, filter] of [
      ['CVE-2023-22894', '[password][$startsWith]'],
      ['CVE-2023-22894', '[resetPasswordToken][$startsWith]'],
      ['CVE-2023-34235', '[t0.password][$startsWith]'],
    ] as const) {
      it(`${cve}: accounts are not filtered and counted by ${filter}`, async () => {
        for (const target of ['/users', '/users/count']) {
          for (const operand of ['$2', 'dead', 'x']) {
            strictEqual((await get(`${target}?filters${filter}=${operand}`, 'full')).status, 400, target);
          }
        }
      });
    }

    for (const [cve, key] of SORTS) {
      it(`${cve}: sort=${key} orders nothing`, async () => {
        for (const as of everyone) {
          for (const order of ['asc', 'desc']) {
            strictEqual((await get(`/pages?sort=${key}:${order}`, as)).status, 400);
            strictEqual((await get(`/pages?populate[siblings][sort]=${key}:${order}`, as)).status, 400);
          }
        }
      });
    }

    for (const parameter of ['lookup', 'where']) {
      const cve = parameter === 'lookup' ? 'CVE-2024-56143' : 'CVE-2026-27886';
      it(`${cve}: ${parameter} reaches no column`, async () => {
        for (const as of everyone) {
          for (const [condition, fits, misses] of [
            ['[updatedBy][password][$startsWith]', '$2', '$9'],
            ['[updatedBy][resetPasswordToken][$startsWith]', 'd', 'x'],
            ['[note]', 'treasure', 'x'],
            ['[title]', 'First', 'x'],
            ['[$and][0][owner][password][$startsWith]', '$2', '$9'],
          ]) {
            const plain = await get('/pages', as);
            for (const target of ['/pages?', '/pages?populate[siblings][filters][title]=First&', '/users?']) {
              const one = await get(`${target}${parameter}${condition}=${fits}`, as);
              const other = await get(`${target}${parameter}${condition}=${misses}`, as);
              deepStrictEqual([one.status, one.text], [other.status, other.text]);
              if (one.status === 200 && target === '/pages?') strictEqual(one.text, plain.text);
            }
            const nested = await get(`/pages?populate[siblings][${parameter}]${condition}=${fits}`, as);
            strictEqual(nested.status, 400);
          }
        }
      });
    }

    for (const [cve, query] of SHOWN) {
      it(`${cve}: ${query} shows nothing`, async () => {
        for (const as of everyone) {
          for (const target of ['/pages', `/pages/${siblingId}`]) {
            const { status, text } = await get(`${target}?${query}`, as);
            ok(status === 200 || status === 400, text);
            doesNotMatch(text, /HIDDEN|root@example|Root|treasure|"(?:createdBy|updatedBy|reviewer|hiddenOwner)" ?:/);
          }
        }
      });
    }

    it('CVE-2023-37263: a relation shows no account to a caller who may not see accounts', async () => {
      for (const query of [
        'populate=owner',
        'populate=*',
        'populate[owner][fields]=username',
        'populate=siblings.owner',
      ]) {
        const { status, text } = await get(`/pages?${query}`, 'pages');
        strictEqual(status, 200);
        doesNotMatch(text, /plugh|"owner" ?:/);
        const written = await server.request('PUT', `/api/pages/${siblingId}?${query}`, {
          token: server.secrets['pages'],
          body: { data: { title: 'First' } },
        });
        strictEqual(written.status, 200, written.text);
        doesNotMatch(written.text, /plugh|"owner" ?:/);
      }
      strictEqual((await get('/pages?filters[owner][username][$startsWith]=p', 'pages')).status, 400);
      strictEqual((await get('/pages?sort=owner.username', 'pages')).status, 400);
      ok((await get('/pages?populate=owner', 'full')).text.includes('plugh'));
    });

    it('CVE-2024-37818, CVE-2020-27664: no path fetches an address that a request names', async () => {
      let asked = 0;
      const listener = createServer((_, response) => {
        asked += 1;
        response.end('HIDDEN');
      });
      await new Promise<void>((resolve) => {
        listener.listen(0, '127.0.0.1', resolve);
      });
      try {
        const address = encodeURIComponent(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/`);
        for (const path of ['/_next/image?w=64&q=75&url=', '/proxy?url=', '/api/proxy?url=', '/admin/api/proxy?url=']) {
          const { status, text } = await server.get(path + address, server.secrets['full']);
          strictEqual(status, 404, path);
          doesNotMatch(text, /HIDDEN/);
        }
        // every other path of the administration is a page of its app
        const page = await server.get('/admin/');
        strictEqual((await server.get(`/admin/proxy?url=${address}`, server.secrets['full'])).text, page.text);
        strictEqual(asked, 0);
      } finally {
        listener.close();
      }
    });
  });
}
