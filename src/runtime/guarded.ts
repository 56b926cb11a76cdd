/**
 * The objects that a project's code gets. Reading a member that Strapi has and Galley lacks throws an error and condemns
 * the unit of work; a member that Strapi lacks too is undefined.
 */
import { docsPath } from '../own-files.ts';
import { insteadOf, missingOf } from './members/members.ts';
import { UnitOfWork } from './unit-of-work.ts';

/** Where the supported members are listed. */
export const SUPPORTED = `${docsPath('reference/project-code.md')} lists the supported members`;

/** An error of code that uses a member or a value which Galley does not support. */
export class Unsupported extends Error {
  /** The member or value: `strapi.db.queryBuilder`. */
  readonly what: string;
  /** Whether `what` may quote a value of a request, such as the name of a header. */
  readonly isValue: boolean;

  constructor(member: string, isValue = false) {
    const instead = insteadOf(member);
    super(`${member} is not supported by Galley: ${instead === undefined ? '' : `${instead}; `}${SUPPORTED}`);
    this.name = 'Unsupported';
    this.what = member;
    this.isValue = isValue;
  }
}

/**
 * Refuses a member that Galley lacks, and condemns the unit of work that reads it. Code that swallows the error is not
 * called again (`UnitOfWork.call`).
 *
 * @param member the missing member: `strapi.db.queryBuilder`.
 * @throws Unsupported always.
 */
export function missingMember(member: string): never {
  const error = new Unsupported(member);
  UnitOfWork.noteMissing(error);
  UnitOfWork.condemnCurrent(error);
  throw error;
}

/**
 * Refuses an operation of code, such as a change of strapi or of the address of a file, and condemns its unit of work.
 *
 * @throws Unsupported always.
 */
export function unsupported(operation: string): never {
  const error = new Unsupported(operation);
  UnitOfWork.condemnCurrent(error);
  throw error;
}

/**
 * Refuses a value that Galley cannot use, such as an option of a mail. Code may handle the error like any other.
 *
 * @throws Unsupported always.
 */
export function unsupportedValue(value: string): never {
  throw new Unsupported(value, true);
}

/** Members that the language, Node and libraries read of every object. */
const READ_OF_ALL: ReadonlySet<PropertyKey> = new Set([
  ...['then', 'catch', 'finally', 'toJSON', 'inspect', 'constructor', '__esModule', 'default', 'nodeType', 'tagName'],
  ...['asymmetricMatch', '$$typeof', '@@__IMMUTABLE_ITERABLE__@@', 'length', 'prototype', 'name', '__proto__'],
  ...['hasOwnProperty', 'toString', 'valueOf', 'isPrototypeOf', 'propertyIsEnumerable', 'toLocaleString'],
]);

/**
 * A replacement for an object that has no effect while the project starts: every member is itself, every call returns
 * it, and a change is ignored. It is no promise, and an empty list. Later every use counts as that of a missing member,
 * since its answers differ from those of the replaced object.
 *
 * @param name in errors. @param isStarting whether the project starts.
 */
export function mute(name: string, isStarting: () => boolean): object {
  /** A trap of the proxy that is for the start alone. */
  const atStart =
    <Args extends unknown[], T>(trap: (...args: Args) => T) =>
    (...args: Args): T =>
      isStarting() ? trap(...args) : missingMember(name);
  const member = atStart((key: PropertyKey): unknown => (key === Symbol.iterator ? () => [].values() : own));
  const own: object = new Proxy(() => own, {
    get: (_target, key) =>
      key === 'then' || (typeof key === 'symbol' && key !== Symbol.iterator) ? undefined : member(key),
    set: atStart(() => true),
    has: atStart(Reflect.has),
    ownKeys: atStart(Reflect.ownKeys),
    apply: atStart(() => own),
    construct: atStart(() => own),
  });
  return own;
}

export interface GuardOptions {
  /** Present members that code may replace. */
  readonly changeable?: readonly string[];
  /** Missing members, for an object that `members.ts` does not list; may have no list but a test. */
  readonly missing?: Pick<ReadonlySet<string>, 'has'> & Partial<Iterable<string>>;
}

/**
 * An object whose missing members throw and condemn. Present and missing members cannot be changed; code may add others
 * if all missing ones are known.
 *
 * `in` and the list of names report missing members as present. A copy of the object, made by a spread or `Object.assign`,
 * gets functions in their place that throw and condemn when they are used.
 *
 * @param name in errors: `strapi.db`.
 */
