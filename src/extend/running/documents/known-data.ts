/**
 * Data that code writes → what of it the schema knows: the reference passes over the rest, at any depth. And data that
 * listeners are shown → what they have changed of it.
 */

import { isDeepStrictEqual } from 'node:util';
import { permitBody } from '../../../access/permit-body.ts';
import { PatternTime } from '../../../content/validation/pattern-time.ts';
import { validateRow } from '../../../content/validation/validate.ts';
import { Failures } from '../../../failures.ts';
import type { WrittenData } from '../../../query/body.ts';
import { plainData } from '../../../query/plain.ts';
import type { Catalog, ContentType, Model } from '../../../schema/catalog.ts';
import type { CodeRooms } from '../rooms.ts';
import type { Moment, Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

/** What names an entry of a component, beside its attributes. */
const OF_ENTRIES = ['id', '__component'];

/** The keys of data that are attributes of a model, with those of its components. */
export function knownData(catalog: Catalog, model: Model, data: unknown): unknown {
  if (!isPlain(data)) return data;
  const known: Params = {};
  for (const [name, value] of Object.entries(data)) {
    const attribute = model.attributes.get(name);
    if (attribute) {
      const component = attribute.type === 'component' ? catalog.components.get(attribute.component) : undefined;
      if (component) known[name] = knownEntries(catalog, value, () => component);
      else if (attribute.type === 'dynamiczone') {
        known[name] = knownEntries(catalog, value, ({ __component: uid }) => catalog.components.get(String(uid)));
      } else known[name] = attribute.type === 'relation' || attribute.type === 'media' ? knownLinks(value) : value;
    } else if (model.modelType === 'component' && OF_ENTRIES.includes(name)) known[name] = value;
  }
  return known;
}

/** What names what is linked, and how: attributes of documents may have these names, and other values. */
const OF_LINKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  documentId: () => true,
  id: () => true,
  __type: () => true,
  locale: (value) => typeof value === 'string',
  status: (value) => value === 'draft' || value === 'published',
  position: isPlain,
};
const LISTS_OF_LINKS = ['connect', 'disconnect', 'set'];

/** Links without what documents that were read have beside it: code hands on what it has populated. */
function knownLinks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(knownLinks);
  if (!isPlain(value)) return value;
  if ('documentId' in value || 'id' in value || '__type' in value) {
    return Object.fromEntries(Object.entries(value).filter(([name, one]) => OF_LINKS[name]?.(one)));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, LISTS_OF_LINKS.includes(name) ? knownLinks(one) : one]),
  );
}

function knownEntries(catalog: Catalog, value: unknown, modelOf: (entry: Params) => Model | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => knownEntries(catalog, one, modelOf));
  const model = isPlain(value) ? modelOf(value) : undefined;
  return model ? knownData(catalog, model, value) : value;
}

/** A value with others in the places of all that is no list and no ordinary object. */
export function mapped(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, leaf));
  if (typeof value !== 'object' || value === null) return leaf(value);
  const isOrdinary = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  if (!isOrdinary) return leaf(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, leaf)]));
}

/** Data as it is now, whatever somebody changes inside of it later. */
export const copied = (value: unknown): Params => mapped(value ?? {}, (inner) => inner) as Params;

/**
 * Whether two values are the same data: lists, ordinary objects whose keys are in the same order, and values that are none
 * of these and the same.
 */
export function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return typeof a !== 'object' || a === null;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const prototype: unknown = Object.getPrototypeOf(a);
  const isOrdinary = prototype === Object.prototype || prototype === Array.prototype;
  if (!isOrdinary || prototype !== Object.getPrototypeOf(b)) return false;
  const [keys, others] = [Reflect.ownKeys(a), Reflect.ownKeys(b)];
  return (
    keys.length === others.length &&
    keys.every((key, at) => key === others[at] && isSameData((a as Data)[key], (b as Data)[key]))
  );
}
type Data = Readonly<Record<PropertyKey, unknown>>;

/** What listeners have made of data that they were shown: other values, and none where they have taken one away. */
export function changesOf(shown: Params, left: Params): Params {
  const changed = Object.entries(left).filter(([name, value]) => !isDeepStrictEqual(value, shown[name]));
  const gone = Object.keys(shown).filter((name) => !(name in left) || left[name] === undefined);
  return { ...Object.fromEntries(changed), ...Object.fromEntries(gone.map((name) => [name, null])) };
}

/**
 * Values of attributes that a write of some data leaves to their defaults, as the reference has them in data that is made
 * by documents: lists of entries are empty ones. Passwords have none there, as their hashes alone are kept.
 */
export function defaultsOf({ attributes }: Model, data: Params, passedOver?: ReadonlySet<string>): Params {
  const defaults: Params = {};
  for (const attribute of attributes.values()) {
    const { name, type } = attribute;
    if (data[name] !== undefined || type === 'password' || passedOver?.has(name)) continue;
    const isList = type === 'dynamiczone' || (type === 'component' && attribute.repeatable);
    if (isList && !attribute.required) defaults[name] = [];
    else if ('default' in attribute && attribute.default !== undefined) defaults[name] = attribute.default;
  }
  return defaults;
}

/** Data without those of its defaults that are still what they were. */
export const withoutDefaults = (data: Params, defaults: Params): Params =>
  Object.fromEntries(
    Object.entries(data).filter(([name, value]) => !(name in defaults && isDeepStrictEqual(value, defaults[name]))),
  );

const TIMES = ['createdAt', 'updatedAt'];

/** Puts the times into data that listeners are about to be told of, as the reference does before it tells anybody. */
export function putTimes(moment: Moment, data: unknown): void {
  const now = new Date();
  if (moment === 'CreateMany' && Array.isArray(data)) for (const one of data) putTimes('Create', one);
  else if (!isPlain(data)) return;
  else if (moment === 'Update') data['updatedAt'] = now;
  else if (moment === 'Create') for (const name of TIMES) if (data[name] === undefined) data[name] = now;
}

const without =
  (names: readonly string[]) =>
  (data: Params): Params =>
    Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));

/** Data without these, which are not up to code. */
export const withoutTimes = without(TIMES);

/** What the reference shows to lifecycles with the data of a row, and is not written. */
const BESIDE_DATA = ['publishedAt', ...TIMES, 'documentId', 'locale', 'id', 'createdBy', 'updatedBy'];

/** Data of a row as listeners have left it, without these. */
export const written = without(BESIDE_DATA);

/** The `publishedAt` that they are shown. */
export const stamp = (isDraft: boolean): Date | null => (isDraft ? null : new Date());

interface Rooms {
  readonly catalog: CodeRooms['catalog'];
  readonly views: Pick<CodeRooms['views'], 'code'>;
}

/**
 * Checks values and components as they are given: of a type with drafts as those of a draft, since what is published is
 * written as one first. Code may fill in links, and what others have is asked for when all is written.
 *
 * @throws ContentError 400 for values that are wrong, or missing.
 */
export function requireValid({ catalog, views }: Rooms, type: ContentType, data: unknown, creating: boolean): void {
  if (type.builtIn) return;
  const known = plainData(knownData(catalog, type, data ?? {})) as WrittenData;
  const { row } = permitBody(views.code.view, type, known);
  const failures = new Failures();
  const links = new Failures();
  const rules = { strict: !type.draftAndPublish, creating, patterns: new PatternTime() };
  validateRow(row, rules, ({ type: kind }) => (kind === 'relation' || kind === 'media' ? links : failures));
  failures.throwAny();
}
