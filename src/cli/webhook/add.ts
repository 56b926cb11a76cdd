/** `galley webhook add`: has an address told of changes. */
import { UsageError } from '../../errors.ts';
import { addWebhook, listWebhooks, MOST_WEBHOOKS, WEBHOOK_EVENTS } from '../../events/webhooks/webhook.ts';
import { requireHeader, WebhookMistake, webhookEvents, webhookUrl } from '../../events/webhooks/webhook-input.ts';
import { type Command, readArguments, type Surroundings } from '../command.ts';
import { changeProject } from '../in-project.ts';

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
