/** Reads lifecycles, of a type's file and of `strapi.db.lifecycles.subscribe`. */
import { type Catalog, USER_UID } from '../schema/catalog.ts';
import { actionsOnRows, type RowEvent } from './actions.ts';
import { memberOf, textsOf, type Value } from './reading/values.ts';
import { valueMayRefuse } from './refuses.ts';
import type { SourceFile } from './source-files.ts';
import type { Sources } from './sources.ts';
import { allActions, type Touch } from './touch.ts';

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
  if (subscriber.kind !== 'object' || subscriber.open) return [allActions(code, 'subscribed lifecycles')];
  const models = memberOf(subscriber, 'models');
  const named = models.kind === 'literal' ? undefined : textsOf(models);
  if (models.kind !== 'literal' && named === undefined) return [allActions(code, 'subscribed lifecycles')];
  if (!named) {
    const all = [...catalog.contentTypes.keys(), ...catalog.components.keys()];
    return lifecycleTouches(catalog, sources, subscriber, all, code);
  }
  // whoever names these means them: they are looked at apart, since lifecycles of them are not run, but for writes of
  // accounts
  const reads = [...subscriber.entries.keys()].some((name) => rowEventOf(name) === 'read');
  const isRun = (uid: string) => catalog.contentTypes.get(uid)?.builtIn === false || (uid === USER_UID && !reads);
  const own = named.filter(isRun);
  const others = named.filter((uid) => !own.includes(uid));
  return [
    ...lifecycleTouches(catalog, sources, subscriber, own, code),
    ...lifecycleTouches(catalog, sources, subscriber, others, code, OF_OTHERS),
  ];
}

/** What lifecycles are of that are named for what is no type of the project. */
export const OF_OTHERS = ' of a component or a built-in type';

/** What lifecycles touch that are for the types and components of some uids. */
export function lifecycleTouches(
  catalog: Catalog,
  sources: Sources,
  subscriber: Value,
  uids: readonly string[],
  code: string,
  whose = '',
): Touch[] {
  const isKnown = subscriber.kind === 'object' && !subscriber.open;
  const names = isKnown ? [...subscriber.entries.keys()].filter((name) => rowEventOf(name) !== undefined) : [];
  const events = isKnown
    ? new Set(names.map((name) => rowEventOf(name)!))
    : new Set<RowEvent>(['read', 'create', 'update', 'delete']);
  const what = isKnown ? `lifecycle ${names.join(', ')}${whose}` : `lifecycles that are not written out${whose}`;
  const refuses = !isKnown || names.some((name) => valueMayRefuse(memberOf(subscriber, name), sources));
  const touched = new Set<string>();
  for (const uid of uids) {
    for (const event of events) {
      const actions = actionsOnRows(catalog, uid, event);
      if (actions === 'all') return [allActions(code, what, { refuses })];
      for (const action of actions) touched.add(action);
    }
  }
  return touched.size === 0 ? [] : [{ actions: [...touched], code, what, refuses }];
}