export function guarded<T extends object>(
  name: string,
  target: T,
  { changeable = [], missing = missingOf(name) }: GuardOptions = {},
): T {
  const present = new Set<PropertyKey>(Reflect.ownKeys(target).filter((key) => !changeable.includes(String(key))));
  const isMissing = (key: PropertyKey): key is string =>
    typeof key === 'string' && (missing?.has(key) ?? !READ_OF_ALL.has(key)) && !Reflect.has(target, key);
  const isFree = (key: PropertyKey): boolean =>
    !present.has(key) && (changeable.includes(String(key)) || (missing !== undefined && !isMissing(key)));
  // the text after a comma names the place
  const whole = (key: PropertyKey): string => name.replace(/(?=,|$)/, `.${String(key)}`);
  const change = (key: PropertyKey): never => unsupported(`a change of ${name}.${String(key)}`);
  /** The missing member whose descriptor was read last, as a copy does right before it reads the value. */
  let described: PropertyKey | undefined;
  return new Proxy(target, {
    get(object, key, receiver) {
      const isCopied = key === described;
      described = undefined;
      // a condemned unit sends no mail and issues no token; it may say in the log what went wrong
      if (key !== 'log' && typeof key === 'string' && !READ_OF_ALL.has(key)) UnitOfWork.current?.check();
      if (!isMissing(key)) return Reflect.get(object, key, receiver);
      return isCopied ? standIn(whole(key)) : missingMember(whole(key));
    },
    has: (object, key) => Reflect.has(object, key) || (missing !== undefined && isMissing(key)),
    ownKeys: (object) => [...Reflect.ownKeys(object), ...[...namesOf(missing)].filter(isMissing)],
    getOwnPropertyDescriptor(object, key) {
      if (missing === undefined || !isMissing(key)) return Reflect.getOwnPropertyDescriptor(object, key);
      described = key;
      return { get: () => missingMember(whole(key)), set: () => change(key), enumerable: true, configurable: true };
    },
    set(object, key, value) {
      if (!isFree(key)) change(key);
      return Reflect.set(object, key, value);
    },
    defineProperty(object, key, descriptor) {
      if (!isFree(key)) change(key);
      return Reflect.defineProperty(object, key, descriptor);
    },
    deleteProperty(object, key) {
      if (!isFree(key)) change(key);
      return Reflect.deleteProperty(object, key);
    },
    setPrototypeOf: () => unsupported(`a change of ${name}`),
  });
}

/** An object whose members code may not replace, since Galley would not call those of the code. */
export const unreplaced = <T extends object>(name: string, target: T): T =>
  guarded(name, target, { missing: new Set() });

/** An object that nothing but code calls in Strapi, nor here: code may replace its members. */
export const onlyForCode = <T extends object>(name: string, target: T): T =>
  guarded(name, target, { changeable: Object.keys(target) });

const namesOf = (missing: GuardOptions['missing']): Iterable<string> =>
  missing !== undefined && Symbol.iterator in missing ? (missing as Iterable<string>) : [];

/** A function in the place of a missing member in a copy of an object: any use of it throws and condemns. */
export function standIn(name: string): object {
  const refuse = (): never => missingMember(name);
  return new Proxy(refuse, {
    get: refuse,
    set: refuse,
    has: refuse,
    ownKeys: refuse,
    apply: refuse,
    construct: refuse,
  });
}

/**
 * A value that throws when anything in it, at any depth, is changed. Functions in it stay unchanged.
 *
 * @param isOpen whether changes are permitted at the moment.
 */
export function unchangeable<T>(name: string, value: T, isOpen: () => boolean = () => false): T {
  if (!isPlainOrList(value)) return value;
  const requireOpen = (key: PropertyKey): void => {
    if (!isOpen()) unsupported(`a change of ${name}.${String(key)} while the project runs`);
  };
  /** Objects in it by their keys, which code may compare. */
  const guardedParts = new Map<string, { readonly part: unknown; readonly proxy: unknown }>();
  const guardedPart = (key: string, part: object): unknown => {
    let entry = guardedParts.get(key);
    if (entry?.part !== part) {
      entry = { part, proxy: unchangeable(`${name}.${key}`, part, isOpen) };
      guardedParts.set(key, entry);
    }
    return entry.proxy;
  };
  return new Proxy(value as T & object, {
    get(object, key, receiver) {
      const inner: unknown = Reflect.get(object, key, receiver);
      if (typeof key !== 'string' || typeof inner !== 'object' || inner === null) return inner;
      const isFixed = Reflect.getOwnPropertyDescriptor(object, key)?.configurable === false;
      return isFixed ? inner : guardedPart(key, inner);
    },
    set(object, key, value) {
      requireOpen(key);
      return Reflect.set(object, key, value);
    },
    defineProperty(object, key, descriptor) {
      requireOpen(key);
      return Reflect.defineProperty(object, key, descriptor);
    },
    deleteProperty(object, key) {
      requireOpen(key);
      return Reflect.deleteProperty(object, key);
    },
  });
}

/** Methods of dates, patterns, maps and buffers need the object itself. */
function isPlainOrList(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || prototype === Object.prototype;
}
