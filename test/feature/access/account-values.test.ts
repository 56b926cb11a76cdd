/** Conditions of rules of access that compare with values of the caller's account: docs/extending.md, "Access". */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { extendedUser } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const to = (relation: string, target: string, rest = {}) => ({ type: 'relation', relation, target, ...rest });
const text = { type: 'string' };
const integer = { type: 'integer' };

const contentTypes = {
  company: contentType('company', { name: text, plan: text, key: { ...text, private: true }, boss: { type: 'json' } }),
  team: contentType('team', { name: text, rank: integer }, { options: { draftAndPublish: true } }),
  post: contentType(
    'post',
    {
      title: text,
      mail: { type: 'email' },
      rank: integer,
      from: { type: 'date' },
      company: to('manyToOne', 'api::company.company'),
      team: to('manyToOne', 'api::team.team'),
      tags: to('manyToMany', 'api::tag.tag'),
    },
    { options: { draftAndPublish: true } },
  ),
  tag: contentType('tag', { name: text, mail: text }),
};
const USER = extendedUser({
  level: integer,
  note: { ...text, private: true },
  company: to('manyToOne', 'api::company.company'),
  hidden: to('manyToOne', 'api::company.company', { private: true }),
  teams: to('manyToMany', 'api::team.team'),
});

const rules = (find: string) => `exports.access = { 'api::post.post': { find: ${find}, update: ${find} } };`;

const project = (find: string): Promise<ProjectFolder> =>
  makeProject({
    contentTypes,
    files: { ...USER, 'src/galley.js': rules(find) },
  });

const granted = ['find', 'update', 'create'].map((name) => `api::post.post.${name}`);
const fixture = {
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'custom', type: 'custom', permissions: granted },
  ],
  roles: { authenticated: granted, public: ['plugin::users-permissions.auth.register', ...granted] },
};

/** Each condition with the posts that it shows ann, bob, and who has no account: of a value of theirs no test is met. */
const CONDITIONS: readonly [condition: string, ann: string, bob: string, others?: string][] = [
  ["{ mail: '$user.email' }", 'a', 'b'],
  ["{ mail: { $ne: '$user.email' } }", 'b c d', 'a c d'],
  ["{ $not: { mail: '$user.email' } }", 'b c d', 'a c d'],
  ["{ company: { name: '$user.company.name' } }", 'a c', ''],
  ["{ company: '$user.company.id' }", 'a c', ''],
  ["{ company: { $ne: '$user.company.id' } }", 'b', ''],
  ["{ $not: { company: '$user.company.id' } }", 'b', ''],
  ["{ rank: { $lte: '$user.level' } }", 'a b', 'a b c'],
  ["{ rank: { $between: [2, '$user.level'] } }", 'b', 'b c'],
  ["{ title: { $in: ['d', '$user.username'] } }", 'd', 'd', 'd'],
  ["{ team: { name: { $in: '$user.teams.name' } } }", 'a b', 'b'],
  ["{ team: { name: { $notIn: '$user.teams.name' } } }", 'c', 'a c'],
  ["{ $not: { team: { name: { $in: '$user.teams.name' } } } }", 'c', 'a c'],
  ["{ team: { name: { $in: ['blue', '$user.teams.name'] } } }", 'a b c', 'b c', 'c'],
  ["{ $or: [{ mail: '$user.email' }, { rank: { $in: '$user.teams.rank' } }] }", 'a b', 'b'],
  ["{ $and: [{ mail: { $ne: '$user.role.type' } }, { tags: { mail: '$user.email' } }] }", 'c', ''],
];

