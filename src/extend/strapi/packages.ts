/** Packages and objects of the language that requests are served with: code may use them, and not change them. */
import { type Meaning, type Path, packageOf } from './path.ts';

const PARTS_OF_NODE =
  'assert|async_hooks|buffer|crypto|diagnostics_channel|events|fs|http|http2|https|module|net|path|querystring|stream|string_decoder|timers|tls|url|util|vm|zlib';
const SERVING = new RegExp(
  `^(?:@strapi/|koa(?:-|$)|@koa/|(?:formidable|jsonwebtoken|knex|qs)$|(?:node:)?(?:${PARTS_OF_NODE})(?:/|$))`,
);

/** Whether an import is one of a package, or of a part of Node. */
export const isPackage = (source: string): boolean => !/^[./]/.test(source);

/** Built-in objects that other code relies on. `BigInt` may be told how it is written as JSON. */
const OBJECTS: ReadonlySet<string> = new Set([
  ...['Array', 'Boolean', 'Buffer', 'Date', 'Error', 'Function', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise'],
  ...['Proxy', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'URL', 'URLSearchParams', 'WeakMap', 'WeakSet'],
]);

export const isObjectOfLanguage = (name: string): boolean => OBJECTS.has(name);

/** Settings of Node's modules that only concern resources. */
const RESOURCES: ReadonlySet<unknown> = new Set(['globalAgent', 'defaultMaxListeners']);
const EVALUATING = /^(?:node:)?vm$/;

/** What may be done with what a path leads to that begins with a package. */
export function meaningOfPackage(path: Path): Meaning {
  if (EVALUATING.test(packageOf(path) ?? '')) return path.length === 1 ? 'shared' : 'unclear';
  if (packageOf(path) === 'knex' && path.includes('extend')) return 'unclear';
  // what a call gives is data
  if (path.some((step) => typeof step === 'object') || path.some((step) => RESOURCES.has(step))) return 'free';
  const at = path.findIndex((step) => step === 'prototype' || step === '__proto__');
  // packages of the project are its own to configure, but for prototypes, which others may rely on
  if (at < 0) return isServing(packageOf(path) ?? '') ? 'read' : 'free';
  // code that has a prototype can replace a method
  return at === path.length - 1 ? 'shared' : 'read';
}

/** Whether requests are served with what is below a root. */
const isServing = (name: string): boolean => SERVING.test(name) || OBJECTS.has(name);
