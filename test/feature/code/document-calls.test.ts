/** What the document service gives to the code of a project, as Strapi 5.54 does: docs/reference/document-service.md. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type ServedActions, serveActions } from '../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../support/servers/project.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true } };

const PROJECT: ProjectFiles = {
  contentTypes: {
    note: contentType(
      'note',
      {
        title: { type: 'string', ...localized },
        code: { type: 'string' },
        parts: { type: 'relation', relation: 'oneToMany', target: 'api::part.part', mappedBy: 'whole' },
      },
      { ...drafts, ...localized },
    ),
    part: contentType('part', {
      name: { type: 'string' },
      whole: { type: 'relation', relation: 'manyToOne', target: 'api::note.note', inversedBy: 'parts' },
    }),
  },
};

const ACTIONS = {
  clones: `const notes = strapi.documents('api::note.note');
    const part = await strapi.documents('api::part.part').create({ data: { name: 'p' } });
    const { documentId } = await notes.create({ data: { title: 'One', code: 'c', parts: [part.documentId] } });
    await notes.update({ documentId, locale: 'de', data: { title: 'Eins' } });
    const shown = ({ entries }) => entries.map(({ title, locale }) => [title, locale]).sort();
    const [plain, german, all] = [await notes.clone({ documentId }), await notes.clone({ documentId, locale: 'de' }), await notes.clone({ documentId, locale: '*', data: { title: 'x' } })];
    const { parts } = await notes.findOne({ documentId, populate: ['parts'] });
    return { plain: shown(plain), german: shown(german), all: shown(all), none: await notes.clone({ documentId: 'none' }), nowhere: await notes.clone({ documentId, locale: 'fr' }), parts: parts.map(({ name }) => name) };`,
};

for (const engine of engines) {
  describe(`documents in the code of a project on ${engine.name}`, () => {
    let served: ServedActions;

    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS);
    });
    after(() => served?.server.stop());

    it('copies the version in the default locale unless told otherwise, and nothing where there is none', async () => {
      deepStrictEqual(await served.run('clones'), {
        plain: [['One', 'en']],
        german: [['Eins', 'de']],
        all: [
          ['x', 'de'],
          ['x', 'en'],
        ],
        none: { entries: [] },
        nowhere: { entries: [] },
        // in the reference the first copy takes them away
        parts: ['p'],
      });
    });
  });
}
