/** Reads lifecycles, of a type's file and of `strapi.db.lifecycles.subscribe`. */

import { actionsOnRows, FILE_ACTIONS, LIFECYCLE_TYPES, type RowEvent } from '../access/actions.ts';
import { type Catalog, FILE_UID } from '../schema/catalog.ts';
import { selectionsOfListener } from './document-middleware.ts';
import { memberOf, textsOf, type Value } from './reading/values.ts';
import { valueMayRefuse } from './refuses.ts';
import type { SourceFile } from './source-files.ts';
import type { Sources } from './sources.ts';
import { allActions, type Touch } from './touch.ts';

/** All that listeners are told of. */
const EVENTS: readonly string[] = ['before', 'after'].flatMap((time) =>
  ['FindOne', 'FindMany', 'Count', 'Create', 'CreateMany', 'Update', 'UpdateMany', 'Delete', 'DeleteMany'].map(
    (moment) => time + moment,
  ),
);

const EVENT = /^(before|after)(Find(?:One|Many)|Count|Create|Update|Delete)(Many)?$/;

/** What happens to rows at an event such as `beforeCreateMany`; undefined for other names. */
function rowEventOf(name: string): RowEvent | undefined {
  const word = EVENT.exec(name)?.[2];
  if (word === undefined) return undefined;
  return word.startsWith('Find') || word === 'Count' ? 'read' : (word.toLowerCase() as RowEvent);
}

/** What the lifecycles file of a type touches. */
export function lifecyclesOf(catalog: Catalog, sources: Sources, file: SourceFile): Touch[] {
  const uids = [...catalog.contentTypes.keys()].filter((uid) => uid.startsWith(`api::${file.owner}.`));
  const uid = `api::${file.owner}.${file.name}`;
  const module = sources.module(file.path);
  if (module?.exported.kind === 'nothing') return [];
  const subscriber: Value = module ? sources.values.exported(module) : { kind: 'unknown' };
  // a type may be called otherwise than its folder: then it may be any of the API
  return lifecycleTouches(catalog, sources, subscriber, uids.includes(uid) ? [uid] : uids, file.path);
}

/** What `subscribe` is given: a function, or an object of events with the `models` that they are for. */
export function subscription(catalog: Catalog, sources: Sources, subscriber: Value, code: string): Touch[] {
  if (subscriber.kind === 'function') return listenerTouches(catalog, sources, subscriber, code);
  if (subscriber.kind !== 'object' || subscriber.open) return [allActions(code, SUBSCRIBED, { kind: 'hook' })];
  const models = memberOf(subscriber, 'models');
  const named = models.kind === 'literal' ? undefined : textsOf(models);
  if (models.kind !== 'literal' && named === undefined) return [allActions(code, SUBSCRIBED, { kind: 'hook' })];
  return subscribedTouches(catalog, named, listenedBy(subscriber, sources, code));
}

const SUBSCRIBED = 'subscribed lifecycles';

/** A function is told of everything: what it does is read. */
function listenerTouches(catalog: Catalog, sources: Sources, listener: Value, code: string): Touch[] {
  const refuses = valueMayRefuse(listener, sources);
  const uid = [...catalog.contentTypes.keys(), ...catalog.components.keys()];
  return selectionsOfListener(listener, sources.values, { uid, action: EVENTS }).flatMap(({ uid, action }) =>
    uid === undefined && action === undefined
      ? [allActions(code, SUBSCRIBED, { refuses, kind: 'hook' })]
      : subscribedTouches(catalog, uid, { names: action ?? ALL_EVENTS, code, refuses }),
  );
}

/** @param named uids; undefined: of whatever there is. */
function subscribedTouches(catalog: Catalog, named: readonly string[] | undefined, listened: Listened): Touch[] {
  const all = [...catalog.contentTypes.keys(), ...catalog.components.keys()];
  const isOwn = (uid: string): boolean => catalog.contentTypes.get(uid)?.builtIn === false;
  // who leaves out some types of the project alone names none of the others
  if (!named || all.every((uid) => isOwn(uid) || named.includes(uid)))
    return rowTouches(catalog, named ?? all, listened);
  // whoever names these means them: they are looked at apart, since not all lifecycles of them are run
  const own = named.filter((uid) => isOwn(uid) || isRunFor(catalog, uid, listened.names));
  const files = named.filter((uid) => !own.includes(uid) && isRunForFiles(uid, listened.names));
  const others = named.filter((uid) => !own.includes(uid) && !files.includes(uid));
  return [
    ...rowTouches(catalog, own, listened),
    ...(files.length > 0 ? fileTouches(catalog, listened) : []),
    ...rowTouches(catalog, others, { ...listened, whose: OF_OTHERS }),
  ];
}

