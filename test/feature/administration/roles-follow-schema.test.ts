/** Roles of administrators that have all fields, locales or types keep having all of them when the schema changes. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { listRolePermissions } from '../../../src/content/roles/role-rows.ts';
import type { Transaction } from '../../../src/db/interface/transaction.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import {
  contentType,
  copyProject,
  makeProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';

const text = { type: 'string' } as const;
const i18n = { pluginOptions: { i18n: { localized: true } } };
const EXPLORER = 'plugin::content-manager.explorer.';
const ALL = 'create, read, update, delete and publish';

/** A project whose schema changes between starts on one database. */
class ChangingProject {
  readonly folder: ProjectFolder;
  readonly database: TestDatabase;

  constructor(folder: ProjectFolder, database: TestDatabase) {
    this.folder = folder;
    this.database = database;
  }

  get env(): Record<string, string> {
    return { ...this.database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };
  }

  async write(name: string, schema: Record<string, unknown> | undefined): Promise<void> {
    const dir = path.join(this.folder.dir, `src/api/${name}`);
    await rm(dir, { recursive: true, force: true });
    if (schema === undefined) return;
    await mkdir(path.join(dir, `content-types/${name}`), { recursive: true });
    await writeFile(path.join(dir, `content-types/${name}/schema.json`), JSON.stringify(schema));
  }

  async writeComponent(name: string, attributes: Record<string, unknown>): Promise<void> {
    const file = path.join(this.folder.dir, `src/components/shared/${name}.json`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify({ collectionName: `components_${name}`, attributes }));
  }

  /** Starts once, and gives what was granted. */
  async start(): Promise<readonly string[]> {
    const app = await openProject(this.folder.dir, { env: this.env });
    await app.close();
    return app.granted;
  }

  /** Does something in a transaction of the database, without opening the project. */
  async inDatabase<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { database } = await openPlain(this.database);
    try {
      return await database.transaction(work);
    } finally {
      await database.close();
    }
  }

  run(...statements: string[]): Promise<void> {
    return this.inDatabase(async (tx) => {
      for (const statement of statements) await tx.rows(statement, []);
    });
  }

  async galley(...args: string[]): Promise<string> {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    await runCommandLine([...args, this.folder.dir], { env: this.env, print, warn: print });
    return lines.join('\n');
  }

  /** What a role may do with a type: fields and locales by operation, sorted. */
  async held(code: string, subject: string): Promise<Record<string, string>> {
    const rows = await this.inDatabase(listRolePermissions);
    const own = rows.filter((row) => row.role.code === code && row.subject === subject);
    const entries = own.map(({ action, properties, conditions }): [string, string] => {
      const { fields = [], locales = [] } = properties as { fields?: string[]; locales?: string[] };
      const parts = [fields, locales, conditions as string[]].map((names) => [...names].sort().join());
      return [action.replace(EXPLORER, ''), parts.join(' | ')];
    });
    strictEqual(new Set(entries.map(([action]) => action)).size, entries.length, 'a permission is there twice');
    return Object.fromEntries(entries.sort());
  }

  /** The fields that a role reads of a type. */
  async reads(code: string, subject: string): Promise<string | undefined> {
    return (await this.held(code, subject))['read']?.split(' | ')[0];
  }

  async locales(code: string, subject: string): Promise<string | undefined> {
    return (await this.held(code, subject))['read']?.split(' | ')[1];
  }
}

