/** `galley webhook list|add|remove|enable|disable|secret|test`: the webhooks of a project. */
import type { Queryable } from '../db/interface/queryable.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { UsageError } from '../errors.ts';
import { sendTest } from '../events/webhooks/sender.ts';
import {
  addWebhook,
  listWebhooks,
  MOST_WEBHOOKS,
  removeWebhook,
  setWebhookSecret,
  switchWebhook,
  WEBHOOK_EVENTS,
  type Webhook,
} from '../events/webhooks/webhook.ts';
import {
  requireHeader,
  shownUrl,
  WebhookMistake,
  webhookEvents,
  webhookUrl,
  withoutSecrets,
} from '../events/webhooks/webhook-input.ts';
import { choices } from '../nearest.ts';
import { argumentCommand, type Command, missingArgument, readArguments, type Surroundings } from './command.ts';
import { changeProject, inProject } from './in-project.ts';
import { listCommand } from './lists.ts';

const webhookListCommand = listCommand({
  name: 'webhook list',
  summary: 'list the webhooks',
  about: `Lists the webhooks of the project in DIR (default: the working folder): id, name, whether each is on, address, events.
Headers, passwords and secrets are not shown.`,
  read: async (_, db) =>
    (await listWebhooks(db)).map(({ id, name, enabled, url, events, secret }) => {
      return { id, name, enabled, url: shownUrl(url), events, signed: secret !== undefined };
    }),
  heads: ['id', 'name', '', 'address', 'events'],
  cells: ({ id, name, enabled, url, events }) => [String(id), name, enabled ? 'on' : 'off', url, events.join(' ')],
});

const webhookRemoveCommand = changing({
  verb: 'remove',
  summary: 'remove a webhook and its pending deliveries',
  about: 'Removes a webhook with all deliveries that wait.',
  change: async (tx, { id, name }) => {
    await removeWebhook(tx, id);
    return `removed the webhook ${name} (id ${id})`;
  },
});

const webhookEnableCommand = changing({
  verb: 'enable',
  summary: 'switch a webhook on',
  about: 'Switches a webhook on. It then receives the deliveries that wait.',
  change: async (tx, { id, name }) => {
    await switchWebhook(tx, id, true);
    return `enabled the webhook ${name} (id ${id})`;
  },
});

const webhookDisableCommand = changing({
  verb: 'disable',
  summary: 'switch a webhook off',
  about: `Switches a webhook off. Deliveries that wait are sent when it is switched on again. Changes while it is off are never
sent.`,
  change: async (tx, { id, name }) => {
    await switchWebhook(tx, id, false);
    return `disabled the webhook ${name} (id ${id})`;
  },
});

const webhookSecretCommand = changing({
  verb: 'secret',
  summary: 'give a webhook a new secret and print it',
  about: `Gives a webhook a new secret, which signs all later requests, and prints only the secret on stdout. A webhook from Strapi's
panel has no secret before that, and its requests are not signed.`,
  change: (tx, { id }) => setWebhookSecret(tx, id),
});

interface Change {
  readonly verb: string;
  readonly summary: string;
  /** The help after the usage. */
  readonly about: string;
  /** Changes the webhook, and returns the line to print. */
  readonly change: (tx: Transaction, webhook: Webhook) => Promise<string>;
}

/** A command that takes WEBHOOK and DIR, and changes that webhook. */
function changing({ verb, summary, about, change }: Change): Command {
  return argumentCommand({
    name: `webhook ${verb}`,
    summary,
    argument: 'WEBHOOK',
    about: `${about}\n\n  WEBHOOK  the id or name of a webhook of the project in DIR (default: the working folder)`,
    run: async (word, dir, { env, print, warn }) => {
      print(await changeProject(dir, { env, warn }, async (_, tx) => change(tx, await webhookNamed(tx, word))));
      return 0;
    },
  });
}

