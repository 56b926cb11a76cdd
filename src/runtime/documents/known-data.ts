/**
 * Data that code writes, reduced to the attributes of the schema: the reference ignores other keys, at any depth. And the
 * changes that listeners make to data.
 */
import { isDeepStrictEqual } from 'node:util';
import { permitBody } from '../../access/permit-body.ts';
import { PatternTime } from '../../content/validation/pattern-time.ts';
import { validateRow } from '../../content/validation/validate.ts';
import { Failures } from '../../failures.ts';
import type { WrittenData } from '../../query/body.ts';
import { plainData } from '../../query/plain.ts';
import type { Catalog, ContentType, Model } from '../../schema/catalog.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Moment, Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

/** Keys that identify an entry of a component, besides its attributes. */
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

/** Keys that identify a link and its place, with the values that they take: documents may have attributes of these names. */
const OF_LINKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  documentId: () => true,
  id: () => true,
  __type: () => true,
  locale: (value) => typeof value === 'string',
  status: (value) => value === 'draft' || value === 'published',
  position: isPlain,
};
const LISTS_OF_LINKS = ['connect', 'disconnect', 'set'];

/** Links without other attributes of the linked documents: code passes on documents that it has populated. */
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

/** A copy of lists and ordinary objects, with every other value replaced. */
export function mapped(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, leaf));
  if (typeof value !== 'object' || value === null) return leaf(value);
  const isOrdinary = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  if (!isOrdinary) return leaf(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, leaf)]));
}

/** A copy of data, which later changes do not affect. */
export const copied = (value: unknown): Params => mapped(value ?? {}, (inner) => inner) as Params;

/**
 * Whether two values are the same data: equal lists, ordinary objects with the same keys in the same order, or
 * identical values.
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

/** The changes that listeners made to data: new values, and null for removed ones. */
export function changesOf(shown: Params, data: Params): Params {
  const changed = Object.entries(data).filter(([name, value]) => !isDeepStrictEqual(value, shown[name]));
  const removed = Object.keys(shown).filter((name) => !(name in data) || data[name] === undefined);
  return { ...Object.fromEntries(changed), ...Object.fromEntries(removed.map((name) => [name, null])) };
}

/**
 * The default values of attributes that data does not set, as the reference adds them when documents are created. Lists of
 * entries default to empty lists. Passwords have no defaults, because only their hashes are stored.
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

/** Data without defaults that have not been changed. */
export const withoutDefaults = (data: Params, defaults: Params): Params =>
  Object.fromEntries(
    Object.entries(data).filter(([name, value]) => !(name in defaults && isDeepStrictEqual(value, defaults[name]))),
  );

const TIMES = ['createdAt', 'updatedAt'];

/** Sets the times in data before listeners receive it, as the reference does. */
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

/** Data without the times, which code does not decide. */
export const withoutTimes = without(TIMES);

/** Keys that lifecycles see with the data of a row, and that are not written. */
const BESIDE_DATA = ['publishedAt', ...TIMES, 'documentId', 'locale', 'id', 'createdBy', 'updatedBy'];

/** The data of a row after listeners have changed it, without these keys. */
export const written = without(BESIDE_DATA);

/** The `publishedAt` that listeners see. */
export const stamp = (isDraft: boolean): Date | null => (isDraft ? null : new Date());

interface Validation {
  readonly catalog: RuntimeContext['catalog'];
  readonly views: Pick<RuntimeContext['views'], 'code'>;
}

/**
 * Checks values and components before listeners receive them. Types with drafts are checked as drafts, because documents are
 * written as drafts first. Links may still be added by code, and uniqueness is checked on writing.
 *
 * @throws ContentError 400 for values that are wrong, or missing.
 */
export function requireValid(
  { catalog, views }: Validation,
  type: ContentType,
  data: unknown,
  creating: boolean,
): void {
  if (type.builtIn) return;
  const known = plainData(knownData(catalog, type, data ?? {})) as WrittenData;
  const { row } = permitBody(views.code.view, type, known);
  const failures = new Failures();
  const links = new Failures();
  const rules = { strict: !type.draftAndPublish, creating, patterns: new PatternTime() };
  validateRow(row, rules, ({ type: kind }) => (kind === 'relation' || kind === 'media' ? links : failures));
  failures.throwAny();
}
