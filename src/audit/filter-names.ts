/** The names by which the log of actions is filtered: those of the server and of the project, and those in the log. */
import { ACTION_NAMES } from '../db/interface/action.ts';
import { ACTOR_KINDS, hasRow } from '../db/interface/actor.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { meant } from '../nearest.ts';
import { type Catalog, FOLDER_UID } from '../schema/catalog.ts';
import { NOUNS } from './recorded.ts';
import { type EntryQuery, filterValues } from './stored-entries.ts';

/** Subjects that are no types of the project. */
const SUBJECTS = [...Object.keys(NOUNS), FOLDER_UID, 'admin::role', 'plugin::review-workflows.workflow'];
const KINDS_OF_SUBJECTS = ['settings', 'job'];

/** A filter whose value names nothing. */
export interface WrongFilter {
  readonly filter: 'actor' | 'type' | 'action';
  /** What the value must be, with the nearest name. */
  readonly message: string;
}

/** The filters of a query whose values name nothing. An action that has not happened yet is known all the same. */
export async function wrongFilters(
  db: Queryable,
  { contentTypes, components }: Catalog,
  { actor, type, action }: EntryQuery,
): Promise<readonly WrongFilter[]> {
  const types = [...contentTypes.keys(), ...components.keys(), ...SUBJECTS, ...KINDS_OF_SUBJECTS];
  const wrong: WrongFilter[] = [];
  if (actor !== undefined && !isActor(actor)) {
    const [kind = ''] = actor.split(' ');
    const hint = (ACTOR_KINDS as readonly string[]).includes(kind) ? '' : meant(kind, ACTOR_KINDS);
    wrong.push({ filter: 'actor', message: `must be an actor, such as "administrator 3" or "server"${hint}` });
  }
  const isUnknown =
    (type !== undefined && !types.includes(type)) ||
    (action !== undefined && !(ACTION_NAMES as readonly string[]).includes(action));
  if (!isUnknown) return wrong;
  // those of earlier projects and versions
  const stored = await filterValues(db);
  const named = (known: readonly string[], of: 'subject_type' | 'action') => [
    ...new Set([...known, ...stored[of].map(({ value }) => value)]),
  ];
  const check = (filter: 'type' | 'action', value: string | undefined, known: readonly string[], noun: string) => {
    if (value === undefined || known.includes(value)) return;
    wrong.push({ filter, message: `must be ${noun}${meant(value, known)}` });
  };
  check('type', type, named(types, 'subject_type'), 'the type of a subject');
  check('action', action, named(ACTION_NAMES, 'action'), 'the name of an action');
  return wrong;
}

/** Whether a text could be the key of an actor (`actorKey`). */
function isActor(key: string): boolean {
  const [kind, ...own] = key.split(' ');
  const known = ACTOR_KINDS.find((one) => one === kind);
  return known !== undefined && (!hasRow(known) || own.length === 0 || /^\d{1,15}$/.test(own.join(' ')));
}
