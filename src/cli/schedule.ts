/** `galley schedule list|cancel|retry`: scheduled work, and its failures. */
import type { Transaction } from '../db/interface/transaction.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { commandText } from '../own-files.ts';
import { RELEASE_WORK } from '../releases/planned-runs.ts';
import { cancelRun } from '../releases/scheduled-releases.ts';
import {
  cancelItem,
  ITEM_STATES,
  type ItemState,
  listItems,
  retryItem,
  type ScheduledItem,
} from '../schedule/items.ts';
import { type Command, integerFlag, missingArgument, readArguments, type Surroundings } from './command.ts';
import { changeProject, inProject } from './in-project.ts';
import { type Columns, iso, listing, second } from './lists.ts';

/** The default and the maximum of `--limit`. */
const LISTED = 50;
const MOST = 10_000;

const listCommand: Command = {
  name: 'schedule list',
  summary: 'list what is scheduled',
  help: `galley schedule list [--state S] [--limit N] [--json] [DIR]

Lists the scheduled work of the project in DIR (default: the working folder), the latest first: id, due time, action,
document, state, the actor that has scheduled it, and why it has failed. Times are UTC.

  --state S  ${ITEM_STATES.join(', ')}
  --limit N  number of items (default: ${LISTED})
  --json     prints one JSON object per line`,
  async run(args, { env, print, warn }) {
    const flags = { state: { type: 'string' }, limit: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { flag, switched, positionals } = readArguments('schedule list', args, flags, ['DIR']);
    const most = integerFlag('limit', flag('limit'), 1, MOST) ?? LISTED;
    const state = stateOf(flag('state'));
    const items = await inProject(positionals[0], { env, warn }, (_, db) =>
      listItems(db, { states: state && [state], latestFirst: true, most }),
    );
    for (const line of listing(items.map(shown), switched('json'), TABLE)) print(line);
    return 0;
  },
};

/** An item as the command prints it, with times in ISO 8601. */
const shown = ({ dueAt, createdAt, endedAt, by: { kind, id, name }, ...item }: ScheduledItem) => ({
  ...item,
  by: { kind, id, name },
  ...{
    dueAt: iso(dueAt),
    createdAt: iso(createdAt),
    endedAt: endedAt === null || item.state === 'waiting' ? null : iso(endedAt),
  },
});

const TABLE: Columns<ReturnType<typeof shown>> = {
  heads: ['id', 'due', 'action', 'subject', 'state', 'by', 'failure'],
  cells: ({ id, dueAt, kind, contentType, target, subject, state, by, result }) => [
    ...[String(id), second(Date.parse(dueAt)), String(subject['action'] ?? kind)],
    [contentType?.split('.').at(-1), target, [subject['locale'] ?? []].flat().join(',')].filter(Boolean).join(' '),
    ...[state, [by.kind, by.name].filter(Boolean).join(' ')],
    state === 'failed' ? String(result?.['message'] ?? '') : '',
  ],
};

function stateOf(word: string | undefined): ItemState | undefined {
  const state = ITEM_STATES.find((one) => one === word);
  if (word === undefined || state) return state;
  const hint = nearest(word, ITEM_STATES);
  throw new UsageError(`unknown state ${word}: ${hint ? `did you mean ${hint}?` : `use ${ITEM_STATES.join(', ')}`}`);
}

const cancelCommand: Command = {
  name: 'schedule cancel',
  summary: 'cancel scheduled work',
  help: `galley schedule cancel ITEM [DIR]

Cancels an item of \`galley schedule list\` that waits or has failed. A release then is planned for no time any more.`,
  run: (args, surroundings) =>
    change('schedule cancel', args, surroundings, 'is cancelled', (tx, item) =>
      item.kind === RELEASE_WORK ? cancelRun(tx, item, null, Date.now()) : cancelItem(tx, item, Date.now()),
    ),
};

const retryCommand: Command = {
  name: 'schedule retry',
  summary: 'do work again that has failed',
  help: `galley schedule retry ITEM [DIR]

Has a running server do a failed item of \`galley schedule list\` again at once, with the rights of the actor that has
scheduled it.`,
  run: (args, surroundings) =>
    change('schedule retry', args, surroundings, 'is done again', (tx, item) =>
      retryItem(tx, item, item.by, Date.now()),
    ),
};

/** Changes an item. @param how whether it could be changed. */
async function change(
  name: string,
  args: readonly string[],
  { env, print, warn }: Surroundings,
  done: string,
  how: (tx: Transaction, item: ScheduledItem) => Promise<boolean>,
): Promise<number> {
  const { positionals } = readArguments(name, args, {}, ['ITEM', 'DIR']);
  const [word, dir] = positionals;
  if (word === undefined || !/^\d{1,15}$/.test(word)) throw missingArgument(name, 'the number of an ITEM');
  await changeProject(dir, { env, warn }, async ({ config }, tx) => {
    const [item] = await listItems(tx, { ids: [Number(word)], most: 1 });
    if (!item) throw new UsageError(`no item ${word}; see ${commandText('schedule list', config.dir)}`);
    if (!(await how(tx, item))) throw new UsageError(`item ${word} is ${item.state}`, 1);
  });
  print(`item ${word} ${done}`);
  return 0;
}

export const scheduleCommands: readonly Command[] = [listCommand, cancelCommand, retryCommand];
