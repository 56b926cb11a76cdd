/**
 * Methods of controllers and services that ask for what is not there. Where a file asks for it within methods alone that are
 * written into what it exports, these are closed, and the rest of the file runs.
 */
import type { AnyNode } from '../reading/syntax.ts';
import type { Value } from '../reading/values.ts';
import type { SourceFile } from '../source-files.ts';
import type { Sources } from '../sources.ts';
import type { Touch } from '../touch.ts';
import type { UnsupportedUse } from './unsupported.ts';

/** Why methods are closed, by their names. */
export type ClosedMethods = ReadonlyMap<string, string>;

/** What a file does to requests as a whole; anything else may be done by a method that is closed. */
const OVERRIDDEN = /^overridden (?:service )?(.+)$/;

/** The closed methods of a file; undefined where it cannot be run without what it asks for. */
export function closedMethods(
  sources: Sources,
  { path, role }: SourceFile,
  { uses, touches }: { readonly uses: readonly UnsupportedUse[]; readonly touches: readonly Touch[] },
): ClosedMethods | undefined {
  const module = role === 'controller' || role === 'service' ? sources.module(path) : undefined;
  const others = touches.filter(({ code, what }) => code === path && !OVERRIDDEN.test(what));
  if (!module || others.some(({ places }) => places === undefined)) return undefined;
  const exported = sources.values.exported(module);
  const made = exported.kind === 'core' ? exported.options : exported;
  const members: Value = made.kind === 'function' ? sources.values.result(made) : made;
  if (members.kind !== 'object') return undefined;
  const closed = new Map<string, string>();
  const bodies: AnyNode[] = [];
  for (const { what, around } of uses) {
    const named = [...members.entries].find(([, value]) => {
      const at = value.kind === 'function' && value.module === module ? around.indexOf(value.node) : -1;
      // a function that has a name of its own may be called by it
      return at >= 0 && around[at + 1]?.type === 'Property' && around[at + 2]?.type === 'ObjectExpression';
    });
    if (!named) return undefined;
    closed.set(named[0], closed.get(named[0]) ?? what);
    if (named[1].kind === 'function') bodies.push(named[1].node);
  }
  // what else it does to strapi is done where it is written, as long as nothing of it is in what is closed
  const isWithin = (place: number): boolean => bodies.some(({ start, end }) => start <= place && place < end);
  return others.some(({ places = [] }) => places.some(isWithin)) ? undefined : closed;
}

/** The method that a touch is of; undefined for one of another kind. */
export const methodOf = ({ what }: Touch): string | undefined => OVERRIDDEN.exec(what)?.[1];
