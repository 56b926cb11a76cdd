/** `galley index …`: the indexes that make lists fast, those that reads have asked for, and those made by hand. */
import { statSync } from 'node:fs';
import type { App } from '../app.ts';
import { createIndex, dropIndexOf, indexExists } from '../db/indexes/building.ts';
import { indexKey, type LearnedDefinition } from '../db/indexes/index-learner.ts';
import { columnsOf, print as printIndex } from '../db/indexes/learned-indexes.ts';
import {
  existingIndexes,
  forgetIndex,
  type IndexOrigin,
  named,
  type StoredIndex,
  storedIndexes,
  storeIndex,
} from '../db/indexes/stored-indexes.ts';
import { UsageError } from '../errors.ts';
import { meant, nearest } from '../nearest.ts';
import type { ContentType } from '../schema/catalog.ts';
import { isIndexable, isSearched } from '../schema/layout/column-types.ts';
import { type ColumnDefinition, layoutOf } from '../schema/layout/layout.ts';
import { ROWS_OF_STATUS } from '../schema/layout/model-indexes.ts';
import { type Command, readArguments, type Surroundings } from './command.ts';
import { inProject } from './in-project.ts';
import { iso, listing } from './table.ts';

export const indexListCommand: Command = {
  name: 'index list',
  summary: 'list the indexes that make lists fast',
  help: `galley index list [--json] [DIR]

Lists the indexes of Galley's own in the database of the project in DIR (default: the working folder): name, table,
columns, why it is there (the schema, a learned one, by command), whether it has been built, and when reads last had use
for a learned one.

  --json  a JSON object a line`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('index list', args, { json: { type: 'boolean' } }, ['DIR']);
    const indexes = await inProject(positionals[0], { env, warn }, async (app) => {
      const existing = await app.engine.introspect(app.database);
      await app.database.search?.refresh();
      const shown = (of: string, index: LearnedDefinition, origin: string, usedAt?: number) => {
        const built = indexExists(app.database, existing, { table: of, index });
        return {
          name: index.name,
          table: of,
          columns: columnsOf(index, app.engine),
          origin,
          built,
          usedAt: iso(usedAt),
        };
      };
      const ofSchema = app.layout.tables.flatMap(({ name, ownIndexes = [] }) =>
        ownIndexes
          .filter((index) => !index.ordered || app.engine.ddl.byCodePoint)
          .map((index) => shown(name, index, 'schema')),
      );
      const own = (await existingIndexes(app.database)).map(({ table: of, index, origin, usedAt }) =>
        shown(of, index, origin, origin === 'learned' ? usedAt : undefined),
      );
      return [...ofSchema, ...own];
    });
    const lines = listing(indexes, switched('json'), {
      heads: ['name', 'table', 'columns', 'because of', 'built', 'last used'],
      cells: ({ name, table, columns, origin, built, usedAt = '' }) => [
        ...[name, table, columns, origin, built ? 'yes' : 'no', usedAt.slice(0, 10)],
      ],
    });
    for (const line of lines) print(line);
    return 0;
  },
};

export const indexSuggestCommand: Command = {
  name: 'index suggest',
  summary: 'list the indexes that slow reads have lacked',
  help: `galley index suggest [--json] [DIR]

Lists the indexes that reads of the project in DIR (default: the working folder) have lacked and that were not made: with
\`indexes: 'suggest'\` in config/database, or where a table has as many learned ones as it may have, or too many rows to
build one unasked. The slow reads that lacked it and what they took stand beside it.
\`galley index create NAME\` makes one; \`galley explain\` tells of a single request what it lacks. Behind them are those
that Galley has made by itself.

  --json  a JSON object a line, of those that were not made`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('index suggest', args, { json: { type: 'boolean' } }, ['DIR']);
    const [suggested, learned] = await inProject(positionals[0], { env, warn }, async ({ database, engine }) => {
      const kept = (await storedIndexes(database)).toSorted((one, other) => other.milliseconds - one.milliseconds);
      const shown = (wanted: IndexOrigin) =>
        kept
          .filter(({ origin }) => origin === wanted)
          .map(({ table: of, index, reads, milliseconds }) => {
            return { name: index.name, table: of, columns: columnsOf(index, engine), reads, milliseconds };
          });
      return [shown('suggested'), shown('learned')];
    });
    const list = (indexes: typeof suggested) =>
      listing(indexes, switched('json'), {
        heads: ['name', 'table', 'columns', 'slow reads', 'seconds'],
        cells: (one) => [one.name, one.table, one.columns, String(one.reads), (one.milliseconds / 1000).toFixed(1)],
      });
    if (switched('json') || suggested.length > 0) for (const line of list(suggested)) print(line);
    else print('there is nothing to suggest');
    if (switched('json') || learned.length === 0) return 0;
    for (const line of ['', 'made already, as reads lacked them:', ...list(learned)]) print(line);
    return 0;
  },
};

