/** A process ends on SIGTERM although the project's code holds a timer, as in Strapi. */
import { strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { startProcess } from '../../support/servers/process.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';

it('a process whose code holds a timer ends when it is stopped', { timeout: 60_000 }, async () => {
  const folder = await makeProject({
    contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
    files: {
      'src/api/note/services/note.js':
        "setInterval(() => {}, 60000);\nmodule.exports = require('@strapi/strapi').factories.createCoreService('api::note.note');",
    },
  });
  try {
    const { child } = await startProcess(folder.dir, {
      ...{ API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret', PORT: '0' },
      ...{ DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: '.tmp/data.db' },
    });
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = (await ended) as [number];
    strictEqual(code, 0);
  } finally {
    await folder.remove();
  }
});
