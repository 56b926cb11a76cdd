/** Code that keeps a transaction open for too long: the log names the code. */
import { match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type App, openProject } from '../../../src/app.ts';
import { AmbientDatabase } from '../../../src/runtime/documents/ambient.ts';
import { loadOwnCode } from '../../../src/runtime/galley/own-code.ts';
import { OwnChangeHooks } from '../../../src/runtime/galley/own-hooks.ts';
import { TRANSACTION_TIME } from '../../../src/runtime/late.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

const GALLEY = `exports.hooks = {
  '*': { afterCommit() {} },
  'api::page.page': {
    beforeWrite() {},
    async inTransaction({ documents }) {
      documents('hook begun');
      await new Promise(() => {});
    },
  },
};`;

describe('a transaction of code that takes too long', () => {
  let folder: ProjectFolder;
  let app: App;

  before(async () => {
    const page = contentType('page', { text: { type: 'string' } });
    folder = await makeProject({ contentTypes: { page }, files: { 'src/galley.js': GALLEY } });
    app = await openProject(folder.dir, { env: { DATABASE_FILENAME: ':memory:' } });
  });
  after(async () => {
    await app?.close();
    await folder?.remove();
  });

  /** Begins work with a clock that stands still, and has its time be up once it has begun. */
  const takesTooLong = async (t: TestContext, work: (begin: () => void) => Promise<unknown>) => {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const refused = rejects(work(resolve), { name: 'ServiceUnavailableError', message: /took longer than 10 seconds/ });
    await begun;
    t.mock.timers.tick(TRANSACTION_TIME);
    await refused;
    t.mock.timers.reset();
  };

  it('has an error with its hook, file and line', async (t) => {
    const lines: string[] = [];
    const own = (await loadOwnCode(folder.dir, app.catalog))!;
    const hooks = new OwnChangeHooks(own, new AmbientDatabase(app.database, () => {}), app.database);
    await takesTooLong(t, (begin) => {
      const documents = () => begin() as never;
      own.connect({ documents, log: (_level, line) => void lines.push(line) });
      hooks.start();
      return app.documents('api::page.page').create({ data: { text: 'a' } });
    });
    hooks.stop();
    strictEqual(lines.length, 1);
    match(
      lines[0]!,
      /^src\/galley\.js:5: a transaction of the project's code took longer than 10 seconds \(inTransaction of api::page\.page\)$/,
    );
    strictEqual(await app.documents('api::page.page').count(), 0);
  });

  it('has an error with the place where it began', async (t) => {
    const failures: unknown[] = [];
    const database = new AmbientDatabase(app.database, (error) => void failures.push(error));
    await takesTooLong(t, (begin) => database.within(() => new Promise(() => begin())));
    strictEqual(failures.length, 1);
    match((failures[0] as Error).stack!, /late-transactions\.test\.ts/);
  });
});
