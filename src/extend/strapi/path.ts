/** How a value is reached from strapi. */
import type { Step } from '../reading/syntax.ts';

/** The steps that lead to a value from strapi itself. */
export type Path = readonly Step[];

/**
 * What the value at the end of a path is for:
 *
 * - `free`: data, or what only reads, reports and stores; whatever is done with it.
 * - `read`: settings, which may be read and handed on, and not be changed.
 * - `schema`: what a content type is made of. It may be read; kept where it is not followed, or handed on, it may be
 *   changed.
 * - `shared`: an object that requests are served with. Its methods may be called; the same holds for it.
 * - `unclear`: everything else.
 */
export type Meaning = 'free' | 'read' | 'schema' | 'shared' | 'unclear';

/** Whether what is kept or handed on could be changed there. */
export const isLoose = (meaning: Meaning): boolean => meaning === 'free' || meaning === 'read';

/** In the place of strapi: an object that contains it under its name, as Strapi passes it to factories. */
export const HOLDER = '{ strapi }';
/** The global object, which contains it as well. */
export const GLOBAL = 'globalThis';
/** The context of a request, which has Koa's application. */
export const CONTEXT = 'ctx';
/** A function that gives a part of strapi to its caller. */
export const MAKER = '() => strapi';
/** At the end: a list of what the path before it leads to. */
export const LIST = '[list]';
/** At the end: a pair of `Object.entries`, whose second item is what the path before it leads to. */
export const PAIR = '[pair]';
/** A value of which nothing is known but that it may be part of strapi. */
export const UNKNOWN_PATH: Path = [undefined];

const MODULE = 'module ';
const PACKAGE = 'package ';

/** The exports of a module of the project. */
export const moduleRoot = (path: string): string => MODULE + path;
/** The path of the module that a path begins with. */
export const moduleOf = ([first]: Path): string | undefined =>
  typeof first === 'string' && first.startsWith(MODULE) ? first.slice(MODULE.length) : undefined;

/** A package that requests are served with, or an object of the language. */
export const packageRoot = (name: string): string => PACKAGE + name;
export const packageOf = ([first]: Path): string | undefined =>
  typeof first === 'string' && first.startsWith(PACKAGE) ? first.slice(PACKAGE.length) : undefined;

/** A path without the marks of lists and pairs at its end. */
export function itemOf(path: Path): Path {
  let length = path.length;
  while (path[length - 1] === LIST || path[length - 1] === PAIR) length--;
  return length === path.length ? path : path.slice(0, length);
}
