/** `galley index list|suggest|create|drop`: the indexes of the schema, learned ones, and those created by command. */
import { statSync } from 'node:fs';
import type { App } from '../app.ts';
import { dropIndexOf, indexExists } from '../db/indexes/building.ts';
import type { LearnedDefinition } from '../db/indexes/index-learner.ts';
import { columnsOf, print as printIndex } from '../db/indexes/learned-indexes.ts';
import { makeIndex, type RequestedIndex } from '../db/indexes/made-indexes.ts';
import {
  existingIndexes,
  forgetIndex,
  type IndexOrigin,
  named,
  type StoredIndex,
  storedIndexes,
} from '../db/indexes/stored-indexes.ts';
import { UsageError } from '../errors.ts';
import { meant, nearest } from '../nearest.ts';
import type { ContentType } from '../schema/catalog.ts';
import { isIndexable, isSearched } from '../schema/layout/column-types.ts';
import { type ColumnDefinition, layoutOf } from '../schema/layout/layout.ts';
import { ROWS_OF_STATUS } from '../schema/layout/model-indexes.ts';
import { type Command, missingArgument, readArguments, type Surroundings } from './command.ts';
import { inProject } from './in-project.ts';
import { iso, listCommand, listing } from './lists.ts';

const indexListCommand = listCommand({
  name: 'index list',
  summary: 'list the indexes that make lists fast',
  about: `Lists the indexes that Galley created in the database of the project in DIR (default: the working folder): name, table, columns,
origin (schema, learned or command), whether the index is built, and when a read last used a learned one.`,
  read: async (app) => {
    const existing = await app.engine.introspect(app.database);
    await app.database.search?.refresh();
    const shown = (table: string, index: LearnedDefinition, origin: string, usedAt?: number) => ({
      name: index.name,
      table,
      columns: columnsOf(index, app.engine),
      origin,
      built: indexExists(app.database, existing, { table, index }),
      usedAt: iso(usedAt),
    });
    const ofSchema = app.layout.tables.flatMap(({ name, ownIndexes = [] }) =>
      ownIndexes
        .filter((index) => !index.ordered || app.engine.ddl.byCodePoint)
        .map((index) => shown(name, index, 'schema')),
    );
    const own = (await existingIndexes(app.database)).map(({ table, index, origin, usedAt }) =>
      shown(table, index, origin, origin === 'learned' ? usedAt : undefined),
    );
    return [...ofSchema, ...own];
  },
  heads: ['name', 'table', 'columns', 'origin', 'built', 'last used'],
  cells: ({ name, table, columns, origin, built, usedAt = '' }) => [
    ...[name, table, columns, origin, built ? 'yes' : 'no', usedAt.slice(0, 10)],
  ],
});