export const indexCreateCommand: Command = {
  name: 'index create',
  summary: 'make an index',
  help: `galley index create NAME [DIR]
galley index create UID ATTRIBUTES [--search] [DIR]

Makes an index in the database of the project in DIR (default: the working folder): one of those that \`galley index
suggest\` lists, or one for lists of a content type by attributes, such as
\`galley index create api::article.article kind,-views\`. Lists that filter by the first ones and sort by the last are then
fast; a minus stands before one that they sort in descending order. Types with drafts get one for drafts and one for
published documents, and where a text is last, PostgreSQL gets one for filters and one for its order. While it is built others write, on PostgreSQL; on SQLite they wait for it.

With --search it is a search index of texts, in which \`$contains\`, \`$startsWith\`, their relatives and \`_q\` find what they
look for: \`galley index create api::article.article title,body --search\`.`,
  async run(args, surroundings) {
    const { positionals, switched } = readArguments('index create', args, { search: { type: 'boolean' } }, [
      'NAME',
      'ATTRIBUTES',
      'DIR',
    ]);
    const isSearch = switched('search');
    const [name, second, third] = positionals;
    if (name === undefined) throw new UsageError('galley index create needs a NAME or a UID; see its --help');
    const isUid = name.includes('::');
    if (isUid && second === undefined) {
      throw new UsageError(`galley index create ${name} needs attributes, such as title,-publishedAt`);
    }
    if (!isUid && third !== undefined) throw new UsageError('galley index create NAME takes no attributes');
    const dir = isUid ? third : second;
    if (dir !== undefined && !isFolder(dir)) {
      const rest = isUid ? `attributes are joined by commas: ${second},${dir}` : 'galley index create takes one NAME';
      throw new UsageError(`${dir} is not a folder, and ${rest}`);
    }
    return inProject(dir, surroundings, async (app) => {
      const wanted = isUid ? indexesBy(app, name, second!.split(','), isSearch) : [await suggested(app, name)];
      let failed = 0;
      for (const one of wanted) failed += (await create(app, one, surroundings)) ? 0 : 1;
      return failed === 0 ? 0 : 1;
    });
  },
};

export const indexDropCommand: Command = {
  name: 'index drop',
  summary: 'drop indexes that were learned or made by command',
  help: `galley index drop NAME… [DIR]

Drops indexes of the project in DIR (default: the working folder) that were learned or made by \`galley index create\`, or
forgets those that \`galley index suggest\` lists. Nothing is dropped if one of the names is wrong. Those of the schema
stay: take \`"index": true\` out of it before. A learned one may be learned again: \`indexes: 'suggest'\` in config/database
prevents that.`,
  async run(args, surroundings) {
    const { positionals } = readArguments('index drop', args, {}, undefined);
    const last = positionals.at(-1);
    if (last === undefined) throw new UsageError('galley index drop needs a NAME; see galley index list');
    const dir = positionals.length > 1 && !isName(last) ? last : undefined;
    if (dir !== undefined && !isFolder(dir)) throw new UsageError(`${dir} is neither an index nor a folder`);
    const names = [...new Set(dir === undefined ? positionals : positionals.slice(0, -1))];
    return inProject(dir, surroundings, async ({ database, engine, layout }) => {
      const wanted: StoredIndex[] = [];
      for (const name of names) {
        const ofSchema = layout.tables.some(({ ownIndexes = [] }) => ownIndexes.some((index) => index.name === name));
        if (ofSchema) throw new UsageError(`${name} follows from the schema and stays, or is made again`, 1);
        wanted.push(await keptNamed(database, name, () => true));
      }
      for (const kept of wanted) {
        const { name } = kept.index;
        const failure = kept.origin === 'suggested' ? undefined : await dropIndexOf({ database, engine }, kept);
        if (failure !== undefined) throw new UsageError(failure, 1);
        await forgetIndex(database, name);
        surroundings.print(`${kept.origin === 'suggested' ? 'forgot' : 'dropped'} ${name}`);
      }
      return 0;
    });
  },
};

/** Whether an argument is the name of an index, rather than a folder. */
const isName = (argument: string): boolean => argument.startsWith('galley_');

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

type Wanted = Pick<StoredIndex, 'table' | 'index' | 'reads' | 'milliseconds'>;

