/** `galley webhook add`: has an address told of changes. */
import { UsageError } from '../../errors.ts';
import { addWebhook, listWebhooks, MOST_WEBHOOKS, WEBHOOK_EVENTS } from '../../events/webhook.ts';
import { nearest } from '../../schema/check/nearest.ts';
import { type Command, readArguments, type Surroundings } from '../command.ts';
import { changeProject } from '../in-project.ts';

export const webhookAddCommand: Command = {
  name: 'webhook add',
  summary: 'have an address told of changes',
  help: `galley webhook add URL --event E... [--name N] [--header 'Name: value']... [DIR]

Has an address told of changes of the content of the project in DIR (default: the working folder): each is a POST
request with a JSON body. Prints the secret that its requests are signed with, alone on stdout; it is told this once.

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
  const url = urlOf(address);
  const events = [...new Set(flags('event').flatMap(eventsOf))];
  if (events.length === 0) throw new UsageError('galley webhook add needs --event; see galley webhook add --help');
  const headers = Object.fromEntries(flags('header').map(headerOf));
  const name = flag('name')?.trim() || url.host;
  const { id, secret } = await changeProject(dir, { env, warn }, async (_, tx) => {
    if ((await listWebhooks(tx)).length >= MOST_WEBHOOKS)
      throw new UsageError(`there are ${MOST_WEBHOOKS} webhooks already`);
    return addWebhook(tx, { name, url: url.href, headers, events });
  });
  print(secret);
  warn(`Added webhook ${id} ${name}. Save its secret: it is not shown again.`);
  return 0;
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new UsageError(`${text} is not an address: it must begin with https:// or http://`);
}

function eventsOf(word: string): readonly string[] {
  const group = /^(entry|media)\.\*$/.exec(word)?.[1];
  if (group !== undefined) return WEBHOOK_EVENTS.filter((event) => event.startsWith(`${group}.`));
  if ((WEBHOOK_EVENTS as readonly string[]).includes(word)) return [word];
  const hint = nearest(word, [...WEBHOOK_EVENTS, 'entry.*', 'media.*']);
  throw new UsageError(`unknown event ${word}: ${hint ? `did you mean ${hint}?` : `use ${WEBHOOK_EVENTS.join(', ')}`}`);
}

function headerOf(text: string): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*([\x20-\x7e]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(`--header must be such as 'Authorization: Bearer …', not ${JSON.stringify(text)}`);
  }
  return [name, value];
}
