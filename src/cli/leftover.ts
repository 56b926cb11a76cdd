/** `galley leftover list|keep`: values in the database of attributes and types that the schema no longer has. */
import type { App } from '../app.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { findLeftovers, keepLeftovers, type Leftover } from '../db/migration/leftovers.ts';
import { UsageError } from '../errors.ts';
import { choices } from '../nearest.ts';
import { argumentCommand, type Command } from './command.ts';
import { inProject } from './in-project.ts';
import { listCommand } from './lists.ts';

const leftoverListCommand = listCommand({
  name: 'leftover list',
  summary: 'list the values that renamed and removed attributes leave in the database',
  about: `Lists columns, links, components, files and tables that have values in the database of the project in DIR (default: the
working folder), although no attribute or type uses them any more. A renamed attribute, for example, leaves its values
under the old name. The list says how to move or keep each. Galley never drops them.`,
  read: leftoversOf,
  empty: 'every column and table with values is in use',
  heads: ['name', 'decision', 'what to do'],
  cells: ({ name, kept, remedy }) => [name, kept ? 'keep' : 'none', remedy],
});

const leftoverKeepCommand = argumentCommand({
  name: 'leftover keep',
  summary: 'keep a column or table, so that later starts do not mention it',
  argument: 'NAME',
  about: `Records in the database of the project in DIR (default: the working folder) that NAME, which galley leftover list prints,
stays as it is. Later starts do not mention it. The command changes no values.`,
  run: async (name, dir, { env, print, warn }) => {
    await inProject(dir, { env, warn }, async (app, db) => {
      const names = (await leftoversOf(app, db)).map((one) => one.name);
      if (!names.includes(name)) throw new UsageError(`no leftover ${name}${choices(name, names)}`, 1);
      await keepLeftovers(app.database, [name]);
    });
    print(`${name} stays as it is; later starts do not mention it`);
    return 0;
  },
});

async function leftoversOf({ catalog, layout, engine }: App, db: Queryable): Promise<Leftover[]> {
  return findLeftovers(db, { catalog, layout, ddl: engine.ddl }, await engine.introspect(db));
}

export const leftoverCommands: readonly Command[] = [leftoverListCommand, leftoverKeepCommand];