/** Builds an index and remembers it. Tells whether it is there. */
async function create(app: App, wanted: Wanted, { print, warn }: Surroundings): Promise<boolean> {
  const { database, engine } = app;
  const { index } = wanted;
  const what = printIndex(wanted, engine);
  const twin = await madeAlready(app, wanted);
  if (twin !== undefined) {
    print(`${twin} on ${what} is there already`);
    return true;
  }
  const started = performance.now();
  const now = Date.now();
  // remembered first: whoever ends the command leaves something that is listed, and that the next start completes
  await storeIndex(database, { ...wanted, origin: 'command', madeAt: now, usedAt: now });
  const failure = await createIndex({ database, engine }, wanted);
  if (failure !== undefined) {
    await forgetIndex(database, index.name);
    warn(failure);
    return false;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  print(`made ${index.name} on ${what} in ${seconds} s`);
  return true;
}

/** The name of an index that is there and does the same as another. */
async function madeAlready({ database, engine, layout }: App, { table, index }: Wanted): Promise<string | undefined> {
  const key = indexKey({ table, index }, engine.ddl);
  const { indexes = [], ownIndexes = [] } = layout.tables.find(({ name }) => name === table) ?? {};
  const ofSchema = [...indexes, ...ownIndexes].map((one) => ({ table, index: one }));
  const same = [...ofSchema, ...(await existingIndexes(database))].filter((one) => indexKey(one, engine.ddl) === key);
  await database.search?.refresh();
  const existing = await engine.introspect(database);
  return same.find((one) => indexExists(database, existing, one))?.index.name;
}

function suggested(app: App, name: string): Promise<StoredIndex> {
  return keptNamed(app.database, name, ({ origin }) => origin === 'suggested');
}

async function keptNamed(
  db: App['database'],
  name: string,
  fits: (kept: StoredIndex) => boolean,
): Promise<StoredIndex> {
  const kept = (await storedIndexes(db)).filter(fits);
  const found = kept.find(({ index }) => index.name === name);
  if (found) return found;
  const hint = nearest(
    name,
    kept.map(({ index }) => index.name),
  );
  throw new UsageError(`there is no such index: ${name}${hint === undefined ? '' : `; did you mean ${hint}?`}`, 1);
}

/** The indexes of a content type by attributes, for the rows of each status. */
function indexesBy(app: App, uid: string, names: readonly string[], isSearch: boolean): Wanted[] {
  const type = app.catalog.contentTypes.get(uid);
  if (!type) {
    throw new UsageError(`no content type ${uid}${meant(uid, app.catalog.contentTypes.keys())}`, 1);
  }
  const { table: of } = layoutOf(app.layout, uid);
  if (isSearch) {
    const texts = names.map((name) => textNamed(app, type, name)).sort();
    const one = { columns: texts, unique: false, search: true };
    return [{ table: of, index: named({ table: of, index: one }, 'made'), reads: 0, milliseconds: 0 }];
  }
  const bare = names.map((name) => name.replace(/^-/, ''));
  const twice = bare.find((name, n) => name === 'id' || bare.indexOf(name) < n);
  if (twice === 'id') throw new UsageError('the id is at the end of every index', 1);
  if (twice !== undefined) throw new UsageError(`${twice} is named twice`, 1);
  const columns = names.map((name) => columnNamed(app, type, name.replace(/^-/, '')));
  const descending = columns.filter((_, n) => names[n]!.startsWith('-')).map(({ name }) => name);
  const index = {
    columns: [...(type.localized ? ['locale'] : []), ...columns.map(({ name }) => name), 'id'],
    descending,
    unique: false,
  };
  const statuses = type.draftAndPublish ? [ROWS_OF_STATUS.published, ROWS_OF_STATUS.draft] : [{}];
  return orders(app, columns.at(-1)!, descending).flatMap((ordered) =>
    statuses.map((status) => {
      const one = { ...index, ordered, ...status };
      return { table: of, index: named({ table: of, index: one }, 'made'), reads: 0, milliseconds: 0 };
    }),
  );
}

/**
 * The texts that indexes have in the order in which lists are sorted. Lists may be sorted by the last
 * column of an index or, unless it is a descending one, filtered by it: where the order of texts is one apart, that takes two.
 */
function orders({ engine }: App, last: { name: string; isText: boolean }, descending: readonly string[]): string[][] {
  if (!last.isText) return [[]];
  const isFiltered = engine.ddl.byCodePoint && !descending.includes(last.name);
  return isFiltered ? [[], [last.name]] : [[last.name]];
}

function columnNamed(app: App, of: ContentType, name: string): { name: string; isText: boolean } {
  const { name: column, type } = columnOf(app, of, name);
  if (!isIndexable(type)) throw new UsageError(`values of ${name} are too long for an index; see --search`, 1);
  return { name: column, isText: type === 'string' };
}

function textNamed(app: App, of: ContentType, name: string): string {
  const { name: column, type } = columnOf(app, of, name);
  if (!isSearched(type)) throw new UsageError(`${name} is not a text attribute: search indexes are of texts`, 1);
  return column;
}

function columnOf({ layout }: App, { uid }: ContentType, name: string): ColumnDefinition {
  const { columns, table: of } = layoutOf(layout, uid);
  const column = columns.get(name);
  if (column === undefined) {
    const hint = nearest(name, columns.keys());
    throw new UsageError(`${uid} has no attribute ${name}${hint === undefined ? '' : `: did you mean ${hint}?`}`, 1);
  }
  return layout.tables.find((one) => one.name === of)!.columns.find((one) => one.name === column)!;
}
