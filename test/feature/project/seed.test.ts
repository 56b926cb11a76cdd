/** Sample content of a project, `seed.json`: all of it is loaded, or none, and what is wrong is told in one line. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { loadSeed } from '../../../src/cli/seed.ts';
import { selectRows } from '../../../src/db/interface/statements.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';

const NOTE = 'api::note.note';
const localized = { pluginOptions: { i18n: { localized: true } } };
const contentTypes = {
  note: contentType(
    'note',
    {
      text: { type: 'string', required: true, ...localized },
      file: { type: 'media', multiple: false },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
};
const NIGHT = 86_400_000;
const seedOf = (last: object): string =>
  JSON.stringify({
    apply: { locales: [{ code: 'en', default: true }, { code: 'de' }] },
    files: [{ file: 'seed/words.txt', folder: 'Papers', caption: 'Words' }],
    content: {
      [NOTE]: [
        { documentId: 'one', daysAgo: 9, data: { text: 'One', file: { $file: 'seed/words.txt' } } },
        { documentId: 'one', locale: 'de', status: 'draft', daysAgo: 4, data: { text: 'Eins' } },
        { documentId: 'one', status: 'draft', daysAgo: 2, data: { text: 'One and a half' } },
        last,
      ],
    },
  });

for (const engine of engines) {
  describe(`sample content on ${engine.name}`, () => {
    it('is loaded as a whole, with the files that an earlier start has stored', async () => {
      const database = await engine.emptyDatabase();
      const seed = seedOf({ documentId: 'two', data: { text: null } });
      const project = await makeProject({
        contentTypes,
        files: { 'seed.json': seed, 'seed/words.txt': 'six hours' },
      });
      const start = async () => {
        const app = await openProject(project.dir, { env: database.env });
        return loadSeed(app).then(
          () => app,
          async (error: Error) => {
            const notes = await app.documents(NOTE).count({ status: 'draft' });
            await app.close();
            return { message: error.message, notes };
          },
        );
      };
      try {
        const refused = (await start()) as { message: string; notes: number };
        match(refused.message, /seed\.json: content\.api::note\.note two: text /);
        strictEqual(refused.notes, 0);
        const file = path.join(project.dir, 'seed.json');
        await writeFile(file, seedOf({ documentId: 'two', data: { text: 'Two', file: { $file: 'seed/none.txt' } } }));
        match(((await start()) as { message: string }).message, /seed\/none\.txt is not one of the files$/);
        await writeFile(file, seedOf({ documentId: 'two', data: { text: 'Two' } }));
        const app = (await start()) as Awaited<ReturnType<typeof openProject>>;
        const notes = app.documents(NOTE);
        const versions = await Promise.all([
          notes.findOne({ documentId: 'one', status: 'published', populate: ['file'] }),
          notes.findOne({ documentId: 'one', status: 'draft' }),
          notes.findOne({ documentId: 'one', status: 'draft', locale: 'de' }),
          notes.findOne({ documentId: 'two', status: 'published' }),
        ]);
        const nights = (time: string) => Math.round((Date.now() - Date.parse(time)) / NIGHT);
        deepStrictEqual(
          versions.map((one) => [one!['text'], nights(one!['updatedAt']), nights(one!['createdAt'])]),
          [
            ['One', 9, 9],
            ['One and a half', 2, 9],
            ['Eins', 4, 4],
            ['Two', 0, 0],
          ],
        );
        strictEqual(await notes.findOne({ documentId: 'one', status: 'published', locale: 'de' }), null);
        deepStrictEqual([versions[0]!['file'].name, versions[0]!['file'].caption], ['words.txt', 'Words']);
        strictEqual(await app.documents('plugin::upload.file').count({}), 1);
        // administrators write in the languages of the content
        const stored = await selectRows(app.database, 'admin_permissions', ['properties'], {});
        const properties = stored.map(([one]) => (typeof one === 'string' ? JSON.parse(one) : one));
        const locales = properties.filter((one) => 'locales' in one).map((one) => one.locales.join());
        deepStrictEqual([...new Set(locales)], ['de,en']);
        await app.close();
      } finally {
        await project.remove();
        await database.drop();
      }
    });
  });
}