/** Whether lifecycles are run for a component or a built-in type: for most, around writing them. */
const isRunFor = (catalog: Catalog, uid: string, names: readonly string[]): boolean =>
  (LIFECYCLE_TYPES.includes(uid) || catalog.components.has(uid)) && names.every((name) => rowEventOf(name) !== 'read');

/** Whether they are run for files, around reading these as well: nobody counts them but who writes links to them. */
const isRunForFiles = (uid: string, names: readonly string[]): boolean =>
  uid === FILE_UID && names.every((name) => !name.endsWith('Count'));

/** What is touched by whoever listens to files: the actions that read them run what is around that. */
function fileTouches(catalog: Catalog, { names, code, refuses }: Listened): Touch[] {
  const reading = names.filter((name) => rowEventOf(name) === 'read');
  const what = `lifecycle ${reading.join(', ')}${OF_FILES}`;
  const others = names.filter((name) => !reading.includes(name));
  return [
    ...rowTouches(catalog, [FILE_UID], { names: others, code, refuses }),
    { actions: FILE_ACTIONS, code, what, kind: 'hook', refuses },
  ];
}

/** What lifecycles around reading files are of: administrators have no part in them. */
export const OF_FILES = ' of files that are read';

/** What lifecycles are of that are named for what is no type of the project, and are not run. */
export const OF_OTHERS = ' of a component or a built-in type';

/** What listens to rows. */
interface Listened {
  /** Members, or actions: those that name events count. */
  readonly names: readonly string[];
  readonly code: string;
  readonly refuses: boolean;
  /** Whose rows they are, where that is to be said. */
  readonly whose?: string;
}

/** What an object of lifecycles listens to. */
function listenedBy(subscriber: Extract<Value, { kind: 'object' }>, sources: Sources, code: string): Listened {
  const names = [...subscriber.entries.keys()];
  return { names, code, refuses: names.some((name) => valueMayRefuse(memberOf(subscriber, name), sources)) };
}

const ALL_EVENTS = ['beforeFindMany', 'beforeCreate', 'beforeUpdate', 'beforeDelete'];

/** What lifecycles touch that an extension gives a built-in type. */
export function extensionTouches(catalog: Catalog, sources: Sources, value: Value, uid: string, code: string): Touch[] {
  const touches = lifecycleTouches(catalog, sources, value, [uid], code);
  const isRun = value.kind === 'object' && !value.open && isRunFor(catalog, uid, [...value.entries.keys()]);
  return isRun ? touches : touches.map((touch) => ({ ...touch, what: touch.what + OF_OTHERS }));
}

/** What the lifecycles of a file touch that are for the types of some uids. */
export function lifecycleTouches(
  catalog: Catalog,
  sources: Sources,
  subscriber: Value,
  uids: readonly string[],
  code: string,
): Touch[] {
  if (subscriber.kind !== 'object' || subscriber.open) {
    return rowTouches(catalog, uids, { names: ALL_EVENTS, code, refuses: true }, 'lifecycles that are not written out');
  }
  return rowTouches(catalog, uids, listenedBy(subscriber, sources, code));
}

/** What is touched by whoever listens to rows of some types and components. @param said instead of the events' names. */
function rowTouches(
  catalog: Catalog,
  uids: readonly string[],
  { names, code, refuses, whose = '' }: Listened,
  said?: string,
): Touch[] {
  const events = names.filter((name) => rowEventOf(name) !== undefined);
  const what = (said ?? `lifecycle ${events.join(', ')}`) + whose;
  const touched = new Set<string>();
  for (const uid of uids) {
    for (const event of new Set(events.map((name) => rowEventOf(name)!))) {
      const actions = actionsOnRows(catalog, uid, event);
      if (actions === 'all') return [allActions(code, what, { refuses, kind: 'hook' })];
      for (const action of actions) touched.add(action);
    }
  }
  return touched.size === 0 ? [] : [{ actions: [...touched], code, what, kind: 'hook', refuses }];
}
