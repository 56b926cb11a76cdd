/** Settings of administrators in the app, such as views of lists: JSON values by name. */
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, execute, query, selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { refusal, validation } from '../../errors.ts';
import { compileKeepSetting, compileOtherSettings, SETTINGS_TABLE } from '../../sql/administrators/app-state.ts';

/** Settings of one administrator, characters of a name, and of a value's JSON. */
const MOST = 200;
const NAME_LENGTH = 150;
const VALUE_LENGTH = 16_384;

/** All settings of an administrator. */
export async function settingsOf(db: Queryable, userId: number): Promise<Readonly<Record<string, unknown>>> {
  const rows = await selectRows(db, SETTINGS_TABLE, ['name', 'value'], { user_id: userId }, ['name']);
  return Object.fromEntries(rows.map(([name, value]) => [String(name), JSON.parse(String(value)) as unknown]));
}

/**
 * Stores a value under a name; null deletes it.
 *
 * @throws ContentError 400 for a name or value that is too long, and for too many settings.
 */
export async function keepSetting(tx: Transaction, userId: number, name: string, value: unknown): Promise<void> {
  const json = JSON.stringify(value ?? null);
  if (name.length > NAME_LENGTH || /\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw validation(`The name of a setting must have at most ${NAME_LENGTH} characters, and no control characters`);
  }
  if (json.length > VALUE_LENGTH) throw validation(`A setting must have at most ${VALUE_LENGTH} characters of JSON`);
  if (json === 'null') return deleteRows(tx, SETTINGS_TABLE, { user_id: userId, name });
  const [others] = await query(tx, compileOtherSettings(), [userId, name]);
  if (Number(others![0]) >= MOST) throw refusal(`An administrator may have ${MOST} settings at most`);
  await execute(tx, compileKeepSetting(), [userId, name, json]);
}
