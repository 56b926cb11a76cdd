/** `galley webhook list|remove|enable|disable|secret|test`. */

import type { Queryable } from '../db/interface/queryable.ts';
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
import { type Command, readArguments, type Surroundings } from './command.ts';
import { changeProject, inProject } from './in-project.ts';
import { listing } from './table.ts';

export const webhookListCommand: Command = {
  name: 'webhook list',
  summary: 'list the webhooks',
  help: `galley webhook list [--json] [DIR]

Lists the webhooks of the project in DIR (default: the working folder): id, name, whether each is on, address, events.
Headers, passwords and secrets are not shown.

  --json  a JSON object a line`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('webhook list', args, { json: { type: 'boolean' } }, ['DIR']);
    const webhooks = await inProject(positionals[0], { env, warn }, (_, db) => listWebhooks(db));
    const shown = webhooks.map(({ id, name, enabled, url, events, secret }) => {
      return { id, name, enabled, url: shownUrl(url), events, signed: secret !== undefined };
    });
    const lines = listing(shown, switched('json'), {
      heads: ['id', 'name', '', 'address', 'events'],
      cells: ({ id, name, enabled, url, events }) => [String(id), name, enabled ? 'on' : 'off', url, events.join(' ')],
    });
    for (const line of lines) print(line);
    return 0;
  },
};

export const webhookRemoveCommand: Command = {
  name: 'webhook remove',
  summary: 'remove a webhook, and what it was still to be sent',
  help: `galley webhook remove WEBHOOK [DIR]

Removes a webhook, by its id or name, from the project in DIR (default: the working folder). What it was still to be
sent is forgotten.`,
  async run(args, { env, print, warn }) {
    const { positionals } = readArguments('webhook remove', args, {}, ['WEBHOOK', 'DIR']);
    const word = requiredWord(positionals[0], 'webhook remove');
    const { id, name } = await changeProject(positionals[1], { env, warn }, async (_, tx) => {
      const webhook = await webhookNamed(tx, word);
      await removeWebhook(tx, webhook.id);
      return webhook;
    });
    print(`removed webhook ${id} ${name}`);
    return 0;
  },
};

export const webhookEnableCommand = switching('enable', true, 'Switches a webhook on. It is sent what waits for it.');
export const webhookDisableCommand = switching(
  'disable',
  false,
  'Switches a webhook off. What waits for it is kept until it is switched on; what happens meanwhile it is not told.',
);

function switching(verb: string, enabled: boolean, what: string): Command {
  const name = `webhook ${verb}`;
  return {
    name,
    summary: `switch a webhook ${enabled ? 'on' : 'off'}`,
    help: `galley ${name} WEBHOOK [DIR]\n\n${what}\nDIR is the project folder (default: the working folder).`,
    async run(args, { env, print, warn }) {
      const { positionals } = readArguments(name, args, {}, ['WEBHOOK', 'DIR']);
      const word = requiredWord(positionals[0], name);
      const webhook = await changeProject(positionals[1], { env, warn }, async (_, tx) => {
        const found = await webhookNamed(tx, word);
        await switchWebhook(tx, found.id, enabled);
        return found;
      });
      print(`${verb}d webhook ${webhook.id} ${webhook.name}`);
      return 0;
    },
  };
}

export const webhookSecretCommand: Command = {
  name: 'webhook secret',
  summary: 'give a webhook a new secret and print it',
  help: `galley webhook secret WEBHOOK [DIR]

Gives a webhook a new secret, with which its requests are signed from now on, and prints it, alone on stdout. Webhooks
that were made in Strapi's panel have none until then, and their requests are not signed.`,
  async run(args, { env, print, warn }) {
    const { positionals } = readArguments('webhook secret', args, {}, ['WEBHOOK', 'DIR']);
    const word = requiredWord(positionals[0], 'webhook secret');
    print(
      await changeProject(positionals[1], { env, warn }, async (_, tx) =>
        setWebhookSecret(tx, (await webhookNamed(tx, word)).id),
      ),
    );
    return 0;
  },
};

