/** Publications of many components: everything is on the site, or nothing is (docs/architecture.md, "Publication"). */
import { deepStrictEqual, rejects } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type App, openProject } from '../../../src/app.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

const PAGE = 'api::page.page';
const PARTS = 'components_parts';
/** More than one statement takes. */
const MANY = 2500;

const project = () =>
  makeProject({
    contentTypes: {
      page: contentType(
        'page',
        {
          title: { type: 'string' },
          parts: { type: 'component', component: 'page.part', repeatable: true },
        },
        { options: { draftAndPublish: true } },
      ),
    },
    components: {
      'page.part': { collectionName: PARTS, info: { displayName: 'Part' }, attributes: { label: { type: 'string' } } },
    },
  });

interface Page {
  readonly documentId: string;
  readonly title: string;
  readonly parts: readonly { readonly id: number; readonly label: string }[];
}

for (const engine of engines) {
  describe(`publishing many components on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let storage: TestDatabase;
    let app: App;
    before(async () => {
      folder = await project();
      storage = await engine.databaseFor(folder);
      app = await openProject(folder.dir, { env: storage.env });
    });
    after(async () => {
      await app?.close();
      await storage?.drop();
      await folder?.remove();
    });

    const pages = () => app.documents(PAGE);
    const read = async (documentId: string, status: 'draft' | 'published') =>
      (await pages().findOne({ documentId, status, populate: 'parts' })) as unknown as Page;
    /** A published page whose draft has other labels in the same components. */
    const changedPage = async (count: number): Promise<string> => {
      const parts = Array.from({ length: count }, () => ({ label: 'before' }));
      const { documentId } = (await pages().create({ data: { title: 'Before', parts }, status: 'published' })) as never;
      const draft = await read(documentId, 'draft');
      const changed = draft.parts.map(({ id }) => ({ id, label: 'after' }));
      await pages().update({ documentId, data: { title: 'After', parts: changed } });
      return documentId;
    };
    const run = (statements: readonly string[]) =>
      app.database.transaction(async (tx) => {
        for (const statement of statements) await tx.rows(statement, []);
      });
    const labels = ({ parts }: Page) => new Set(parts.map(({ label }) => label));

    it('copies each of them, however many statements that takes', async () => {
      const documentId = await changedPage(MANY);
      const { parts } = await read(documentId, 'published');
      await pages().publish({ documentId });
      const published = await read(documentId, 'published');
      deepStrictEqual([published.parts.length, labels(published)], [MANY, new Set(['after'])]);
      deepStrictEqual(
        published.parts.map(({ id }) => id),
        parts.map(({ id }) => id),
      );
    });

    it('publishes nothing when a copy fails', async () => {
      const documentId = await changedPage(3);
      const refusal = engine.name === 'sqlite' ? REFUSING_ON_SQLITE : REFUSING_ON_POSTGRES;
      await run(refusal.begin);
      try {
        await rejects(async () => await pages().publish({ documentId }));
      } finally {
        await run(refusal.end);
      }
      const published = await read(documentId, 'published');
      deepStrictEqual([published.title, labels(published)], ['Before', new Set(['before'])]);
    });
  });
}

/** Triggers that refuse what is copied onto a component. */
const REFUSING_ON_SQLITE = {
  begin: [
    `create trigger refusing before update on "${PARTS}" when new."label" = 'after'
      begin select raise(abort, 'refused'); end`,
  ],
  end: ['drop trigger refusing'],
};
const REFUSING_ON_POSTGRES = {
  begin: [
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    `create trigger refusing before update on "${PARTS}" for each row when (new."label" = 'after')
      execute function refuse()`,
  ],
  end: [`drop trigger refusing on "${PARTS}"`, 'drop function refuse()'],
};
