/** Addresses of previews against the content types that they are of. */
import { type Catalog, type ContentType, SCALAR_TYPES } from '../catalog.ts';
import { Findings, type Problem } from './problem.ts';

/** Where they stand, for messages. */
const FILE = 'config/admin';

/** A name in an address: of an attribute, or one of `ALWAYS`. */
export const PREVIEW_NAME = /\{(\w+)\}/g;

/** Names that stand for something in every draft. */
const ALWAYS = ['documentId', 'locale', 'status'] as const;
/** Types whose values are no text and no number, or shown to nobody. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['boolean', 'json', 'blocks', 'password']);

/**
 * What is wrong with addresses by uid: a type that is not there, a name that no value of the type can stand for, or a
 * brace that belongs to no name.
 */
export function checkPreviews(catalog: Catalog, urls: ReadonlyMap<string, string>): Problem[] {
  const findings = new Findings();
  const types = [...catalog.contentTypes.values()].filter(({ routed }) => routed);
  for (const [uid, pattern] of urls) {
    const path = ['preview', 'urls', uid];
    const type = types.find((one) => one.uid === uid);
    if (!type) {
      const uids = types.map((one) => one.uid);
      findings.problem(FILE, path, 'is not a content type of the project', uid, uids);
      continue;
    }
    const known = namesOf(type);
    for (const [, name = ''] of pattern.matchAll(PREVIEW_NAME)) {
      if (known.includes(name)) continue;
      const message = `{${name}} stands for nothing: it must be one of ${known.join(', ')}`;
      findings.problem(FILE, path, message, name, known);
    }
    if (/[{}]/.test(pattern.replaceAll(PREVIEW_NAME, ''))) {
      findings.problem(FILE, path, 'must have braces around names only, such as {slug}');
    }
  }
  return findings.problems;
}

function namesOf({ attributes }: ContentType): string[] {
  const scalars: ReadonlySet<string> = new Set(SCALAR_TYPES);
  const named = [...attributes.values()].filter(({ type }) => scalars.has(type) && !WITHOUT_TEXT.has(type));
  return [...named.map(({ name }) => name), ...ALWAYS];
}
