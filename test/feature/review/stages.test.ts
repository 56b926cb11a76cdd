/** Stages of review: declared in a schema file or stored in Strapi's tables, and required for publishing. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkSchemas } from '../../../src/schema/check/check.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const POST = 'api::post.post';
const drafts = { options: { draftAndPublish: true } };
const reviewStages = {
  stages: [
    { name: 'To do', from: ['strapi-author'] },
    { name: 'Reviewed', color: '#328048', to: ['strapi-editor'] },
  ],
  requiredToPublish: 'Reviewed',
};
const contentTypes = {
  post: contentType('post', { title: { type: 'string' } }, { ...drafts, reviewStages }),
  note: contentType('note', { title: { type: 'string' } }, drafts),
};

describe('review stages of a schema file', () => {
  const problemsOf = async (stages: unknown, more: object = drafts) => {
    const folder = await makeProject({
      contentTypes: { post: contentType('post', {}, { ...more, reviewStages: stages }) },
    });
    try {
      return checkSchemas(folder.dir).problems.map(({ path: at, message, nearest }) =>
        [at, message, ...(nearest ? [nearest] : [])].join(': '),
      );
    } finally {
      await folder.remove();
    }
  };
  const stage = { name: 'A' };

  it('are part of the catalog with their defaults', async () => {
    const folder = await makeProject({ contentTypes });
    const { catalog } = checkSchemas(folder.dir);
    await folder.remove();
    deepStrictEqual(catalog?.contentTypes.get(POST)?.reviewStages, {
      file: 'src/api/post/content-types/post/schema.json',
      stages: [
        { name: 'To do', color: '#4945FF', from: ['strapi-author'], to: [] },
        { name: 'Reviewed', color: '#328048', from: [], to: ['strapi-editor'] },
      ],
      requiredToPublish: 'Reviewed',
    });
    strictEqual(catalog?.contentTypes.get('api::note.note')?.reviewStages, undefined);
  });

  for (const [what, stages, expected, more] of [
    ['no object', [], ['reviewStages: must be an object with stages']],
    ['no stages', {}, ['reviewStages.stages: must be a list of 1 to 200 stages']],
    ['an empty list', { stages: [] }, ['reviewStages.stages: must be a list of 1 to 200 stages']],
    ['an unknown key', { stages: [stage], stage: 1 }, ['reviewStages.stage: unknown key stage: stages']],
    ['a stage that is no object', { stages: ['A'] }, ['reviewStages.stages.0: must be an object with a name']],
    [
      'an unknown key of a stage',
      { stages: [{ ...stage, colour: '#fff' }] },
      ['reviewStages.stages.0.colour: unknown key colour: color'],
    ],
    [
      'a stage without a name',
      { stages: [{}] },
      ['reviewStages.stages.0.name: must be a text of 1 to 255 characters, without control characters'],
    ],
    ['a name that is taken', { stages: [stage, stage] }, ['reviewStages.stages.1.name: another stage is named A']],
    [
      'a wrong color',
      { stages: [{ ...stage, color: 'red' }] },
      ['reviewStages.stages.0.color: must be a color such as #4945FF'],
    ],
    [
      'roles that are no list',
      { stages: [{ ...stage, from: 'strapi-editor' }] },
      ["reviewStages.stages.0.from: must be a list of codes of administrators' roles, such as strapi-editor"],
    ],
    [
      'a role that is no text',
      { stages: [{ ...stage, to: [1] }] },
      ["reviewStages.stages.0.to.0: must be the code of an administrators' role, such as strapi-editor"],
    ],
    [
      'a required stage that is no text',
      { stages: [stage], requiredToPublish: 1 },
      ['reviewStages.requiredToPublish: must be the name of a stage'],
    ],
    [
      'a required stage that does not exist',
      { stages: [{ name: 'Reviewed' }], requiredToPublish: 'Review' },
      ['reviewStages.requiredToPublish: there is no stage Review: Reviewed'],
    ],
    [
      'a required stage of a type without drafts',
      { stages: [stage], requiredToPublish: 'A' },
      ['reviewStages.requiredToPublish: needs options.draftAndPublish: documents of this type are always published'],
      {},
    ],
    [
      'a type that Strapi stores no stage for',
      { stages: [stage] },
      ['reviewStages: contradicts options.noStageAttribute: Strapi stores no stage for such a type'],
      { options: { noStageAttribute: true } },
    ],
  ] as readonly [string, unknown, readonly string[], object?][]) {
    it(`are refused for ${what}`, async () => deepStrictEqual(await problemsOf(stages, more), expected));
  }
});

for (const engine of engines) {
  describe(`review stages on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let server: SeededServer;
    const rows = async (text: string) => (await server.app.database.rows(text, [])).map((row) => row.map(String));

    before(async () => {
      folder = await makeProject({ contentTypes });
      server = await serveSeeded(engine, folder, {
        locales: [{ code: 'en', name: 'English (en)', default: true }],
        tokens: [{ name: 'full', type: 'full-access' }],
      });
    });
    after(() => server?.stop());

    const send = (method: string, target: string, body?: unknown) =>
      server.request(method, `/api/${target}`, {
        token: server.secrets['full'],
        ...(body === undefined ? {} : { body: { data: body } }),
      });
    const draft = async (type = 'posts'): Promise<string> =>
      (await send('POST', `${type}?status=draft`, { title: 'one' })).body.data.documentId;
    const stageOf = (documentId: string) =>
      rows(`select case when p.published_at is null then 'draft' else 'published' end, s.name from posts p
        join posts_strapi_stage_lnk l on l.post_id = p.id
        join strapi_workflows_stages s on s.id = l.workflow_stage_id where p.document_id = '${documentId}' order by 1`);
    /** Moves a document as a program that writes the tables of Strapi. */
    const move = (documentId: string, stage: string) =>
      server.app.database.transaction((tx) =>
        Promise.resolve(
          tx.rows(
            `update posts_strapi_stage_lnk set workflow_stage_id = (select id from strapi_workflows_stages where name = '${stage}')
              where post_id in (select id from posts where document_id = '${documentId}')`,
            [],
          ),
        ),
      );

    it('are stored as Strapi stores them, and a new document is in the first', async () => {
      deepStrictEqual(
        await rows(`select w.name, s.name, s.color from strapi_workflows w
          join strapi_workflows_stages_workflow_lnk l on l.workflow_id = w.id
          join strapi_workflows_stages s on s.id = l.workflow_stage_id order by l.workflow_stage_ord`),
        [
          [`post (${POST})`, 'To do', '#4945FF'],
          [`post (${POST})`, 'Reviewed', '#328048'],
        ],
      );
      deepStrictEqual(await stageOf(await draft()), [['draft', 'To do']]);
    });

    it('refuse every publication in another stage than the required one, with both stages', async () => {
      const documentId = await draft();
      const refused = [
        await send('PUT', `posts/${documentId}`, { title: 'two' }),
        await send('POST', 'posts', { title: 'three' }),
        await send('POST', `posts/${documentId}/actions/publish`),
        await server.request('POST', '/api/posts/actions/batch', {
          token: server.secrets['full'],
          body: { operations: [{ action: 'publish', documentId }] },
        }),
      ];
      for (const { status, body } of refused) {
        strictEqual(status, 400, JSON.stringify(body));
        match(JSON.stringify(body), /published in the stage \\"Reviewed\\": this one is in the stage \\"To do\\"/);
      }
      const posts = server.app.documents(POST as never) as unknown as {
        publish(o: object): Promise<unknown>;
        update(o: object): Promise<unknown>;
      };
      for (const work of [
        () => posts.publish({ documentId }),
        () => posts.update({ documentId, data: { title: 'four' }, status: 'published' }),
      ]) {
        const error = await work().catch((thrown: Error) => thrown);
        strictEqual((error as Error).name, 'ValidationError');
      }
      deepStrictEqual(await rows('select count(*) from posts where published_at is not null'), [['0']]);
    });

    it('permit publishing in the required stage, which the published row gets', async () => {
      const documentId = await draft();
      await move(documentId, 'Reviewed');
      const { status, body } = await send('PUT', `posts/${documentId}`, { title: 'five' });
      strictEqual(status, 200, JSON.stringify(body));
      deepStrictEqual(await stageOf(documentId), [
        ['draft', 'Reviewed'],
        ['published', 'Reviewed'],
      ]);
      await send('DELETE', `posts/${documentId}`);
      deepStrictEqual(await stageOf(documentId), []);
    });

    it('are invisible to the content API, and cost types without stages nothing', async () => {
      const documentId = await draft();
      const { body } = await send('GET', `posts/${documentId}?status=draft&populate=*`);
      deepStrictEqual(
        Object.keys(body.data).filter((key) => /stage|assignee/.test(key)),
        [],
      );
      strictEqual((await send('GET', 'posts?populate=strapi_stage')).status, 400);
      strictEqual((await send('POST', 'notes', { title: 'one' })).body.data.title, 'one');
    });

    it('follow the schema file: renamed, removed and added stages, and none at all', async () => {
      const file = path.join(folder.dir, 'src/api/post/content-types/post/schema.json');
      const schema = JSON.parse(await readFile(file, 'utf8'));
      const documentId = await draft();
      await move(documentId, 'Reviewed');
      const write = async (stages: unknown) => {
        await writeFile(file, JSON.stringify({ ...schema, reviewStages: stages }));
        await server.app.reload();
      };
      await write({ stages: [{ name: 'Draft' }, { name: 'To do' }, { name: 'Done' }], requiredToPublish: 'Done' });
      deepStrictEqual(await stageOf(documentId), [['draft', 'To do']]);
      strictEqual((await send('PUT', `posts/${documentId}`, { title: 'six' })).status, 400);
      await write(undefined);
      strictEqual((await send('PUT', `posts/${documentId}`, { title: 'seven' })).status, 200);
      deepStrictEqual(await rows('select content_types from strapi_workflows'), [['[]']]);
      await write(schema.reviewStages);
      deepStrictEqual(await rows('select count(*) from strapi_workflows'), [['1']]);
    });

    it('of the tables of Strapi apply to the types that they name', async () => {
      const { database } = server.app;
      const created = await draft('notes');
      await database.transaction(async (tx) => {
        await tx.rows(
          `insert into strapi_workflows (document_id, name, content_types) values ('w', 'Notes', '["api::note.note"]')`,
          [],
        );
        for (const name of ['First', 'Last']) {
          await tx.rows(
            `insert into strapi_workflows_stages (document_id, name, color) values ('${name}', '${name}', '#fff')`,
            [],
          );
        }
        await tx.rows(
          `insert into strapi_workflows_stages_workflow_lnk (workflow_stage_id, workflow_id, workflow_stage_ord)
          select s.id, w.id, s.id from strapi_workflows_stages s, strapi_workflows w where w.name = 'Notes' and s.color = '#fff'`,
          [],
        );
        await tx.rows(
          `insert into strapi_workflows_stage_required_to_publish_lnk (workflow_id, workflow_stage_id)
          select w.id, s.id from strapi_workflows_stages s, strapi_workflows w where w.name = 'Notes' and s.name = 'Last'`,
          [],
        );
      });
      const body = await until('the workflow is known', async () => {
        const answer = await send('PUT', `notes/${created}`, { title: 'two' });
        return answer.status === 400 ? answer.body : undefined;
      });
      match(body.error.message, /stage "Last": this one is in the stage "First"/);
    });
  });
}