export const webhookTestCommand: Command = {
  name: 'webhook test',
  summary: 'send a webhook a test request',
  help: `galley webhook test WEBHOOK [DIR]

Sends a webhook one request with the event trigger-test, from here, and prints what it answers. The exit code is 1 where
it does not accept it, with a status of 2xx.`,
  run: test,
};

async function test(args: readonly string[], { env, print, warn }: Surroundings): Promise<number> {
  const { positionals } = readArguments('webhook test', args, {}, ['WEBHOOK', 'DIR']);
  const word = requiredWord(positionals[0], 'webhook test');
  const { ok, status, answer, milliseconds } = await inProject(
    positionals[1],
    { env, warn },
    async ({ config }, db) => {
      const webhook = await webhookNamed(db, word);
      const sent = await sendTest(webhook, config.webhooks);
      return { ...sent, answer: withoutSecrets(sent.answer, webhook, config.webhooks) };
    },
  );
  print(`${status ?? 'no answer'} after ${milliseconds} ms${answer ? `: ${answer.split('\n', 1)[0]}` : ''}`);
  return ok ? 0 : 1;
}

export const webhookAddCommand: Command = {
  name: 'webhook add',
  summary: 'have an address told of changes',
  help: `galley webhook add URL --event E... [--name N] [--header 'Name: value']... [DIR]

Sends changes of the content of the project in DIR (default: the working folder) to an address: each as a POST request
with a JSON body. Prints the secret that these requests are signed with, alone on stdout and this once only.

  --event E   an event, or entry.* or media.* for all of a kind; may be repeated
              ${WEBHOOK_EVENTS.slice(0, 6).join(', ')},
              ${WEBHOOK_EVENTS.slice(6).join(', ')}
  --name N    a name (default: the host of the address)
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
  if (address === undefined) throw new UsageError('galley webhook add needs a URL; see galley webhook add --help');
  const events = [...new Set(flags('event').flatMap((word) => checked(() => webhookEvents(word))))];
  if (events.length === 0) throw new UsageError('galley webhook add needs --event; see galley webhook add --help');
  const headers = checked(() => Object.fromEntries(flags('header').map(headerOf)));
  const { id, secret, name } = await changeProject(dir, { env, warn }, async ({ config }, tx) => {
    const url = checked(() => webhookUrl(address, config.webhooks));
    const name = flag('name')?.trim() || url.host;
    if ((await listWebhooks(tx)).length >= MOST_WEBHOOKS)
      throw new UsageError(`there are ${MOST_WEBHOOKS} webhooks already`);
    return { name, ...(await addWebhook(tx, { name, url: url.href, headers, events })) };
  });
  print(secret);
  warn(`Added webhook ${id} ${name}. Save its secret: it is not shown again.`);
  return 0;
}

/** Does what may find a mistake in an argument. @throws UsageError for it. */
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

/** The webhook of an id, or of a name that only one has. Throws UsageError for none, or several. */
export async function webhookNamed(db: Queryable, word: string): Promise<Webhook> {
  const all = await listWebhooks(db);
  const byId = all.find(({ id }) => String(id) === word);
  if (byId) return byId;
  const named = all.filter(({ name }) => name === word);
  if (named.length === 1) return named[0]!;
  if (named.length > 1) {
    throw new UsageError(
      `several webhooks are named ${word}: use the id, one of ${named.map(({ id }) => id).join(', ')}`,
    );
  }
  throw new UsageError(
    `no webhook ${word}${choices(
      word,
      all.map(({ id, name }) => name || String(id)),
    )}`,
  );
}

/** What a positional argument must be given for. */
export function requiredWord(word: string | undefined, command: string): string {
  if (word === undefined)
    throw new UsageError(`galley ${command} needs a WEBHOOK, its id or name; see galley webhook list`);
  return word;
}