const indexSuggestCommand: Command = {
  name: 'index suggest',
  summary: 'list the indexes that slow reads lack',
  help: `galley index suggest [--json] [DIR]

Lists the indexes that slow reads of the project in DIR (default: the working folder) lacked and that do not exist, with the
number of these reads and their time. Galley does not create them itself with \`indexes: 'suggest'\` in config/database, or if
a table has too many rows or the most learned indexes that it may have. \`galley index create NAME\` creates one, and
\`galley explain\` shows which index a single request lacks. A second table has the indexes that Galley created itself.

  --json  prints one JSON object per line, without the second table`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('index suggest', args, { json: { type: 'boolean' } }, ['DIR']);
    const [suggested, learned] = await inProject(positionals[0], { env, warn }, async ({ database, engine }) => {
      const stored = (await storedIndexes(database)).toSorted((one, other) => other.milliseconds - one.milliseconds);
      const shown = (wanted: IndexOrigin) =>
        stored
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
    else print('no index to suggest');
    if (switched('json') || learned.length === 0) return 0;
    for (const line of ['', 'indexes that Galley created after slow reads:', ...list(learned)]) print(line);
    return 0;
  },
};

const indexCreateCommand: Command = {
  name: 'index create',
  summary: 'create an index',
  help: `galley index create NAME [DIR]
galley index create UID ATTRIBUTES [--search] [DIR]

Creates an index in the database of the project in DIR (default: the working folder): one that \`galley index suggest\` lists,
or one for lists of a content type, such as \`galley index create api::article.article kind,-views\`. It makes lists fast
that filter by the first attributes and sort by the last. A minus before an attribute means descending order. A type with
drafts gets one index for drafts and one for published documents. If the last attribute is a text, PostgreSQL gets one for
filters and one for the order. During the build other sessions can write on PostgreSQL, and wait on SQLite.

With --search the command creates a search index of texts, which \`$contains\`, \`$startsWith\`, similar operators and \`_q\`
use: \`galley index create api::article.article title,body --search\`.`,
  async run(args, surroundings) {
    const { positionals, switched } = readArguments('index create', args, { search: { type: 'boolean' } }, [
      'NAME',
      'ATTRIBUTES',
      'DIR',
    ]);
    const isSearch = switched('search');
    const [name, second, third] = positionals;
    if (name === undefined) throw missingArgument('index create', 'a NAME or a UID');
    const isUid = name.includes('::');
    if (isUid && second === undefined) {
      throw new UsageError(`galley index create ${name} needs attributes, such as title,-publishedAt`);
    }
    if (!isUid && third !== undefined) throw new UsageError('galley index create NAME takes no attributes');
    const dir = isUid ? third : second;
    if (dir !== undefined && !isFolder(dir)) {
      const rest = isUid
        ? `attributes are separated by commas: ${second},${dir}`
        : 'galley index create takes one NAME';
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

const indexDropCommand: Command = {
  name: 'index drop',
  summary: 'drop indexes that are not part of the schema',
  help: `galley index drop NAME… [DIR]

Drops learned indexes and indexes of \`galley index create\` from the database of the project in DIR (default: the working
folder), or removes suggestions from \`galley index suggest\`. If one name is wrong, the command drops nothing. It does not
drop indexes of the schema: remove \`"index": true\` there. Galley may learn a dropped index again, unless config/database
has \`indexes: 'suggest'\`.`,
  async run(args, surroundings) {
    const { positionals } = readArguments('index drop', args, {}, undefined);
    const last = positionals.at(-1);
    if (last === undefined) throw missingArgument('index drop', 'a NAME');
    const dir = positionals.length > 1 && !isName(last) ? last : undefined;
    if (dir !== undefined && !isFolder(dir)) throw new UsageError(`${dir} is neither an index nor a folder`);
    const names = [...new Set(dir === undefined ? positionals : positionals.slice(0, -1))];
    return inProject(dir, surroundings, async ({ database, engine, layout }) => {
      const wanted: StoredIndex[] = [];
      for (const name of names) {
        const ofSchema = layout.tables.some(({ ownIndexes = [] }) => ownIndexes.some((index) => index.name === name));
        if (ofSchema)
          throw new UsageError(`${name} belongs to the schema, and the next start would create it again`, 1);
        wanted.push(await keptNamed(database, name, () => true));
      }
      for (const one of wanted) {
        const { name } = one.index;
        const failure = one.origin === 'suggested' ? undefined : await dropIndexOf({ database, engine }, one);
        if (failure !== undefined) throw new UsageError(failure, 1);
        await forgetIndex(database, name);
        surroundings.print(`${one.origin === 'suggested' ? 'forgot' : 'dropped'} ${name}`);
      }
      return 0;
    });
  },
};

/** Whether an argument is the name of an index, not a folder. */
const isName = (argument: string): boolean => argument.startsWith('galley_');

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Builds an index and records it. Returns whether it exists afterwards. */
async function create(app: App, wanted: RequestedIndex, { print, warn }: Surroundings): Promise<boolean> {
  const description = printIndex(wanted, app.engine);
  const created = await makeIndex(app, wanted);
  if ('failure' in created) {
    warn(created.failure);
    return false;
  }
  if ('equal' in created) print(`${created.equal} on ${description} already exists`);
  else print(`created ${wanted.index.name} on ${description} in ${(created.milliseconds / 1000).toFixed(1)} s`);
  return true;
}

function suggested(app: App, name: string): Promise<StoredIndex> {
  return keptNamed(app.database, name, ({ origin }) => origin === 'suggested');
}

async function keptNamed(
  db: App['database'],
  name: string,
  fits: (index: StoredIndex) => boolean,
): Promise<StoredIndex> {
  const stored = (await storedIndexes(db)).filter(fits);
  const named = stored.find(({ index }) => index.name === name);
  if (named) return named;
  const hint = nearest(
    name,
    stored.map(({ index }) => index.name),
  );
  throw new UsageError(`no index ${name}${hint === undefined ? '' : `: did you mean ${hint}?`}`, 1);
}

/** The indexes of a content type for some attributes: one for each status. */
function indexesBy(app: App, uid: string, names: readonly string[], isSearch: boolean): RequestedIndex[] {
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
  if (twice === 'id') throw new UsageError('every index ends with the id, so leave it out', 1);
  if (twice !== undefined) throw new UsageError(`${twice} appears twice`, 1);
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
 * The text columns of each index that are in the order of lists. Lists may sort by the last column of an index, or filter by
 * it unless it is descending. If texts have a separate order for lists, that takes two indexes.
 */
function orders({ engine }: App, last: { name: string; isText: boolean }, descending: readonly string[]): string[][] {
  if (!last.isText) return [[]];
  const isFiltered = engine.ddl.byCodePoint && !descending.includes(last.name);
  return isFiltered ? [[], [last.name]] : [[last.name]];
}

function columnNamed(app: App, of: ContentType, name: string): { name: string; isText: boolean } {
  const { name: column, type } = columnOf(app, of, name);
  if (!isIndexable(type)) throw new UsageError(`values of ${name} are too long for an index; use --search`, 1);
  return { name: column, isText: type === 'string' };
}

function textNamed(app: App, of: ContentType, name: string): string {
  const { name: column, type } = columnOf(app, of, name);
  if (!isSearched(type))
    throw new UsageError(`${name} is not a text attribute, and search indexes contain only texts`, 1);
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

export const indexCommands: readonly Command[] = [
  indexListCommand,
  indexSuggestCommand,
  indexCreateCommand,
  indexDropCommand,
];
