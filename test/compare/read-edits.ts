/** Answers to reads without what the reference shows on purpose otherwise, object by object. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from './writes/walk.ts';

/** What stands for a value of the reference where Galley has another in its place; gives the value itself to leave it. */
export type Edit = (reference: unknown, galley: unknown, key: string) => unknown;

/** The reference's answer, edited from the inside out where it differs from Galley's. */
export function editedAnswer(reference: unknown, galley: unknown, edit: Edit, key = ''): unknown {
  if (isDeepStrictEqual(reference, galley)) return reference;
  const changed = edit(reference, galley, key);
  if (Array.isArray(changed) && Array.isArray(galley)) {
    return changed.map((item, index) => editedAnswer(item, galley[index], edit));
  }
  if (!isObject(changed) || !isObject(galley)) return changed;
  return Object.fromEntries(
    Object.entries(changed).map(([name, item]) => [name, editedAnswer(item, galley[name], edit, name)]),
  );
}

/** Rows of a relation to any type, but for those of the other status, and of a cohort those that Galley has. */
export const withStatus =
  (status: string, ofCohort: boolean, hasDrafts: (uid: string) => boolean): Edit =>
  (reference, galley) => {
    if (!Array.isArray(reference) || !reference.some((item) => isObject(item) && '__type' in item)) return reference;
    const known = new Set([galley].flat().map((item) => isObject(item) && item['documentId']));
    return reference.filter(
      ({ __type, documentId, publishedAt }) =>
        !hasDrafts(__type) || ((publishedAt === null) === (status === 'draft') && (!ofCohort || known.has(documentId))),
    );
  };

/** Objects without keys that a sort key has brought, and that Galley does not show. */
export const withoutKeys =
  (names: ReadonlySet<string>): Edit =>
  (reference, galley) => {
    if (!isObject(reference) || !isObject(galley)) return reference;
    return Object.fromEntries(Object.entries(reference).filter(([name]) => name in galley || !names.has(name)));
  };

/** Other locale versions in any order, and those of the same page that the reference leaves out. */
export const withVersions: Edit = (reference, galley, key) => {
  if (key !== 'localizations' || !Array.isArray(reference) || !Array.isArray(galley)) return reference;
  const isKnown = (version: unknown) => galley.some((other) => isDeepStrictEqual(version, other));
  return reference.every(isKnown) ? galley : reference;
};
