/** `galley webhook deliveries|retry`: lists the deliveries of webhooks, and sends them again. */
import { statSync } from 'node:fs';
import { UsageError } from '../errors.ts';
import {
  DELIVERY_STATES,
  type Delivery,
  KEPT,
  listDeliveries,
  MOST_WAITING,
  retryDeliveries,
  retryDelivery,
} from '../events/webhooks/deliveries.ts';
import { listWebhooks } from '../events/webhooks/webhook.ts';
import { withoutSecrets } from '../events/webhooks/webhook-input.ts';
import { nearest } from '../nearest.ts';
import { commandText } from '../own-files.ts';
import { type Command, integerFlag, missingArgument, readArguments } from './command.ts';
import { changeProject, inProject } from './in-project.ts';
import { type Columns, iso, listing, second } from './lists.ts';
import { webhookNamed } from './webhook.ts';

/** The default of `--limit`. */
const LISTED = 50;

const webhookDeliveriesCommand: Command = {
  name: 'webhook deliveries',
  summary: 'list the deliveries of webhooks',
  help: `galley webhook deliveries [WEBHOOK] [--state S] [--limit N] [--json] [DIR]

Lists the last deliveries of the project in DIR (default: the working folder), the newest first: id, webhook, time of the
change, event, document, state, attempts, and the last answer. Times are UTC. For each webhook up to ${MOST_WAITING}
deliveries wait, and Galley keeps the last ${KEPT} that are finished.

  WEBHOOK      id or name of a webhook (default: all webhooks)
  --webhook W  the same
  --state S    ${DELIVERY_STATES.join(', ')}
  --limit N    number of deliveries (default: ${LISTED})
  --json       prints one JSON object per line, with id and name of the webhook and with the body`,
  async run(args, { env, print, warn }) {
    const { flag, switched, positionals } = readArguments(
      'webhook deliveries',
      args,
      {
        webhook: { type: 'string' },
        state: { type: 'string' },
        limit: { type: 'string' },
        json: { type: 'boolean' },
      },
      ['WEBHOOK', 'DIR'],
    );
    const most = integerFlag('limit', flag('limit'), 1, MOST_WAITING) ?? LISTED;
    const state = stateOf(flag('state'));
    const { word, dir } = webhookAndFolder(flag('webhook'), positionals);
    const deliveries = await inProject(dir, { env, warn }, async ({ config }, db) => {
      const webhook = word === undefined ? undefined : (await webhookNamed(db, word)).id;
      const webhooks = new Map((await listWebhooks(db)).map((one) => [one.id, one]));
      const listed = await listDeliveries(db, { webhook, state, most, withBodies: switched('json') });
      return listed.map((one): ShownDelivery => {
        const to = webhooks.get(one.webhook);
        const answer = to && one.answer !== undefined ? withoutSecrets(one.answer, to, config.webhooks) : one.answer;
        const { changedAt, nextAt, triedAt } = one;
        const times = { changedAt: iso(changedAt), nextAt: iso(nextAt), triedAt: iso(triedAt) };
        return { ...one, webhookName: to?.name, answer, ...times };
      });
    });
    for (const line of listing(deliveries, switched('json'), TABLE)) print(line);
    return 0;
  },
};

/** The webhook and DIR of a call. A single argument is DIR if it is a folder. */
function webhookAndFolder(webhook: string | undefined, [first, second]: readonly string[]) {
  if (webhook !== undefined && second !== undefined)
    throw new UsageError('galley webhook deliveries takes one WEBHOOK: before DIR, or after --webhook');
  if (webhook !== undefined) return { word: webhook, dir: first };
  const isDir =
    second === undefined && first !== undefined && statSync(first, { throwIfNoEntry: false })?.isDirectory();
  return isDir ? { word: undefined, dir: first } : { word: first, dir: second };
}

/** A delivery as the command prints it: with times in ISO 8601, and the name of a webhook that still exists. */
type ShownDelivery = Omit<Delivery, 'changedAt' | 'nextAt' | 'triedAt'> & {
  readonly webhookName: string | undefined;
  readonly changedAt: string;
  readonly nextAt: string | undefined;
  readonly triedAt: string | undefined;
};

const TABLE: Columns<ShownDelivery> = {
  heads: ['id', 'webhook', 'changed', 'event', 'document', 'state', 'attempts', 'answer'],
  cells: (one) => [
    ...[String(one.id), `${one.webhook}${one.webhookName === undefined ? '' : ` ${one.webhookName}`}`],
    ...[second(Date.parse(one.changedAt)), one.event, documentOf(one)],
    one.state === 'waiting' && one.attempts > 0 && one.nextAt !== undefined
      ? `waiting until ${second(Date.parse(one.nextAt))}`
      : one.state,
    String(one.attempts),
    String(one.answerStatus ?? one.answer?.split('\n', 1)[0] ?? ''),
  ],
};

const documentOf = ({ uid, documentId, locale }: ShownDelivery): string =>
  [uid.split('.').at(-1), documentId, ...(locale === null ? [] : [locale])].join(' ');

function stateOf(word: string | undefined): (typeof DELIVERY_STATES)[number] | undefined {
  const state = DELIVERY_STATES.find((one) => one === word);
  if (word === undefined || state) return state;
  const hint = nearest(word, DELIVERY_STATES);
  throw new UsageError(
    `unknown state ${word}: ${hint ? `did you mean ${hint}?` : `use ${DELIVERY_STATES.join(', ')}`}`,
  );
}

const webhookRetryCommand: Command = {
  name: 'webhook retry',
  summary: 'send deliveries again',
  help: `galley webhook retry DELIVERY [DIR]
galley webhook retry --webhook W [DIR]

Sends a delivery again, in any state, or all deliveries of a webhook that have not arrived. A running server sends them
within a second, and starts again with the first attempt.`,
  async run(args, { env, print, warn }) {
    const { flag, positionals } = readArguments('webhook retry', args, { webhook: { type: 'string' } }, [
      ...['DELIVERY', 'DIR'],
    ]);
    const webhook = flag('webhook');
    if (webhook !== undefined) {
      const count = await changeProject(positionals[0], { env, warn }, async (_, tx) =>
        retryDeliveries(tx, (await webhookNamed(tx, webhook)).id, Date.now()),
      );
      print(`${count === 1 ? '1 delivery' : `${count} deliveries`} will be sent again`);
      return 0;
    }
    const [word, dir] = positionals;
    if (word === undefined || !/^\d{1,15}$/.test(word)) {
      throw missingArgument('webhook retry', 'the number of a DELIVERY, or --webhook');
    }
    await changeProject(dir, { env, warn }, async ({ config }, tx) => {
      if (await retryDelivery(tx, Number(word), Date.now())) return;
      throw new UsageError(`no delivery ${word}; see ${commandText('webhook deliveries', config.dir)}`);
    });
    print(`delivery ${word} will be sent again`);
    return 0;
  },
};

export const deliveryCommands: readonly Command[] = [webhookDeliveriesCommand, webhookRetryCommand];
