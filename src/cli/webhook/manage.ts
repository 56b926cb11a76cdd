/** `galley webhook list|remove|enable|disable|secret|test`. */

import { sendTest } from '../../events/webhooks/sender.ts';
import { listWebhooks, removeWebhook, setWebhookSecret, switchWebhook } from '../../events/webhooks/webhook.ts';
import { shownUrl, withoutSecrets } from '../../events/webhooks/webhook-input.ts';
import { type Command, readArguments, type Surroundings } from '../command.ts';
import { changeProject, inProject } from '../in-project.ts';
import { listing } from '../table.ts';
import { requiredWord, webhookNamed } from './named.ts';

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