const webhookTestCommand = argumentCommand({
  name: 'webhook test',
  summary: 'send a webhook a test request',
  argument: 'WEBHOOK',
  about: `Sends a webhook one request with the event trigger-test from this process, and prints the answer. The exit code is 1 if the
status of the answer is not 2xx.`,
  run: async (word, dir, { env, print, warn }) => {
    const { ok, status, answer, milliseconds } = await inProject(dir, { env, warn }, async ({ config }, db) => {
      const webhook = await webhookNamed(db, word);
      const sent = await sendTest(webhook, config.webhooks);
      return { ...sent, answer: withoutSecrets(sent.answer, webhook, config.webhooks) };
    });
    print(`${status ?? 'no answer'} after ${milliseconds} ms${answer ? `: ${answer.split('\n', 1)[0]}` : ''}`);
    return ok ? 0 : 1;
  },
});

const webhookAddCommand: Command = {
  name: 'webhook add',
  summary: 'send changes of content to an address',
  help: `galley webhook add URL --event E... [--name N] [--header 'Name: value']... [DIR]

Sends each change of content in the project in DIR (default: the working folder) to URL, as a POST request with a JSON body.
The secret that signs these requests, which is not shown again, is the only line on stdout.

  --event E   an event, or entry.*, media.*, review-workflows.* or schedule.* for all of a kind; may be repeated
              ${WEBHOOK_EVENTS.slice(0, 6).join(', ')},
              ${WEBHOOK_EVENTS.slice(6, 9).join(', ')},
              ${WEBHOOK_EVENTS.slice(9).join(', ')}
  --name N    name of the webhook (default: the host of URL)
  --header H  a header of its requests; may be repeated`,
  run,
};

async function run(args: readonly string[], { env, print, warn }: Surroundings): Promise<number> {
  const { flag, flags, positionals } = readArguments(
    'webhook add',
    args,
    { name: { type: 'string' }, event: { type: 'string', multiple: true }, header: { type: 'string', multiple: true } },
    ['URL', 'DIR'],
  );
  const [address, dir] = positionals;
  if (address === undefined) throw missingArgument('webhook add', 'a URL');
  const events = [...new Set(flags('event').flatMap((word) => checked(() => webhookEvents(word))))];
  if (events.length === 0) throw missingArgument('webhook add', '--event');
  const headers = checked(() => Object.fromEntries(flags('header').map(headerOf)));
  const { id, secret, name } = await changeProject(dir, { env, warn }, async ({ config }, tx) => {
    const url = checked(() => webhookUrl(address, config.webhooks));
    const name = flag('name')?.trim() || url.host;
    if ((await listWebhooks(tx)).length >= MOST_WEBHOOKS)
      throw new UsageError(`a project has at most ${MOST_WEBHOOKS} webhooks`);
    return { name, ...(await addWebhook(tx, { name, url: url.href, headers, events })) };
  });
  print(secret);
  warn(`Added the webhook ${name} (id ${id}). Save its secret: it is not shown again.`);
  return 0;
}

/** Runs a check of an argument. @throws UsageError for a mistake. */
function checked<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof WebhookMistake ? new UsageError(error.message) : error;
  }
}

function headerOf(text: string): readonly [string, string] {
  const [name = '', value = '\n'] = text.split(/:\s*(.*)/s);
  requireHeader(name, value);
  return [name, value];
}

/** The webhook with an id, or with a name that only one webhook has. @throws UsageError for none, and for several. */
export async function webhookNamed(db: Queryable, word: string): Promise<Webhook> {
  const all = await listWebhooks(db);
  const byId = all.find(({ id }) => String(id) === word);
  if (byId) return byId;
  const named = all.filter(({ name }) => name === word);
  if (named.length === 1) return named[0]!;
  if (named.length > 1) {
    throw new UsageError(
      `several webhooks are named ${word}: use one of the ids ${named.map(({ id }) => id).join(', ')}`,
    );
  }
  const names = all.map(({ id, name }) => name || String(id));
  throw new UsageError(`no webhook ${word}${choices(word, names)}`);
}

export const webhookCommands: readonly Command[] = [
  webhookListCommand,
  webhookAddCommand,
  webhookRemoveCommand,
  webhookEnableCommand,
  webhookDisableCommand,
  webhookSecretCommand,
  webhookTestCommand,
];
