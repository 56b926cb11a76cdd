/** The code of a project runs: docs/reference/project-code.md. */
import { deepStrictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
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
      server = await serve(folder, await engine.databaseFor(folder));
      recorded = JSON.parse(await readFile(path.join(PROJECTS, 'magazine-answers.json'), 'utf8'));
      answers = await converse(server.url);
    });
    after(() => server?.stop());

    for (const { name } of CONVERSATION) {
      it(`answers as Strapi does: ${name}`, () => deepStrictEqual(answers[name], recorded[name]));
    }
  });
}
