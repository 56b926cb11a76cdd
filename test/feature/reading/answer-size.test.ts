/** The longest answer (docs/reference/limits.md, "Answers"): what is longer is refused before it is made. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { type Engine, engines } from '../../support/databases/databases.ts';
import { startProcess } from '../../support/servers/process.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const LIMIT = 200_000;
/** Texts of a document: three of them stay within the limit, the page of all does not. */
const BODY = 'x'.repeat(50_000);
const DOCUMENTS = 10;

const TOO_LONG = /^The answer would be too long: populate fewer levels, or request fewer documents or fields$/;

const relation = (target: string, relation: string) => ({ type: 'relation', relation, target });

async function serveLong(engine: Engine): Promise<RunningServer> {
  const folder = await makeProject({
    contentTypes: {
      doc: contentType(
        'doc',
        {
          name: { type: 'string' },
          body: { type: 'richtext' },
          parts: { type: 'component', repeatable: true, component: 'shared.part' },
          notes: relation('api::note.note', 'oneToMany'),
          first: relation('api::note.note', 'oneToOne'),
          topic: relation('api::topic.topic', 'manyToOne'),
        },
        { options: { draftAndPublish: true } },
      ),
      topic: contentType('topic', {
        text: { type: 'text' },
        parts: { type: 'component', repeatable: true, component: 'shared.part' },
      }),
      note: contentType('note', { text: { type: 'string' } }),
    },
    components: {
      'shared.part': {
        collectionName: 'components_shared_parts',
        info: { displayName: 'part' },
        attributes: { text: { type: 'text' } },
      },
    },
    files: {
      'config/api.js': `module.exports = { rest: { maxAnswerSize: ${LIMIT}, maxLimit: 0 } };`,
      'seed.json': {},
    },
  });
  return serve(folder, await engine.databaseFor(folder));
}