for (const engine of engines) {
  describe(`conditions on values of the caller's account on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    const tokens: Record<string, string | undefined> = {};
    const teams: Record<string, number> = {};
    const ids: Record<string, string> = {};
    let acme: number;
    before(async () => {
      folder = await project('true');
      server = await serveSeeded(engine, folder, fixture);
      tokens['custom'] = server.secrets['custom'];
      const { app } = server;
      const make = async (uid: string, data: object, status?: 'published') => {
        const made = await app.documents(uid as 'api::post.post').create({ data, ...(status && { status }) });
        ids[(data as { title?: string }).title ?? ''] = made.documentId;
        return made.id;
      };
      acme = await make('api::company.company', { name: 'Acme' });
      const other = await make('api::company.company', { name: 'Other' });
      for (const [index, name] of ['red', 'green', 'blue'].entries()) {
        teams[name] = await make('api::team.team', { name, rank: index + 1 }, 'published');
      }
      const tag = await make('api::tag.tag', { name: 't', mail: 'ann@example.com' });
      const posts = [
        { title: 'a', mail: 'ann@example.com', rank: 1, company: acme, team: teams['red'] },
        { title: 'b', mail: 'bob@example.com', rank: 2, company: other, team: teams['green'] },
        { title: 'c', mail: 'cat@example.com', rank: 3, company: acme, team: teams['blue'], tags: [tag] },
        { title: 'd', mail: 'dan@example.com' },
      ];
      for (const data of posts) await make('api::post.post', data, 'published');
      for (const username of ['ann', 'bob']) {
        const body = { username, email: `${username}@example.com`, password: 'secret1' };
        const answer = (await server.request('POST', '/api/auth/local/register', { body })).body;
        tokens[username] = answer.jwt;
        ids[username] = answer.user.id;
      }
    });
    after(() => server?.stop());

    const set = async (username: string, body: object) => {
      const answer = await server.request('PUT', `/api/users/${ids[username]}`, {
        token: server.secrets['full'],
        body,
      });
      strictEqual(answer.status, 200, answer.text);
    };
    const ofAnn = () => ({ level: 2, company: acme, teams: [teams['red'], teams['green']] });
    const asked = async (condition: string) => {
      await writeFile(path.join(folder.dir, 'src/galley.js'), rules(condition));
      await server.app.reload();
      await set('ann', ofAnn());
      await set('bob', { level: 3, company: null, teams: [teams['green']] });
    };
    const shown = async (as?: string) => {
      const { body, text: whole } = await server.get('/api/posts?sort=title', tokens[as ?? '']);
      if (!Array.isArray(body.data)) throw new Error(whole);
      strictEqual(body.meta.pagination.total, body.data.length);
      return body.data.map(({ title }: { title: string }) => title).join(' ');
    };
    const put = async (as: string) => {
      const target = `/api/posts/${ids['a']}?status=draft`;
      return (await server.request('PUT', target, { token: tokens[as], body: { data: { title: 'a' } } })).status;
    };

    for (const [condition, ann, bob, others = ''] of CONDITIONS) {
      it(`hold for reads and writes, and of nothing where there is no account: ${condition}`, async () => {
        await asked(condition);
        deepStrictEqual([await shown('ann'), await shown('bob')], [ann, bob]);
        deepStrictEqual([await shown(), await shown('custom')], [others, others]);
        strictEqual(await put('ann'), ann.split(' ').includes('a') ? 200 : 404);
        strictEqual(await put('custom'), 404);
      });
    }

    it('follow changes of the account at once', async () => {
      await asked("{ $or: [{ company: '$user.company.id' }, { team: { name: { $in: '$user.teams.name' } } }] }");
      strictEqual(await shown('bob'), 'b');
      await set('bob', { company: acme });
      strictEqual(await shown('bob'), 'a b c');
      await set('bob', { company: null, teams: [teams['blue']] });
      strictEqual(await shown('bob'), 'c');
    });
  });
}

describe('conditions on missing values of a caller', () => {
  const refused: readonly [condition: string, message: RegExp][] = [
    ["{ mail: '$user.emial' }", /no value \$user\.emial: did you mean email\? There are .*username/],
    ["{ mail: '$user.password' }", /password is private/],
    ["{ mail: '$user.resetPasswordToken' }", /resetPasswordToken is private/],
    ["{ mail: '$user.note' }", /note is private/],
    ["{ mail: '$user.hidden.name' }", /hidden is private/],
    ["{ mail: '$user.company.key' }", /key is private/],
    ["{ mail: '$user.createdBy.email' }", /createdBy leads to no value/],
    [
      "{ company: '$user.company' }",
      /no value \$user\.company: name one of its attributes, such as \$user\.company\.id/,
    ],
    ["{ mail: '$user.company.boss' }", /of type json cannot be compared with mail/],
    ["{ mail: '$user.level' }", /of type integer cannot be compared with mail, which is of type email/],
    ["{ from: { $lt: '$user.company.name' } }", /of type string cannot be compared with from, which is of type date/],
    ["{ mail: { $contains: '$user.email' } }", /cannot be compared by \$contains: there are \$eq, /],
    ["{ mail: { $eqi: '$user.email' } }", /cannot be compared by \$eqi/],
    ["{ rank: '$user.teams.rank' }", /may have several values teams\.rank: use \$in or \$notIn/],
    ["{ rank: '$user.' }", /no value \$user\./],
    ["{ rank: '$user' }", /no value \$user: there is \$user\.id/],
    ["{ rank: '$user.id.id' }", /id leads to no value/],
  ];
  for (const [condition, message] of refused) {
    it(`keep the project from being opened: ${condition}`, async () => {
      const folder = await project(condition);
      try {
        await rejects(openProject(folder.dir, { env: { DATABASE_FILENAME: ':memory:' } }), (error: Error) => {
          match(error.message, /^src\/galley\.js:1: access of api::post\.post, find: /);
          match(error.message, message);
          return true;
        });
      } finally {
        await folder.remove();
      }
    });
  }
});
