/**
 * The settings of the site in the app: its name, and the time zone of dates and times. The reference has no such
 * settings, so they are an entry of the core store of Galley's own.
 */
import { readSetting, storeSetting } from '../../db/interface/core-store.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { at, Failures } from '../../failures.ts';
import { type JsonObject, objectOrEmpty } from '../../plain-values.ts';

export interface SiteSettings {
  /** Null: the site has no name of its own. */
  readonly name: string | null;
  /** An IANA name such as `Europe/Berlin`; null: the zone of each reader. */
  readonly timeZone: string | null;
}

const KEY = 'galley_site';
const NAME_LENGTH = 60;
const ZONE_LENGTH = 64;

/** The settings of the site. */
export async function readSite(db: Queryable): Promise<SiteSettings> {
  return siteIn(await readSetting(db, KEY));
}

/**
 * Changes the settings of the site. Keys that the body leaves out stay unchanged.
 *
 * @throws ContentError 400 with the paths of all wrong values.
 */
export async function changeSite(tx: Transaction, body: unknown): Promise<SiteSettings> {
  await tx.lock(() => [{ key: 'galley site settings', shared: false }]);
  const { name, timeZone } = objectOrEmpty(body);
  const failures = new Failures();
  if (name !== undefined && name !== null && !isName(name)) {
    failures.add(at('name'), `name must be at most ${NAME_LENGTH} characters, without control characters`, name);
  }
  if (timeZone !== undefined && timeZone !== null && !isTimeZone(timeZone)) {
    failures.add(at('timeZone'), 'timeZone must be a time zone such as Europe/Berlin', timeZone);
  }
  failures.throwAny();
  const next = {
    ...(await readSetting(tx, KEY)),
    ...(name === undefined ? {} : { name: String(name ?? '').trim() || null }),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
  await storeSetting(tx, KEY, next);
  const fields = Object.entries({ name, timeZone }).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  tx.recordAction({ action: 'settings.update', type: 'settings', id: 'site', fields });
  return siteIn(next);
}

/** Whether a value names a time zone. */
function isTimeZone(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > ZONE_LENGTH || /^[+-]/.test(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= NAME_LENGTH && !/\p{Cc}/u.test(value) && value.isWellFormed();

function siteIn({ name, timeZone }: JsonObject): SiteSettings {
  return {
    name: isName(name) && name !== '' ? name : null,
    timeZone: isTimeZone(timeZone) ? timeZone : null,
  };
}