/** The most memory that a process has had since it was asked to forget, in bytes; undefined where no system tells. */
function peak(pid: number): number | undefined {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

for (const engine of engines) {
  it(`an answer far too long is refused before it takes the memory on ${engine.name}`, async (t) => {
    const megabyte = engine.name === 'sqlite' ? 'hex(zeroblob(500000))' : `repeat('x', 1000000)`;
    const short = engine.name === 'sqlite' ? 'hex(zeroblob(750))' : `repeat('x', 1500)`;
    const numbers = (many: number) =>
      engine.name === 'sqlite'
        ? `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many}) select i from n`
        : `select i from generate_series(1, ${many}) i`;
    const folder = await makeProject({
      contentTypes: {
        doc: contentType('doc', { body: { type: 'text' }, notes: relation('api::note.note', 'oneToMany') }),
        note: contentType('note', { text: { type: 'text' } }),
      },
      files: { 'config/server.js': 'module.exports = {};', 'seed.json': {} },
    });
    const database = await engine.emptyDatabase();
    const app = await openProject(folder.dir, { env: database.env });
    await app.database.transaction(async (tx) => {
      await tx.rows(
        `insert into docs (document_id, body) select 'd' || i, ${megabyte} from (${numbers(60)}) numbers`,
        [],
      );
      await tx.rows(
        `insert into notes (document_id, text) select 'n' || i, ${short} from (${numbers(30_000)}) numbers`,
        [],
      );
      await tx.rows(
        `insert into docs_notes_lnk (doc_id, note_id, note_ord) select (select min(id) from docs), id, id from notes`,
        [],
      );
      await tx.rows(
        `insert into galley_permissions (role_id, action) select id, 'api::doc.doc.find' from up_roles where type = 'public'`,
        [],
      );
      await tx.rows(
        `insert into galley_permissions (role_id, action) select id, 'api::note.note.find' from up_roles where type = 'public'`,
        [],
      );
    });
    await app.close();
    const program = await startProcess(folder.dir, database.env);
    try {
      const pid = program.child.pid!;
      await fetch(`${program.url}/api/docs?pagination[pageSize]=10&fields=id`);
      const before = peak(pid);
      for (const query of ['pagination[pageSize]=60', 'pagination[pageSize]=1&fields=id&populate=notes']) {
        const answer = await fetch(`${program.url}/api/docs?${query}`);
        deepStrictEqual(
          [answer.status, ((await answer.json()) as { error: { name: string } }).error.name],
          [400, 'ValidationError'],
          query,
        );
      }
      const after = peak(pid);
      if (before === undefined || after === undefined) return t.skip('the memory of a process is not told here');
      ok(after - before < 64 * 1024 ** 2, `${Math.round((after - before) / 1024 ** 2)} MB`);
    } finally {
      program.child.kill('SIGKILL');
      await program.ended;
      await database.drop();
      await folder.remove();
    }
  });

  describe(`answers that are too long on ${engine.name}`, () => {
    let server: RunningServer;
    let notes: string[];
    const ids: string[] = [];
    before(async () => {
      server = await serveLong(engine);
      const { app } = server;
      await app.database.transaction(async (tx) => {
        const actions = ['api::doc.doc', 'api::note.note'].flatMap((uid) =>
          ['find', 'findOne', 'create', 'update', 'publish', 'delete'].map((action) => `${uid}.${action}`),
        );
        for (const action of [
          ...actions,
          'api::topic.topic.find',
          'plugin::upload.content-api.find',
          'plugin::users-permissions.user.find',
        ]) {
          await tx.rows(
            `insert into galley_permissions (role_id, action) select id, '${action}' from up_roles where type = 'public'`,
            [],
          );
        }
      });
      // short ones, so many that only their number makes a long answer
      notes = [];
      for (let n = 0; n < 3; n++)
        notes.push(String((await app.documents('api::note.note').create({ data: { text: 'n' } }))['documentId']));
      for (let n = 0; n < DOCUMENTS; n++) {
        const data = {
          name: `d${n}`,
          body: BODY,
          parts: [{ text: BODY }, { text: BODY }],
          notes: n === 0 ? notes : [],
          first: notes[0],
        };
        const document = await app.documents('api::doc.doc').create({ data, status: 'published' });
        ids.push(String(document['documentId']));
      }
    });
    after(() => server?.stop());

    const refused = async (target: string, method = 'GET', body?: unknown) => {
      const { status, body: answer } = await server.request(method, target, body === undefined ? {} : { body });
      deepStrictEqual([status, answer.error?.name], [400, 'ValidationError'], target);
      match(answer.error.message, TOO_LONG);
    };

    it('are refused as lists for every cause of their size, and answered for fewer rows', async () => {
      await refused('/api/docs');
      await refused('/api/docs?pagination[withCount]=false');
      await refused('/api/docs?filters[name][$startsWith]=d');
      await refused('/api/docs?fields=name&populate=parts');
      const { status, text } = await server.get('/api/docs?pagination[pageSize]=3');
      strictEqual(status, 200);
      ok(text.length > 150_000 && text.length < LIMIT);
      strictEqual((await server.get('/api/docs?fields=name&populate=notes,first')).status, 200);
    });

    it('are refused where each document has the same long one, or one of its own', async () => {
      const { app } = server;
      const topics: string[] = [];
      for (let n = 0; n <= DOCUMENTS; n++) {
        const data = { text: n === 0 ? BODY : 'x'.repeat(10_000), parts: [{ text: 'x'.repeat(15_000) }] };
        topics.push(String((await app.documents('api::topic.topic').create({ data }))['documentId']));
      }
      const give = async (topicOf: (n: number) => string | undefined) => {
        for (const [n, documentId] of ids.entries())
          await app.documents('api::doc.doc').update({ documentId, data: { topic: topicOf(n) }, status: 'published' });
      };
      const query = '/api/docs?fields=name&populate[topic][populate]=parts';
      await give(() => topics[0]);
      await refused(query);
      strictEqual((await server.get(`${query}&pagination[pageSize]=2`)).status, 200);
      await give((n) => topics[n + 1]);
      await refused(query);
      strictEqual((await server.get(`${query}&pagination[pageSize]=6`)).status, 200);
    });

    it('are refused as single documents', async () => {
      strictEqual((await server.get(`/api/docs/${ids[0]}?populate=parts`)).status, 200);
      await server.app.documents('api::doc.doc').update({
        documentId: ids[1]!,
        data: { parts: Array.from({ length: 5 }, () => ({ text: BODY })) },
        status: 'published',
      });
      await refused(`/api/docs/${ids[1]}?populate=parts`);
      strictEqual((await server.get(`/api/docs/${ids[1]}`)).status, 200);
    });

    it('are refused as the answers of writes, which then have no effect', async () => {
      const data = { name: 'too long', parts: Array.from({ length: 5 }, () => ({ text: BODY })) };
      await refused('/api/docs?populate=parts', 'POST', { data });
      strictEqual(await server.app.documents('api::doc.doc').count({ filters: { name: 'too long' } }), 0);
      strictEqual((await server.request('POST', '/api/docs', { body: { data } })).status, 200);
    });

    it('are refused as batches by the sum of their answers, and nothing is done', async () => {
      const create = (name: string) => ({ action: 'create', data: { name, body: BODY } });
      const names = ['b1', 'b2', 'b3', 'b4', 'b5'];
      await refused('/api/docs/actions/batch', 'POST', { operations: names.map(create) });
      strictEqual(await server.app.documents('api::doc.doc').count({ filters: { name: { $in: names } } }), 0);
      const { status } = await server.request('POST', '/api/docs/actions/batch?fields=name', {
        body: { operations: names.map(create) },
      });
      strictEqual(status, 200);
    });

    it('of many short rows are refused, in lists of files, users and content', async () => {
      const { app } = server;
      const many = 5000;
      const numbers =
        engine.name === 'sqlite'
          ? `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many}) select i from n`
          : `select i from generate_series(1, ${many}) i`;
      await app.database.transaction(async (tx) => {
        const stamp = engine.name === 'sqlite' ? '1700000000000' : `timestamp '2024-01-01'`;
        await tx.rows(
          `insert into notes (document_id, text, created_at, updated_at, published_at, locale)
           select 'note' || i, 'text', ${stamp}, ${stamp}, ${stamp}, null from (${numbers}) numbers`,
          [],
        );
        await tx.rows(
          `insert into files (document_id, name, hash, mime, size, url, provider, folder_path, created_at, updated_at, published_at)
           select 'file' || i, 'file', 'file' || i, 'text/plain', 1, '/uploads/file' || i, 'local', '/', ${stamp}, ${stamp}, ${stamp} from (${numbers}) numbers`,
          [],
        );
        await tx.rows(
          `insert into up_users (document_id, username, email, provider, confirmed, blocked, created_at, updated_at, published_at)
           select 'user' || i, 'user' || i, 'u' || i || '@example.com', 'local', true, false, ${stamp}, ${stamp}, ${stamp} from (${numbers}) numbers`,
          [],
        );
        await tx.rows(
          `insert into docs_notes_lnk (doc_id, note_id, note_ord)
           select d.id, n.id, n.id from docs d join notes n on n.document_id like 'note%'
           where d.name = 'd2' and d.published_at is not null`,
          [],
        );
      });
      await refused('/api/upload/files');
      strictEqual((await server.get('/api/upload/files?filters[hash]=file1')).body.length, 1);
      await refused('/api/users');
      await refused('/api/notes?pagination[limit]=100000');
      await refused(`/api/docs/${ids[2]}?fields=name&populate=notes`);
      strictEqual((await server.get(`/api/docs/${ids[2]}?fields=name&populate[notes][count]=true`)).status, 200);
    });

    it('are returned to code that embeds the server', async () => {
      const documents = await server.app
        .documents('api::doc.doc')
        .findMany({ status: 'published', populate: ['parts'] });
      ok(JSON.stringify(documents).length > 5 * LIMIT);
      await rejects(
        server.app.documents('api::doc.doc').findMany({ filters: { nothing: 1 } } as object),
        /Invalid key/,
      );
    });
  });
}
