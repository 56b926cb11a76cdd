/** `galley webhook deliveries|retry`: what webhooks were sent, and having it sent again. */
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
import { type Command, integerFlag, readArguments } from './command.ts';
import { changeProject, inProject } from './in-project.ts';
import { iso, type Listed, listing, second } from './table.ts';
import { requiredWord, webhookNamed } from './webhook.ts';

/** Deliveries that are listed unless more are asked for. */
const LISTED = 50;

export const webhookDeliveriesCommand: Command = {
  name: 'webhook deliveries',
  summary: 'list what webhooks were sent, and what waits',
  help: `galley webhook deliveries [WEBHOOK] [--state S] [--limit N] [--json] [DIR]

Lists the last deliveries of the project in DIR (default: the working folder), the newest first: id, webhook, when it
happened, event, document, state, attempts, and the answer to the last one. Times are UTC. Of each webhook ${MOST_WAITING}
may wait, and the last ${KEPT} that are over are kept.

  WEBHOOK      of one webhook, by its id or name; of all when left out
  --webhook W  the same
  --state S    ${DELIVERY_STATES.join(', ')}
  --limit N    how many (default: ${LISTED})
  --json       a JSON object a line, with the id and name of the webhook, and with the body`,
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
    const { word, dir } = meant(flag('webhook'), positionals);
    const deliveries = await inProject(dir, { env, warn }, async ({ config }, db) => {
      const webhook = word === undefined ? undefined : (await webhookNamed(db, word)).id;
      const known = new Map((await listWebhooks(db)).map((one) => [one.id, one]));
      const listed = await listDeliveries(db, { webhook, state, most, withBodies: switched('json') });
      return listed.map((one): Shown => {
        const to = known.get(one.webhook);
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

/** The webhook and the folder that are meant: a single word that is the path of a folder names no webhook. */
function meant(webhook: string | undefined, [first, second]: readonly string[]) {
  if (webhook !== undefined && second !== undefined)
    throw new UsageError('galley webhook deliveries takes a WEBHOOK once: before DIR, or behind --webhook');
  if (webhook !== undefined) return { word: webhook, dir: first };
  const isDir =
    second === undefined && first !== undefined && statSync(first, { throwIfNoEntry: false })?.isDirectory();
  return isDir ? { word: undefined, dir: first } : { word: first, dir: second };
}

/** A delivery with the name of its webhook, where that is still there, and with times in ISO 8601. */
type Shown = Omit<Delivery, 'changedAt' | 'nextAt' | 'triedAt'> & {
  readonly webhookName: string | undefined;
  readonly changedAt: string;
  readonly nextAt: string | undefined;
  readonly triedAt: string | undefined;
};

const TABLE: Listed<Shown> = {
  heads: ['id', 'webhook', 'happened', 'event', 'document', 'state', 'attempts', 'answer'],
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

const documentOf = ({ uid, documentId, locale }: Shown): string =>
  [uid.split('.').at(-1), documentId, ...(locale === null ? [] : [locale])].join(' ');

function stateOf(word: string | undefined): (typeof DELIVERY_STATES)[number] | undefined {
  const state = DELIVERY_STATES.find((known) => known === word);
  if (word === undefined || state) return state;
  const hint = nearest(word, DELIVERY_STATES);
  throw new UsageError(
    `unknown state ${word}: ${hint ? `did you mean ${hint}?` : `use ${DELIVERY_STATES.join(', ')}`}`,
  );
}

export const webhookRetryCommand: Command = {
  name: 'webhook retry',
  summary: 'have deliveries sent again',
  help: `galley webhook retry DELIVERY [DIR]
galley webhook retry --webhook W [DIR]

Has a delivery sent again, whatever became of it, or all of a webhook that have not arrived. A server that runs sends
them within a second; its attempts are counted anew.`,
  async run(args, { env, print, warn }) {
    const { flag, positionals } = readArguments('webhook retry', args, { webhook: { type: 'string' } }, [
      ...['DELIVERY', 'DIR'],
    ]);
    const webhook = flag('webhook');
    if (webhook !== undefined) {
      const count = await changeProject(positionals[0], { env, warn }, async (_, tx) =>
        retryDeliveries(tx, (await webhookNamed(tx, requiredWord(webhook, 'webhook retry'))).id, Date.now()),
      );
      print(`${count === 1 ? '1 delivery' : `${count} deliveries`} will be sent again`);
      return 0;
    }
    const [word, dir] = positionals;
    if (word === undefined || !/^\d{1,15}$/.test(word)) {
      throw new UsageError(
        'galley webhook retry needs a DELIVERY, a number, or --webhook; see galley webhook deliveries',
      );
    }
    const found = await changeProject(dir, { env, warn }, (_, tx) => retryDelivery(tx, Number(word), Date.now()));
    if (!found) throw new UsageError(`no delivery ${word}: see galley webhook deliveries`);
    print(`delivery ${word} will be sent again`);
    return 0;
  },
};