for (const engine of engines) {
  describe(`roles of administrators in a database of Galley on ${engine.name}`, () => {
    let project: ChangingProject;
    let server: RunningServer | undefined;
    beforeEach(async () => {
      const folder = await makeProject({ contentTypes: { note: contentType('note', { title: text, mark: text }) } });
      project = new ChangingProject(folder, await engine.databaseFor(folder));
      deepStrictEqual(await project.start(), []);
    });
    afterEach(async () => {
      await server?.stop();
      server = undefined;
      await project.database.drop();
      await project.folder.remove();
    });
    const serveProject = async (): Promise<RunningServer> => {
      const kept = () => Promise.resolve();
      server = await serve(
        { dir: project.folder.dir, remove: kept },
        { env: project.database.env, drop: kept },
        { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' },
      );
      return server;
    };

    it('receive new types as they have the others, once', async () => {
      await project.write('event', contentType('event', { name: text }));
      const both = await Promise.all([project.start(), project.start()]);
      deepStrictEqual(both.flat(), [
        `The role Editor received the new type api::event.event (${ALL}).`,
        'The role Author received the new type api::event.event (create, read, update and delete; only with admin::is-creator).',
      ]);
      deepStrictEqual(await project.held('strapi-editor', 'api::event.event'), {
        create: 'name |  | ',
        delete: ' |  | ',
        publish: ' |  | ',
        read: 'name |  | ',
        update: 'name |  | ',
      });
      const own = { create: 'name |  | admin::is-creator', delete: ' |  | admin::is-creator' };
      const author = await project.held('strapi-author', 'api::event.event');
      deepStrictEqual([author['create'], author['delete'], author['publish']], [own.create, own.delete, undefined]);
      deepStrictEqual(await project.start(), []);
    });

    it('receive no new type once something was taken from them', async () => {
      await project.galley(
        'admin',
        'role',
        'revoke',
        'editor',
        '--type',
        'note',
        '--action',
        'update',
        '--field',
        'mark',
      );
      await project.galley('admin', 'role', 'revoke', 'author', '--type', 'note');
      await project.write('event', contentType('event', { name: text }));
      deepStrictEqual(await project.start(), [
        'The role Editor received the new type api::event.event (create, read, delete and publish).',
      ]);
      // a type that is gone was taken from the role all the same
      await project.write('note', undefined);
      await project.write('page', contentType('page', { name: text }));
      strictEqual((await project.start()).join().includes('Author'), false);
    });

    it('keep all fields, those of components included, and a revoked field stays revoked', async () => {
      await project.writeComponent('seo', { head: text });
      const seo = { type: 'component', component: 'shared.seo' };
      await project.write('note', contentType('note', { title: text, mark: text, seo }));
      await project.start();
      await project.galley('admin', 'role', 'create', 'reader');
      await project.galley('admin', 'role', 'grant', 'reader', '--type', 'note', '--action', 'read');
      await project.galley('admin', 'role', 'create', 'guest');
      await project.galley('admin', 'role', 'grant', 'guest', '--type', 'note', '--action', 'read', '--field', 'title');
      await project.writeComponent('seo', { head: text, image: text });
      await project.write('note', contentType('note', { title: text, mark: text, seo, bio: text }));
      const granted = await project.start();
      deepStrictEqual(granted, [
        'The role Editor received the new fields seo.image and bio (create, read and update) of api::note.note.',
        'The role Author received the new fields seo.image and bio (create, read and update; only with admin::is-creator) of api::note.note.',
        'The role reader received the new fields seo.image and bio (read) of api::note.note.',
      ]);
      strictEqual(await project.reads('reader', 'api::note.note'), 'bio,mark,seo.head,seo.image,title');
      strictEqual(await project.reads('guest', 'api::note.note'), 'title');
      deepStrictEqual(await project.start(), []);
    });

    it('do not receive a revoked field again when it is removed, returns or is renamed', async () => {
      await project.galley('admin', 'role', 'revoke', 'author', '--type', 'note', '--field', 'mark');
      const older = contentType('note', { title: text });
      // as an older version of the schema, and a removed field
      for (const schema of [older, contentType('note', { title: text, mark: text }), older]) {
        await project.write('note', schema);
        deepStrictEqual(await project.start(), []);
      }
      await project.write('note', contentType('note', { title: text, label: text }));
      deepStrictEqual(await project.start(), [
        'The role Editor received the new field label (create, read and update) of api::note.note.',
      ]);
      strictEqual(await project.reads('strapi-author', 'api::note.note'), 'title');
      await project.write('note', contentType('note', { title: text, label: text, mark: text }));
      deepStrictEqual(await project.start(), []);
      strictEqual(await project.reads('strapi-editor', 'api::note.note'), 'label,mark,title');
    });

    it('do not receive a renamed field that was revoked in the table itself', async () => {
      await project.run(
        `update admin_permissions set properties = '{"fields":["title"]}'
          where subject = 'api::note.note' and action = '${EXPLORER}read'`,
      );
      await project.write('note', contentType('note', { title: text, label: text }));
      deepStrictEqual(await project.start(), [
        'The role Editor received the new field label (create and update) of api::note.note.',
        'The role Author received the new field label (create and update; only with admin::is-creator) of api::note.note.',
      ]);
    });

    it('keep all locales when a type gets locales, and when locales are added', async () => {
      await project.galley('admin', 'role', 'create', 'german');
      await project.galley('locale', 'add', 'de');
      await project.write('note', contentType('note', { title: text, mark: text }, i18n));
      const granted = await project.start();
      match(
        granted.join('\n'),
        /^The role Editor received the new locales de and en \(create, read, .*\) of api::note\.note\.$/m,
      );
      strictEqual(await project.locales('strapi-author', 'api::note.note'), 'de,en');
      await project.galley('admin', 'role', 'grant', 'german', '--type', 'note', '--locale', 'de');
      match(
        await project.galley('locale', 'add', 'fr'),
        /The role Editor received the new locale fr \(.*\) of api::note\.note\./,
      );
      const file = path.join(project.folder.dir, 'apply.json');
      await writeFile(file, JSON.stringify({ locales: [{ code: 'es' }] }));
      match(await project.galley('apply', file), /The role Author received the new locale es/);
      const { request } = await serveProject();
      const token = /^[0-9a-f]{256}$/m.exec(
        await project.galley('token', 'create', '--name', 'full', '--type', 'full-access'),
      )?.[0];
      strictEqual(
        (await request('POST', '/api/i18n/locales', { token, body: { code: 'it', name: 'Italian' } })).status,
        200,
      );
      await server?.stop();
      server = undefined;
      strictEqual(await project.locales('strapi-editor', 'api::note.note'), 'de,en,es,fr,it');
      strictEqual(await project.locales('german', 'api::note.note'), 'de');
      await project.run(`insert into i18n_locale (document_id, code, name) values ('pt', 'pt', 'Portuguese')`);
      match((await project.start()).join(), /Editor received the new locale pt/);
      // a locale that is gone and comes back stays taken from a role
      await project.galley('locale', 'remove', 'fr');
      await project.galley('locale', 'add', 'fr');
      strictEqual(await project.locales('german', 'api::note.note'), 'de');
      await project.write('note', contentType('note', { title: text, mark: text }));
      deepStrictEqual(await project.start(), []);
      await project.write('note', contentType('note', { title: text, mark: text }, i18n));
      deepStrictEqual(await project.start(), []);
      strictEqual(await project.locales('german', 'api::note.note'), 'de');
    });

    it('receive nothing more if an operator has listed names, even if these are all', async () => {
      await project.write('note', contentType('note', { title: text }, i18n));
      await project.start();
      const role = (...args: string[]) => project.galley('admin', 'role', ...args);
      const note = ['--type', 'note', '--action', 'read'];
      for (const code of ['english', 'titles', 'whole', 'freed']) await role('create', code);
      const granted = /^granted to english: read api::note\.note \(locale en\)$/;
      match(await role('grant', 'english', ...note, '--locale', 'en'), granted);
      await role('grant', 'titles', ...note, '--field', 'title');
      await role('grant', 'whole', ...note);
      match(await role('grant', 'whole', ...note, '--locale', 'en'), /nothing has changed/);
      await role('grant', 'freed', ...note, '--locale', 'en');
      match(await role('grant', 'freed', ...note), /granted to freed: .*\(locales that are added later\)/);
      match(await role('show', 'english'), /read +all +en +-/);
      match(await role('show', 'titles'), /read +title +all +-/);
      const file = path.join(project.folder.dir, 'roles.json');
      const permissions = [{ type: 'note', actions: ['read'], fields: ['title'], locales: ['en'] }];
      await writeFile(file, JSON.stringify({ administratorRoles: { file: { permissions } } }));
      await project.galley('apply', file);
      // a new row, of which the locales stay restricted
      await role('grant', 'english', ...note, '--condition', 'is-creator', '--locale', 'en');
      await role('grant', 'english', ...note);
      await role('revoke', 'english', '--type', 'note');
      await role('grant', 'english', ...note, '--locale', 'en');
      await project.galley('locale', 'add', 'fr');
      await project.write('note', contentType('note', { title: text, bio: text }, i18n));
      await project.start();
      const reads = async (code: string) => (await project.held(code, 'api::note.note'))['read'];
      strictEqual(await reads('english'), 'bio,title | en | ');
      strictEqual(await reads('titles'), 'title | en,fr | ');
      strictEqual(await reads('whole'), 'bio,title | en,fr | ');
      strictEqual(await reads('freed'), 'bio,title | en,fr | ');
      strictEqual(await reads('file'), 'title | en | ');
      doesNotMatch(await project.galley('apply', file), /granted to|revoked from/);
    });

    it('receive permissions that an earlier version did not grant', async () => {
      await project.write('note', contentType('note', { title: text, mark: text, bio: text }, i18n));
      await project.write('event', contentType('event', { name: text }));
      await project.run(
        `delete from admin_permissions where subject = 'api::event.event'`,
        `update admin_permissions set properties = '{"fields":["title","mark"]}'
          where subject = 'api::note.note' and action in ('${EXPLORER}create', '${EXPLORER}read', '${EXPLORER}update')`,
        `update admin_permissions set properties = '{}'
          where subject = 'api::note.note' and action in ('${EXPLORER}delete', '${EXPLORER}publish')`,
        'delete from galley_admin_role_records',
      );
      deepStrictEqual(
        (await project.start()).filter((sentence) => sentence.includes('Editor')),
        [
          'The role Editor received the new field bio (create, read and update) and the new locale en (create, read, update, delete and publish) of api::note.note.',
          `The role Editor received the new type api::event.event (${ALL}).`,
        ],
      );
    });

    it('are effective at the next request once the schema is loaded again', async () => {
      const running = await serveProject();
      await makeAdministrator(running, 'ed', 'strapi-editor');
      const browser = new Browser(running);
      await browser.signIn('ed');
      await project.write('event', contentType('event', { name: text }));
      const { granted } = await running.app.reload();
      strictEqual(granted.length, 2);
      const made = await browser.send('POST', 'content/api::event.event', { data: { name: 'Fair' } });
      strictEqual(made.status, 201);
    });
  });

  describe(`roles of administrators in a database of Strapi on ${engine.name}`, () => {
    let project: ChangingProject;
    const EVENT = 'api::event.event';
    before(async () => {
      const folder = await copyProject();
      project = new ChangingProject(folder, await engine.fixtureDatabase());
    });
    after(async () => {
      await project?.database.drop();
      await project?.folder.remove();
    });

    const changeEvent = async (change: (attributes: Record<string, unknown>) => void): Promise<void> => {
      const file = path.join(project.folder.dir, 'src/api/event/content-types/event/schema.json');
      const { default: stored } = await import(file, { with: { type: 'json' } });
      change(stored.attributes);
      await writeFile(file, JSON.stringify(stored));
    };

    it('keep all fields from the first start on, and receive no types', async () => {
      await changeEvent((attributes) => {
        attributes['bio'] = text;
      });
      await project.write('extra', contentType('extra', { name: text }));
      deepStrictEqual(await project.start(), [
        'The role Editor received the new field bio (create, read and update) of api::event.event.',
        'The role Author received the new field bio (create, read and update; only with admin::is-creator) of api::event.event.',
      ]);
      deepStrictEqual(await project.held('strapi-editor', 'api::extra.extra'), {});
      // a type with locales of which the role has none
      strictEqual(await project.locales('strapi-editor', 'api::article.article'), '');
      deepStrictEqual(await project.start(), []);
    });

    it('keep all fields of a type whose renamed field Strapi has removed from their permissions', async () => {
      await project.galley('admin', 'role', 'revoke', 'author', '--type', EVENT, '--field', 'bio');
      await project.inDatabase(async (tx) => {
        for (const { id, properties, subject, role } of await listRolePermissions(tx)) {
          const { fields } = properties as { fields?: string[] };
          if (subject !== EVENT || fields === undefined) continue;
          // Super Admin has everything that the schema has, by now under the other name
          const cleaned = fields.filter((name) => name !== 'notes');
          if (role.code === 'strapi-super-admin') cleaned.push('remarks');
          const next = JSON.stringify({ ...(properties as object), fields: cleaned });
          await tx.rows(`update admin_permissions set properties = '${next}' where id = ${id}`, []);
        }
      });
      await changeEvent((attributes) => {
        attributes['remarks'] = attributes['notes'];
        delete attributes['notes'];
      });
      deepStrictEqual(await project.start(), [
        'The role Editor received the new field remarks (create, read and update) of api::event.event.',
      ]);
    });
  });
}
