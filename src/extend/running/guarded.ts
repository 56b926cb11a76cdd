/** Objects that throw when code reads a member of them that Galley lacks, and condemn the unit of work that reads it. */
import { UnitOfWork } from './unit-of-work.ts';

/** What does what some members do that are not there. */
const INSTEAD: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /^strapi\.db\.(?:connection|queryBuilder)\b/,
    'strapi.documents(uid) and strapi.db.query(uid) read and write content, and migrations of database/migrations get knex',
  ],
  [
    /\bstrapi\.plugin\('upload'\)\.(?:provider|service\('provider'\))/,
    "strapi.plugin('upload').service('upload') stores and removes files",
  ],
];

/** An error of code that asks for what Galley does not have. */
export class Unsupported extends Error {
  /** What it asks for. */
  readonly what: string;

  constructor(what: string) {
    const [, instead] = INSTEAD.find(([pattern]) => pattern.test(what)) ?? [];
    const words = instead === undefined ? '' : `${instead}; `;
    super(`${what} is not supported by Galley: ${words}docs/reference/project-code.md lists what is`);
    this.name = 'Unsupported';
    this.what = what;
  }
}

/**
 * Refuses what code asks for, and condemns the unit of work that asks.
 *
 * @param what the missing member: `strapi.db.connection`.
 * @throws Unsupported always.
 */
export function unsupported(what: string): never {
  const error = new Unsupported(what);
  UnitOfWork.condemnCurrent(error);
  throw error;
}

/**
 * Refuses a value that Galley has no use for, such as an option of a mail: an error that code may handle as any other.
 *
 * @throws Unsupported always.
 */
export function unsupportedValue(what: string): never {
  throw new Unsupported(what);
}

/** Members that the language, Node and libraries look for in whatever they are given. */
const ASKED_OF_ALL: ReadonlySet<PropertyKey> = new Set([
  ...['then', 'catch', 'finally', 'toJSON', 'inspect', 'constructor', '__esModule', 'default', 'nodeType', 'tagName'],
  ...['asymmetricMatch', '$$typeof', '@@__IMMUTABLE_ITERABLE__@@', 'length', 'prototype', 'name', '__proto__'],
  ...['hasOwnProperty', 'toString', 'valueOf', 'isPrototypeOf', 'propertyIsEnumerable', 'toLocaleString'],
]);

/**
 * What takes the place of something that serves nothing here: whatever is asked of it, and of what that gives, is taken
 * and does nothing. It is no promise, and a list without entries.
 */
export function mute(): object {
  const own: object = new Proxy(() => own, {
    get: (_target, key) => {
      if (key === Symbol.iterator) return () => [].values();
      return typeof key === 'symbol' || key === 'then' ? undefined : own;
    },
    set: () => true,
  });
  return own;
}

export interface GuardOptions {
  /** Which members code may add for itself: those are undefined until it has. */
  readonly open?: (name: string) => boolean;
  /** Members that are there and that code may put something else in the place of. */
  readonly changeable?: readonly string[];
}

/**
 * An object that throws for members which are not there, and for changes of those which are. Code that was written for
 * more than there is never goes on as if it had worked.
 *
 * @param name what it is called in an error: `strapi.db`.
 */
export function guarded<T extends object>(
  name: string,
  target: T,
  { open = () => false, changeable = [] }: GuardOptions = {},
): T {
  const known = new Set<PropertyKey>(Reflect.ownKeys(target).filter((key) => !changeable.includes(String(key))));
  const isFree = (key: PropertyKey): boolean => changeable.includes(String(key)) || open(String(key));
  return new Proxy(target, {
    get(object, key, receiver) {
      if (typeof key === 'symbol' || ASKED_OF_ALL.has(key)) return Reflect.get(object, key, receiver);
      // a condemned unit sends no mail and issues no token; it may say in the log what went wrong
      if (key !== 'log') UnitOfWork.current?.check();
      if (key in object || open(key)) return Reflect.get(object, key, receiver);
      // what follows a comma says where
      return unsupported(name.replace(/(?=,|$)/, `.${key}`));
    },
    set(object, key, value) {
      if (known.has(key) || !isFree(key)) unsupported(`a change of ${name}.${String(key)}`);
      return Reflect.set(object, key, value);
    },
    defineProperty(object, key, descriptor) {
      if (known.has(key) || !isFree(key)) unsupported(`a change of ${name}.${String(key)}`);
      return Reflect.defineProperty(object, key, descriptor);
    },
    deleteProperty(object, key) {
      if (known.has(key)) unsupported(`a change of ${name}.${String(key)}`);
      return Reflect.deleteProperty(object, key);
    },
    setPrototypeOf: () => unsupported(`a change of ${name}`),
  });
}

/**
 * A value that throws when anything in it, at any depth, is changed. Functions in it stay what they are.
 *
 * @param ignores whether a change, of what is at a path that begins with the name, is let be without effect.
 */
export function unchangeable<T>(
  name: string,
  value: T,
  ignores: (path: string, value: unknown) => boolean = () => false,
): T {
  if (!isPlainOrList(value)) return value;
  const changes = (key: PropertyKey): never => unsupported(`a change of ${name}.${String(key)} while the project runs`);
  return new Proxy(value as T & object, {
    get(object, key, receiver) {
      const inner: unknown = Reflect.get(object, key, receiver);
      const isFixed = Reflect.getOwnPropertyDescriptor(object, key)?.configurable === false;
      return typeof key === 'string' && !isFixed ? unchangeable(`${name}.${key}`, inner, ignores) : inner;
    },
    set: (_object, key, given) => ignores(`${name}.${String(key)}`, given) || changes(key),
    defineProperty: (_object, key) => changes(key),
    deleteProperty: (_object, key) => changes(key),
  });
}

/** Methods of dates, patterns, maps and buffers want the object itself. */
function isPlainOrList(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || prototype === Object.prototype;
}
