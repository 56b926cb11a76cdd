/** Sample content of a project: `seed.json`, loaded when the project starts on an empty database. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { FULL_ACCESS } from '../access/grants.ts';
import type { App } from '../app.ts';
import { ContentError, UsageError } from '../errors.ts';
import type { WrittenData } from '../query/body.ts';
import { grantableActions } from '../users/actions.ts';
import { applyFixture } from './apply.ts';
import { checkFixture, readJson } from './fixture-file.ts';

type SeededDocument = WrittenData & { readonly documentId: string };

/** The form of the file: what `galley apply` takes, and documents by type in the order in which they are made. */
interface Seed {
  readonly apply?: unknown;
  readonly content?: Readonly<Record<string, SeededDocument | readonly SeededDocument[]>>;
}

/**
 * Loads a project's `seed.json` if its database is new, and gives the secrets of the tokens that it made.
 *
 * @throws UsageError in one line for a file that does not fit the project.
 */
export async function loadSeed(app: App): Promise<ReadonlyMap<string, string>> {
  const file = path.join(app.config.dir, 'seed.json');
  if (!app.fresh || !existsSync(file)) return new Map();
  const { apply, content = {} } = readJson(file) as Seed;
  const fixture = checkFixture(file, apply ?? {}, grantableActions(app.catalog));
  const { secrets } = await applyFixture(app, fixture, new Map());
  for (const [uid, documents] of Object.entries(content)) {
    const type = app.catalog.contentTypes.get(uid);
    if (!type) throw new UsageError(`${file}: content: unknown type ${uid}`, 1);
    for (const { documentId, ...data } of [documents].flat()) {
      const request = { type, data, documentId, grants: FULL_ACCESS, status: 'published', locale: undefined } as const;
      try {
        await app.writer.create({ ...request, shape: {}, mayLocalize: true });
      } catch (error) {
        if (!(error instanceof ContentError)) throw error;
        throw new UsageError(`${file}: content.${uid} ${documentId}: ${error.message}`, 1);
      }
    }
  }
  return secrets;
}
