/** `galley audit export`: the log of actions as lines of JSON. */
import { wrongFilters } from '../audit/filter-names.ts';
import { allEntries, type EntryQuery, exportAction } from '../audit/stored-entries.ts';
import { UsageError } from '../errors.ts';
import { momentOrDayOf } from '../plain-values.ts';
import { type Command, readArguments } from './command.ts';
import { inProject } from './in-project.ts';

const FLAGS = {
  actor: { type: 'string' },
  type: { type: 'string' },
  action: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
} as const;

const auditExportCommand: Command = {
  name: 'audit export',
  summary: 'print the log of actions',
  help: `galley audit export [--actor A] [--type T] [--action A] [--from TIME] [--to TIME] [DIR]

Prints the log of actions of the project in DIR (default: the working folder): one JSON object per line, the oldest entry
first, with times in ISO 8601. The export is recorded in the log.

  --actor A    entries of one actor: 'administrator 3', 'token 2', 'user 7', 'command apply', 'code cron task tidy',
               public or server
  --type T     entries about one content type, such as api::article.article, or about admin::user
  --action A   entries of one action, such as entry.publish or admin.auth.error
  --from TIME  first time, such as 2026-11-29 or 2026-11-29T09:00:00Z
  --to TIME    last time`,
  async run(args, { env, print, warn }) {
    const { flag, positionals } = readArguments('audit export', args, FLAGS, ['DIR']);
    const query: EntryQuery = {
      ...{ actor: flag('actor'), type: flag('type'), action: flag('action') },
      ...{ from: timeOf('from', flag('from')), to: timeOf('to', flag('to')) },
    };
    await inProject(positionals[0], { env, warn }, async ({ catalog, database }) => {
      for (const { filter, message } of await wrongFilters(database, catalog, query)) {
        throw new UsageError(`--${filter} ${message}`);
      }
      await database.transaction(async (tx) => {
        tx.recordAction(exportAction(query));
      });
      for await (const entries of allEntries(database, query))
        for (const entry of entries) print(JSON.stringify(entry));
    });
    return 0;
  },
};

function timeOf(name: string, text: string | undefined): number | undefined {
  const time = momentOrDayOf(text);
  if (text === undefined || time !== undefined) return time;
  throw new UsageError(`--${name} must be a time such as 2026-11-29T09:00:00Z, not ${text}`);
}

export const auditCommands: readonly Command[] = [auditExportCommand];
