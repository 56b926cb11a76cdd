/** The code of a project runs: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CONVERSATION, converse, type StepAnswer } from '../../support/code/conversation.ts';
import { engines } from '../../support/databases/databases.ts';
import { copyProject, type RunningServer, serve } from '../../support/servers/project.ts';

const PROJECTS = path.join(import.meta.dirname, '../../projects');

for (const engine of engines) {
  describe(`a project whose code runs on ${engine.name}`, () => {
    let server: RunningServer;
    let answers: Record<string, StepAnswer>;
    let recorded: Record<string, StepAnswer>;

    before(async () => {
      const folder = await copyProject(path.join(PROJECTS, 'magazine'));
      const uploads = path.join(folder.dir, 'public/uploads');
      await mkdir(uploads, { recursive: true });
      await writeFile(path.join(uploads, 'hello.txt'), 'hello world');
      server = await serve(folder, await engine.databaseFor(folder));
      recorded = JSON.parse(await readFile(path.join(PROJECTS, 'magazine-answers.json'), 'utf8'));
      answers = await converse(server.url);
    });
    after(() => server?.stop());

    it('has its middlewares around stored files, parts of them and their headers alone', async () => {
      const ask = (method: string, headers = {}) => server.request(method, '/uploads/hello.txt', { headers });
      const whole = await ask('GET');
      deepStrictEqual([whole.status, whole.text, whole.headers.get('x-time')], [200, 'hello world', 'measured']);
      const part = await ask('GET', { range: 'bytes=0-4' });
      deepStrictEqual([part.status, part.text], [206, 'hello']);
      const head = await ask('HEAD');
      deepStrictEqual([head.status, head.headers.get('content-length')], [200, '11']);
      strictEqual((await server.request('GET', '/apiary')).status, 404);
    });

    for (const { name } of CONVERSATION) {
      it(`answers as Strapi does: ${name}`, () => deepStrictEqual(answers[name], recorded[name]));
    }
  });
}
