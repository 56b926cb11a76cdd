/** `galley role` and `grants` of `galley apply`: what is added to a role, and what is said of what is taken away. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

const FIND = 'api::note.note.find';
const REGISTER = 'plugin::users-permissions.auth.register';

for (const engine of engines) {
  describe(`the rights of roles on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    /** Answers what a command asks; undefined: there is no terminal. */
    let ask: ((question: string) => Promise<string>) | undefined;
    const galley = async (...args: string[]) => {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const code = await runCommandLine([...args, folder.dir], { env: database.env, print, warn: print, ask });
      return { code, lines };
    };
    const apply = async (fixture: object) => {
      const file = path.join(folder.dir, 'fixture.json');
      await writeFile(file, JSON.stringify(fixture));
      return galley('apply', file);
    };
    const publicActions = async () => {
      const { lines } = await galley('role', 'list', '--json');
      const roles = lines.map((line) => JSON.parse(line) as { type: string; actions: string[] });
      return roles.find(({ type }) => type === 'public')!.actions;
    };

    before(async () => {
      folder = await makeProject({
        contentTypes: { note: contentType('note', { title: { type: 'string' } }) },
        files: {
          'src/api/tool/controllers/tool.js':
            'module.exports = { async list(ctx) { ctx.body = []; }, async wipe(ctx) { ctx.body = []; }, async find(ctx) { ctx.body = []; }, async hook(ctx) { ctx.body = []; } };',
          'src/api/tool/routes/tool.js': `module.exports = { routes: [
            { method: 'GET', path: '/tools', handler: 'tool.list' },
            { method: 'POST', path: '/tools/wipe', handler: 'tool.wipe' },
            { method: 'POST', path: '/tools/import', handler: 'tool.find' },
            { method: 'POST', path: '/tools/hook', handler: 'tool.hook', config: { auth: false } },
            { method: 'GET', path: '/tools/hook', handler: 'tool.hook', config: { auth: false } },
            { method: 'GET', path: '/tools/open', handler: 'tool.list', config: { auth: false } },
          ] };`,
        },
      });
      database = await engine.databaseFor(folder);
    });
    after(async () => {
      await database.drop();
      await folder.remove();
    });

    it('are added by grants, and revoked ones are printed', async () => {
      strictEqual((await apply({ grants: { public: [FIND] } })).code, 0);
      const actions = await publicActions();
      ok(actions.includes(FIND) && actions.includes(REGISTER));
      const { lines } = await apply({ roles: { public: [FIND] } });
      ok(lines.includes(`revoked from public: ${REGISTER}`), lines.join('\n'));
      deepStrictEqual(await publicActions(), [FIND]);
      match((await apply({ grants: { public: [FIND] }, roles: { public: [] } })).lines.join('\n'), /grants\.public/);
    });

    it('can be those of a role that a command has created', async () => {
      match(
        (await galley('role', 'grant', 'editor', '--action', FIND)).lines.join(),
        /; to create it, run npm run -s galley -- role create /,
      );
      deepStrictEqual(await galley('role', 'create', 'editor', '--name', 'Editors'), {
        code: 0,
        lines: ['created the role editor'],
      });
      strictEqual((await galley('role', 'grant', 'editor', '--action', FIND)).code, 0);
      const { lines } = await galley('role', 'list');
      deepStrictEqual(lines.slice(lines.indexOf('editor (Editors)')), ['editor (Editors)', `  ${FIND}`]);
      for (const wrong of ['editor', 'two words']) strictEqual((await galley('role', 'create', wrong)).code, 2);
    });

    it('let everyone write only where that is confirmed', async () => {
      const NOTE = 'api::note.note';
      const before = await publicActions();
      const refused = [
        ['role', 'grant', 'public', '--action', `${NOTE}.create`],
        ['role', 'grant', 'public', '--action', `${NOTE}.*`],
        ['role', 'grant', 'public', '--action', 'plugin::upload.content-api.upload'],
        ['role', 'grant', 'public', '--action', 'api::tool.tool.wipe'],
        ['role', 'grant', 'public', '--action', 'api::tool.tool.find'],
      ];
      for (const args of refused) {
        const { code, lines } = await galley(...args);
        strictEqual(code, 2, lines.join('\n'));
        match(lines.join('\n'), /^This lets everyone .* without signing in \((?:POST|PUT) .*\)\.\n.*--yes/);
      }
      const accounts = await galley('role', 'grant', 'public', '--action', 'plugin::users-permissions.user.find');
      strictEqual(accounts.code, 2);
      const history = await galley('role', 'grant', 'public', '--action', `${NOTE}.findVersions`);
      strictEqual(history.code, 2);
      match(history.lines[0]!, /^This lets everyone .* read unpublished and earlier versions of notes without.*GET /);
      match(accounts.lines[0]!, /^This lets everyone .* list all accounts with their e-mail addresses without.*GET /);
      match(
        (await galley('role', 'grant', 'public', '--action', `${NOTE}.*`)).lines[0]!,
        /create, update, delete, .* notes .*\(POST \/api\/notes, PUT \/api\/notes\/:documentId, DELETE \/api\/notes\/:documentId, /,
      );
      for (const key of ['grants', 'roles']) {
        const { code, lines } = await apply({ [key]: { public: [...before, `${NOTE}.update`] } });
        deepStrictEqual([code, /--yes/.test(lines.join('\n'))], [2, true]);
      }
      deepStrictEqual(await publicActions(), before);
      // reading, other roles, and what every new project permits need no confirmation
      for (const args of [
        ['public', '--action', 'api::tool.tool.list'],
        ['public', '--action', REGISTER],
        ['authenticated', '--action', `${NOTE}.create`],
      ])
        strictEqual((await galley('role', 'grant', ...args)).code, 0);
      const questions: string[] = [];
      const answering = (answer: string) => async (question: string) => {
        questions.push(question);
        return answer;
      };
      ask = answering('');
      strictEqual((await galley('role', 'grant', 'public', '--action', `${NOTE}.create`)).code, 1);
      ask = answering('y');
      strictEqual((await galley('role', 'grant', 'public', '--action', `${NOTE}.create`)).code, 0);
      ask = undefined;
      strictEqual(questions.length, 2);
      // what is granted already is not asked about again
      const again = await apply({ grants: { public: [`${NOTE}.create`] } });
      strictEqual(again.code, 0);
      ok(again.lines.includes('everyone can create notes without signing in: POST /api/notes'), again.lines.join('\n'));
      strictEqual((await galley('role', 'revoke', 'public', '--action', `${NOTE}.create`)).code, 0);
    });

    it('do not hide the routes that need no grant', async () => {
      const { lines } = await apply({});
      deepStrictEqual(
        lines.filter((line) => line.startsWith('everyone can')),
        ['everyone can call api::tool.tool.hook without signing in: POST /api/tools/hook'],
      );
    });

    it('are changed by commands, one by one or all of a type', async () => {
      const granted = await galley('role', 'grant', 'public', '--action', 'api::note.note.*', '--yes');
      ok(granted.lines.includes('granted to public: api::note.note.create'), granted.lines.join('\n'));
      const revoked = await galley('role', 'revoke', 'public', '--action', 'api::note.note.create');
      deepStrictEqual(revoked.lines, ['revoked from public: api::note.note.create']);
      const before = await publicActions();
      const plugin = await galley('role', 'grant', 'public', '--action', 'plugin::users-permissions.*');
      match(plugin.lines.join(), /more than one type or controller: .*plugin::users-permissions\.user\.\*/);
      deepStrictEqual([plugin.code, await publicActions()], [2, before]);
      match((await galley('role', 'grant', 'publik', '--action', FIND)).lines.join(), /did you mean public\?/);
      match((await galley('role', 'grant', 'public', '--action', 'api::note.note.fid')).lines.join(), /did you mean/);
    });

    it('are named in full where an action is written as people write it', async () => {
      const granted = async (word: string) => (await galley('role', 'grant', 'public', '--action', word)).lines.join();
      const before = await publicActions();
      for (const word of [
        ...['notes.find', 'note.find', 'api::notes.notes.find', 'api::note.find', 'note.note.find'],
        ...['Notes.Find', 'api::Note.note.FIND', 'api:note.note.find', 'nots.find'],
      ]) {
        strictEqual(await granted(word), `galley: unknown action ${word}: did you mean ${FIND}?`);
      }
      strictEqual(await granted('auth.register'), `galley: unknown action auth.register: did you mean ${REGISTER}?`);
      strictEqual(await granted('notes.*'), 'galley: unknown action notes.*: did you mean api::note.note.*?');
      for (const word of ['note', 'notes', 'api::note.note', 'api::note.note.']) {
        match(
          await granted(word),
          /names no action: there are api::note\.note\.find, .*, and api::note\.note\.\* for all/,
        );
      }
      strictEqual(await granted('quux.frob'), 'galley: unknown action quux.frob');
      deepStrictEqual(await publicActions(), before);
      const token = ['token', 'create', '--name', 'some', '--type', 'custom', '--permission'];
      match((await galley(...token, 'notes.find')).lines.join(), /: did you mean api::note\.note\.find\?$/);
      match(
        (await apply({ grants: { public: ['notes.find'] } })).lines.join(),
        /public\.0: .* mean api::note\.note\.find\?$/,
      );
    });

    it('are those of a whole type in tokens and files too', async () => {
      const all = await galley(
        ...['token', 'create', '--name', 'all', '--type', 'custom', '--json', '--permission', 'api::note.note.*'],
      );
      const { permissions } = JSON.parse(all.lines[0]!) as { permissions: string[] };
      ok(permissions.includes(FIND) && permissions.includes('api::note.note.delete'));
      strictEqual((await apply({ roles: { authenticated: ['api::note.note.*'] } })).code, 0);
      const { lines } = await galley('role', 'list', '--json');
      const roles = lines.map((line) => JSON.parse(line) as { type: string; actions: string[] });
      const { actions } = roles.find(({ type: of }) => of === 'authenticated')!;
      deepStrictEqual(actions, [...permissions].sort());
    });
  });
}
