/** `galley trash list|restore|empty`: lists deleted documents, files and folders, restores them, and deletes them for good. */
import type { App } from '../app.ts';
import { MainFields } from '../content/administration/arrangement.ts';
import { ContentError, UsageError } from '../errors.ts';
import { restoreInLibrary } from '../history/library-restoring.ts';
import { listShownDeletions, type ShownDeletion } from '../history/shown-deletions.ts';
import { deleteForGood, isOfLibrary, readDeletion } from '../history/trash.ts';
import type { TrashLoss } from '../history/trash-links.ts';
import { restoreDeletion, type TrashContext, typeOf } from '../history/trash-restoring.ts';
import { layoutOf } from '../schema/layout/layout.ts';
import { argumentCommand, type Command, integerFlag, readArguments } from './command.ts';
import { inProject } from './in-project.ts';
import { type Columns, iso, listing, second } from './lists.ts';

/** The default and the largest value of `--limit`. */
const LISTED = 50;
const MOST = 1000;

const TYPE = `--type T     uid of a type, such as api::article.article`;

const listDeletedCommand: Command = {
  name: 'trash list',
  summary: 'list deleted documents, files and folders',
  help: `galley trash list [--type T] [--limit N] [--json] [DIR]

Lists the documents, files and folders in the trash of the project in DIR (default: the working folder), the last deleted
one first: id, time of the deletion, type, document, name, locales, and the person or program that deleted it. Times are
UTC.

  ${TYPE}
  --limit N    number of documents (default: ${LISTED})
  --json       prints one JSON object per line`,
  async run(args, { env, print, warn }) {
    const { flag, switched, positionals } = readArguments(
      'trash list',
      args,
      { type: { type: 'string' }, limit: { type: 'string' }, json: { type: 'boolean' } },
      ['DIR'],
    );
    const most = integerFlag('limit', flag('limit'), 1, MOST) ?? LISTED;
    const listed = await inProject(positionals[0], { env, warn }, async (app) =>
      (await deletedIn(app, flag('type'), most)).map(shownOf),
    );
    for (const line of listing(listed, switched('json'), TABLE)) print(line);
    return 0;
  },
};

const restoreDeletedCommand = argumentCommand({
  name: 'trash restore',
  summary: 'restore a deleted document, file or folder',
  argument: 'ID',
  about: `Restores a document, file or folder in the trash of the project in DIR (default: the working folder) under its former id,
and prints what could not come back. ID is that of trash list. Code of the project runs as when a document is created.`,
  run: (id, dir, { env, print, warn }) =>
    inProject(dir, { env, warn, usesSecrets: true }, async (app) => {
      const { documentId, losses } = await restored(app, numberOf(id));
      for (const { path, reason, target, source } of losses) {
        const end = source ?? target;
        warn([path, reason, end?.type, end?.documentId].filter((part) => part !== undefined).join(' '));
      }
      print(`restored ${documentId}`);
      return 0;
    }),
});

const emptyTrashCommand: Command = {
  name: 'trash empty',
  summary: 'delete what is in the trash for good',
  help: `galley trash empty [--type T] [DIR]

Deletes the documents, files and folders in the trash of the project in DIR (default: the working folder) for good, with
their versions and what is stored of them.

  ${TYPE}`,
  async run(args, { env, print, warn }) {
    const { flag, positionals } = readArguments('trash empty', args, { type: { type: 'string' } }, ['DIR']);
    const count = await inProject(positionals[0], { env, warn }, async (app) => {
      const { catalog, database, layout, stores } = app;
      const tables = new Map([...catalog.contentTypes.keys()].map((uid) => [uid, layoutOf(layout, uid).table]));
      const forgetting = { database, tables, stores: stores.stores };
      let deleted = 0;
      for (
        let all = await deletedIn(app, flag('type'), MOST);
        all.length > 0;
        all = await deletedIn(app, flag('type'), MOST)
      ) {
        for (const { deletion } of all) {
          if (await deleteForGood(forgetting, deletion)) deleted += 1;
        }
      }
      return deleted;
    });
    print(count === 1 ? '1 entry was deleted for good' : `${count} entries were deleted for good`);
    return 0;
  },
};

/** The deleted documents of a type, or of all. @throws UsageError for an unknown type. */
async function deletedIn(app: App, uid: string | undefined, most: number): Promise<readonly ShownDeletion[]> {
  const { catalog, database, views } = app;
  if (uid !== undefined && !catalog.contentTypes.has(uid)) throw new UsageError(`there is no content type ${uid}`);
  const mainFieldOf = await new MainFields(database).of(views.code.view);
  return (
    await listShownDeletions(
      { db: database, catalog, mainFieldOf },
      { documents: views.code, files: views.code },
      { uid },
      most,
    )
  ).deletions;
}

/** Restores a document, with the project's code around it. */
async function restored(app: App, id: number) {
  const { catalog, layout, writer, reader, database, views } = app;
  const running = await app.startCode();
  try {
    const editing: TrashContext['editing'] = running?.administration.editing ?? {
      database,
      reader,
      together: (work) => database.transaction((tx) => work(tx, { steps: writer.inside(tx) })),
    };
    const { code } = views;
    const deletion = await readDeletion(database, id);
    if (isOfLibrary(deletion.uid)) {
      const { context } = running?.builtIn.writers.media ?? app.media;
      const losses: TrashLoss[] = [];
      for (;;) {
        const restored = await restoreInLibrary(context, { documents: code, files: code }, deletion);
        losses.push(...restored.losses);
        if (restored.left === 0) return { ...restored, losses };
      }
    }
    const restorer = { create: code, publish: code };
    return await restoreDeletion(
      { catalog, layout, writer, whole: code.view, editing },
      restorer,
      typeOf({ catalog }, deletion),
      deletion,
    );
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    if (error.name === 'NotFoundError') throw new UsageError(`nothing in the trash has the id ${id}; see trash list`);
    throw new UsageError(error.message);
  } finally {
    await running?.close();
  }
}

/** @throws UsageError for anything but the id of a deletion. */
function numberOf(word: string): number {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  throw new UsageError(`trash restore takes the id that trash list prints, not ${word}`);
}

function shownOf({ deletion, name }: ShownDeletion) {
  const { id, uid, documentId, rows, deletedAt, deletedBy } = deletion;
  const locales = [...new Set(rows.flatMap(([, locale]) => locale ?? []))];
  return { id, deletedAt: iso(deletedAt), type: uid, documentId, name, locales, deletedBy };
}

const TABLE: Columns<ReturnType<typeof shownOf>> = {
  heads: ['id', 'deleted', 'type', 'document', 'name', 'locales', 'by'],
  cells: ({ id, deletedAt, type, documentId, name, locales, deletedBy }) => [
    ...[String(id), second(Date.parse(deletedAt)), type, documentId, name ?? '', locales.join(' ')],
    deletedBy.name ?? deletedBy.kind,
  ],
};

export const trashCommands: readonly Command[] = [listDeletedCommand, restoreDeletedCommand, emptyTrashCommand];
