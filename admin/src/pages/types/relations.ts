/** Relations and their other sides, and references between types, in a set of working types. */
import {
  componentsOf,
  isJson,
  type Options,
  optionAt,
  type WorkingAttribute,
  type WorkingType,
  withOption,
} from './working-type.ts';

export type Types = Readonly<Record<string, WorkingType>>;

export const RELATIONS = [
  ...(['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const),
  ...(['morphToOne', 'morphToMany', 'morphOne', 'morphMany'] as const),
] as const;
export type Relation = (typeof RELATIONS)[number];

/** The kind of the other side. */
const OPPOSITE: Readonly<Record<string, Relation>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
};

/** Whether a relation can have another side, with which it shares its links. */
export const canHaveOther = (relation: unknown): boolean => OPPOSITE[relation as string] !== undefined;
/** Whether a relation leads to documents of any type. */
export const isToAny = (relation: unknown): boolean => relation === 'morphToOne' || relation === 'morphToMany';
/** Whether a relation is the other side of one that leads to any type. */
export const isFromAny = (relation: unknown): boolean => relation === 'morphOne' || relation === 'morphMany';

const isRelation = ({ type }: Options): boolean => type === 'relation';

/** The name of the attribute on the other side; undefined if there is none. */
export function otherName({ inversedBy, mappedBy }: Options): string | undefined {
  const name = inversedBy ?? mappedBy;
  return typeof name === 'string' ? name : undefined;
}

/** The options of the other side of a relation. The side that stores the links has `inversedBy`. */
function otherOptions(
  uid: string,
  name: string,
  { relation, inversedBy }: Options,
  before: Options | undefined,
): Options {
  const { relation: _relation, target: _target, inversedBy: _i, mappedBy: _m, ...own } = before ?? { type: 'relation' };
  return {
    ...own,
    type: 'relation',
    relation: OPPOSITE[relation as string]!,
    target: uid,
    ...(inversedBy === undefined ? { inversedBy: name } : { mappedBy: name }),
  };
}

/** The options of a relation with another side of a given name, or with none. */
export function withOther(options: Options, name: string | undefined): Options {
  const { inversedBy, mappedBy, ...rest } = options;
  if (name === undefined || !canHaveOther(options['relation'])) return rest;
  // The `many` side of one-to-many stores no links; the `one` side has to.
  const isInverse =
    options['relation'] === 'oneToMany' ||
    (options['relation'] !== 'manyToOne' && mappedBy !== undefined && inversedBy === undefined);
  return { ...rest, [isInverse ? 'mappedBy' : 'inversedBy']: name };
}

/**
 * Stores an attribute in its type, and adjusts references to it: the other side of a relation, and names in other
 * attributes.
 *
 * @param key the key of the attribute that is replaced; undefined to add one.
 */
export function withAttribute(types: Types, uid: string, key: string | undefined, next: WorkingAttribute): Types {
  const type = types[uid]!;
  const before = key === undefined ? undefined : type.attributes.find((one) => one.key === key);
  const attributes = before ? type.attributes.map((one) => (one.key === key ? next : one)) : [...type.attributes, next];
  let now: Types = { ...types, [uid]: { ...type, attributes } };
  if (before && before.name !== next.name) now = withRenamed(now, uid, before.name, next.name);
  return withOtherSide(now, uid, before, next);
}

/** Removes an attribute and the other side of its relation. */
export function withoutAttribute(types: Types, uid: string, key: string): Types {
  const type = types[uid]!;
  const removed = type.attributes.find((one) => one.key === key);
  if (!removed) return types;
  const attributes = type.attributes
    .filter((one) => one.key !== key)
    .map((one) =>
      one.options['targetField'] === removed.name ? { ...one, options: without(one.options, 'targetField') } : one,
    );
  const now = { ...types, [uid]: { ...type, attributes } };
  return withoutOtherSide(now, uid, removed);
}

/** Marks a type as removed, or forgets a new one, and removes references to it. */
export function withoutType(types: Types, uid: string): Types {
  const removed = types[uid]!;
  const entries = Object.values(types)
    .filter((type) => type.uid !== uid || type.from !== null)
    .map((type): readonly [string, WorkingType] => [
      type.uid,
      type.uid === uid ? { ...removed, isRemoved: true } : unlinked(type, uid),
    ]);
  return Object.fromEntries(entries);
}

/** Gives a type another uid, also in everything that refers to it. */
export function withUid(types: Types, uid: string, next: string): Types {
  const replaced = (value: unknown): unknown => (value === uid ? next : value);
  const renamed = (type: WorkingType): WorkingType => {
    const attributes = type.attributes.map((one): WorkingAttribute => {
      const { options } = one;
      if (!refersTo(options, uid)) return one;
      const now: Record<string, unknown> = { ...options };
      for (const name of ['target', 'component']) if (name in now) now[name] = replaced(now[name]);
      if (Array.isArray(now['components'])) now['components'] = now['components'].map(replaced);
      return { ...one, options: now as Options };
    });
    const isSame = attributes.every((one, place) => one === type.attributes[place]);
    const own = isSame ? type : { ...type, attributes };
    return own.uid === uid ? { ...own, uid: next } : own;
  };
  return Object.fromEntries(Object.values(types).map((type) => [type.uid === uid ? next : type.uid, renamed(type)]));
}

/** The attributes of other types that refer to a type. */
export function usesOf(types: Types, uid: string): readonly (readonly [WorkingType, WorkingAttribute])[] {
  return Object.values(types)
    .filter((type) => type.uid !== uid && !type.isRemoved)
    .flatMap((type) =>
      type.attributes.filter(({ options }) => refersTo(options, uid)).map((one) => [type, one] as const),
    );
}

const refersTo = (options: Options, uid: string): boolean =>
  options['target'] === uid || componentsOf(options).includes(uid);

function unlinked(type: WorkingType, uid: string): WorkingType {
  if (!type.attributes.some(({ options }) => refersTo(options, uid))) return type;
  const attributes = type.attributes
    .filter(({ options }) => options['target'] !== uid && options['component'] !== uid)
    .map((one) => {
      const { components } = one.options;
      if (!Array.isArray(components)) return one;
      return { ...one, options: { ...one.options, components: components.filter((other) => other !== uid) } };
    });
  return { ...type, attributes };
}

function without(options: Options, name: string): Options {
  const { [name]: _gone, ...rest } = options;
  return rest as Options;
}

/** Replaces the name of an attribute in everything that refers to it. */
function withRenamed(types: Types, uid: string, from: string, to: string): Types {
  const rename = (type: WorkingType): WorkingType => {
    const isOwn = type.uid === uid;
    let isTouched = false;
    const attributes = type.attributes.map((one): WorkingAttribute => {
      const { options } = one;
      let next = options;
      const replaces = (name: string): boolean => options[name] === from;
      if (isOwn && replaces('targetField')) next = { ...next, targetField: to };
      if (isOwn && options['conditions'] !== undefined) {
        const conditions = withVariable(options['conditions'], from, to);
        if (JSON.stringify(conditions) !== JSON.stringify(options['conditions'])) next = { ...next, conditions };
      }
      if (isRelation(options) && options['target'] === uid) {
        for (const name of ['inversedBy', 'mappedBy', 'morphBy']) if (replaces(name)) next = { ...next, [name]: to };
      }
      if (next === options) return one;
      isTouched = true;
      return { ...one, options: next };
    });
    const hidden = optionAt(type.schema, ['options', 'privateAttributes']);
    if (isOwn && Array.isArray(hidden) && hidden.includes(from)) {
      const names = hidden.map((name) => (name === from ? to : name));
      return { ...type, attributes, schema: withOption(type.schema, ['options', 'privateAttributes'], names) };
    }
    return isTouched ? { ...type, attributes } : type;
  };
  return Object.fromEntries(Object.entries(types).map(([key, type]) => [key, rename(type)]));
}

/** A JSON Logic rule with another name of a variable. */
function withVariable(rule: unknown, from: string, to: string): unknown {
  if (Array.isArray(rule)) return rule.map((part) => withVariable(part, from, to));
  if (!isJson(rule)) return rule;
  return Object.fromEntries(
    Object.entries(rule).map(([name, value]) => [
      name,
      name === 'var' && value === from ? to : withVariable(value, from, to),
    ]),
  );
}

function withOtherSide(types: Types, uid: string, before: WorkingAttribute | undefined, next: WorkingAttribute): Types {
  const { name, options } = next;
  const target = typeof options['target'] === 'string' ? options['target'] : undefined;
  const wanted = isRelation(options) ? otherName(options) : undefined;
  const had = before && isRelation(before.options) ? otherName(before.options) : undefined;
  let now = types;
  const isSame = before?.options['target'] === target;
  const old = had === undefined || !before ? undefined : types[before.options['target'] as string];
  if (old && (wanted === undefined || !isSame)) now = withoutOtherSide(now, uid, before!);
  if (wanted === undefined || target === undefined || !now[target]) return now;
  const other = now[target];
  const existing =
    (isSame && had !== undefined
      ? other.attributes.find((one) => one.name === had && one.key !== next.key)
      : undefined) ??
    other.attributes.find((one) => one.name === wanted && isRelation(one.options) && one.key !== next.key);
  const created: WorkingAttribute = {
    key: existing?.key ?? `${next.key}-other`,
    from: existing?.from ?? null,
    name: wanted,
    options: otherOptions(uid, name, options, existing?.options),
  };
  const attributes = existing
    ? other.attributes.map((one) => (one === existing ? created : one))
    : [...other.attributes, created];
  return { ...now, [target]: { ...other, attributes } };
}

function withoutOtherSide(types: Types, uid: string, removed: WorkingAttribute): Types {
  const name = isRelation(removed.options) ? otherName(removed.options) : undefined;
  const target = types[removed.options['target'] as string];
  if (name === undefined || !target) return types;
  const attributes = target.attributes.filter(
    (one) => !(one.name === name && one.options['target'] === uid && otherName(one.options) === removed.name),
  );
  return { ...types, [target.uid]: { ...target, attributes } };
}
