/** How the commands about webhooks find the one that is meant. */
import type { Queryable } from '../../db/interface/queryable.ts';
import { UsageError } from '../../errors.ts';
import { listWebhooks, type Webhook } from '../../events/webhooks/webhook.ts';
import { choices } from '../../nearest.ts';

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
