/** `galley leftover list|keep`: what the database keeps of attributes and types that the schema no longer has. */
import type { App } from '../app.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { findLeftovers, keepLeftovers, type Leftover } from '../db/migration/leftovers.ts';
import { UsageError } from '../errors.ts';
import { choices } from '../nearest.ts';
import { type Command, readArguments } from './command.ts';
import { inProject } from './in-project.ts';
import { listing } from './table.ts';

export const leftoverListCommand: Command = {
  name: 'leftover list',
  summary: 'list what the database keeps of attributes and types that the schema no longer has',
  help: `galley leftover list [--json] [DIR]

Lists columns, links, components, files and tables in the database of the project in DIR (default: the working folder)
that have values and that no attribute or type uses any more, with what to do next: a renamed attribute leaves its values
under the old name. Nothing is changed; nothing is ever dropped.

  --json  a JSON object a line`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('leftover list', args, { json: { type: 'boolean' } }, ['DIR']);
    const leftovers = await inProject(positionals[0], { env, warn }, leftoversOf);
    if (leftovers.length === 0 && !switched('json')) print('every column and table with values is in use');
    else {
      const lines = listing(leftovers, switched('json'), {
        heads: ['name', 'decided', 'what to do'],
        cells: ({ name, kept, remedy }) => [name, kept ? 'stays' : 'no', remedy],
      });
      for (const line of lines) print(line);
    }
    return 0;
  },
};

export const leftoverKeepCommand: Command = {
  name: 'leftover keep',
  summary: 'leave a column or table as it is, so that no start names it again',
  help: `galley leftover keep NAME [DIR]

Notes in the database of the project in DIR (default: the working folder) that what galley leftover list calls NAME stays
as it is: no start names it again. Its values are not touched.`,
  async run(args, { env, print, warn }) {
    const { positionals } = readArguments('leftover keep', args, {}, ['NAME', 'DIR']);
    const [name, dir] = positionals;
    if (name === undefined) throw new UsageError('galley leftover keep needs a NAME; see galley leftover list');
    await inProject(dir, { env, warn }, async (app, db) => {
      const names = (await leftoversOf(app, db)).map((one) => one.name);
      if (!names.includes(name)) throw new UsageError(`there is no leftover ${name}${choices(name, names)}`, 1);
      await keepLeftovers(app.database, [name]);
    });
    print(`${name} stays as it is`);
    return 0;
  },
};

const leftoversOf = async ({ catalog, layout, engine }: App, db: Queryable): Promise<Leftover[]> =>
  findLeftovers(db, { catalog, layout, ddl: engine.ddl }, await engine.introspect(db));
