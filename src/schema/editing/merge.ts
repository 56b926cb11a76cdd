/** Merges two changes of a schema that began with the same version, attribute by attribute. */
import { isObject } from '../../plain-values.ts';
import type { RawSchema } from '../built-in.ts';
import { isSameSchema } from './schema-text.ts';

/** Keys whose members are merged one by one. */
const DIVIDED = ['info', 'options', 'pluginOptions', 'attributes'];

/** Thrown if both sides have changed the same part. */
class Conflict extends Error {}

/**
 * The schema with both changes; undefined if both have changed the same part in different ways.
 *
 * @param base the schema before both changes.
 */
export function mergedSchema(base: RawSchema, theirs: RawSchema, ours: RawSchema): RawSchema | undefined {
  try {
    return mergedObject([], base, theirs, ours);
  } catch (error) {
    if (error instanceof Conflict) return undefined;
    throw error;
  }
}

function mergedObject(path: readonly string[], base: RawSchema, theirs: RawSchema, ours: RawSchema): RawSchema {
  const entries: [string, unknown][] = [];
  for (const key of mergedKeys(path, base, theirs, ours)) {
    const at = [...path, key];
    const [before, their, our] = [base, theirs, ours].map((side) => (Object.hasOwn(side, key) ? side[key] : undefined));
    entries.push([key, mergedValue(at, before, their, our)]);
  }
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function mergedValue(path: readonly string[], base: unknown, theirs: unknown, ours: unknown): unknown {
  if (isSameSchema(theirs, base, path)) return ours;
  if (isSameSchema(ours, base, path) || isSameSchema(ours, theirs, path)) return theirs;
  const isDivided = path.length === 1 && DIVIDED.includes(path[0]!);
  if (isDivided && isObject(theirs) && isObject(ours)) {
    return mergedObject(path, isObject(base) ? base : {}, theirs, ours);
  }
  throw new Conflict();
}

/** All keys, in the order of the side that has changed it, with the additions of the other side behind their neighbours. */
function mergedKeys(path: readonly string[], base: RawSchema, theirs: RawSchema, ours: RawSchema): string[] {
  const [before, their, our] = [base, theirs, ours].map((side) => Object.keys(side)) as [string[], string[], string[]];
  const isMoved = (side: readonly string[]): boolean => {
    const common = before.filter((key) => side.includes(key));
    return side.filter((key) => before.includes(key)).some((key, i) => key !== common[i]);
  };
  const isInOrder = path[0] === 'attributes';
  if (isInOrder && isMoved(their) && isMoved(our)) {
    const common = their.filter((key) => our.includes(key));
    if (our.filter((key) => their.includes(key)).some((key, i) => key !== common[i])) throw new Conflict();
  }
  const [first, second] = isInOrder && isMoved(our) ? [our, their] : [their, our];
  const keys = [...first];
  second.forEach((key, i) => {
    if (keys.includes(key)) return;
    const at = keys.indexOf(second[i - 1] ?? '');
    keys.splice(i === 0 ? 0 : at + 1, 0, key);
  });
  return keys;
}
