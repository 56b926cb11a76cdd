/** What the log tells of a disk or a database that is gone (docs/reference/http.md, "Log"). */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { formOf, note } from '../../support/media/uploads.ts';
import { startProgram } from '../../support/servers/program.ts';
import { until } from '../../support/wait.ts';

const UPLOADS = 40;

for (const engine of engines) {
  describe(`a disk that fails on ${engine.name}`, () => {
    it('answers clients with 503 and Retry-After, and logs few lines with the cause, and one at its end', async () => {
      const program = await startProgram(engine);
      try {
        const headers = { authorization: `Bearer ${program.secrets['full']}` };
        const send = () => fetch(`${program.url}/api/upload`, { method: 'POST', headers, body: formOf([note()]) });
        const uploads = path.join(program.dir, 'public/uploads');
        await mkdir(uploads, { recursive: true });
        // not a folder any more
        await rename(uploads, `${uploads}-away`);
        await writeFile(uploads, '');
        const answers = await Promise.all(Array.from({ length: UPLOADS }, send));
        for (const answer of answers) {
          deepStrictEqual([answer.status, answer.headers.get('retry-after')], [503, '2']);
          const { error } = (await answer.json()) as { error: { name: string; message: string } };
          deepStrictEqual(
            [error.name, error.message],
            ['ServiceUnavailableError', 'Files cannot be stored at the moment'],
          );
        }
        await rm(uploads);
        await rename(`${uploads}-away`, uploads);
        strictEqual((await send()).status, 201);
        await until('the end is told', () => program.errors().includes('outage over'));
        const [end, ...rest] = (await program.log()).toReversed();
        const lines = rest.toReversed();
        deepStrictEqual([end!['level'], end!['failures'], end!.err!['code']], ['warn', UPLOADS, 'ENOTDIR']);
        deepStrictEqual([...new Set(lines.map(({ level, msg }) => `${level} ${msg}`))], ['error outage']);
        for (const { err, status, path: asked } of lines) {
          deepStrictEqual([status, asked, err!['code']], [503, '/api/upload', 'ENOTDIR']);
          match(err!['message']!, /not a directory/);
          strictEqual(err!['stack'], undefined);
        }
        strictEqual(lines[0]!['more'], undefined);
        ok(lines.length < UPLOADS / 2, `${lines.length} lines`);
        const told = lines.reduce((sum, { more }) => sum + 1 + Number(more ?? 0), 0);
        strictEqual(told, UPLOADS);
      } finally {
        await program.remove();
      }
    });
  });
}
