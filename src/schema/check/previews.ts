/** Checks the addresses of previews against their content types. */
import { type Catalog, type ContentType, SCALAR_TYPES } from '../catalog.ts';
import { Findings, type Problem } from './problem.ts';

/** The file of previews, for messages. */
const FILE = 'config/admin';

/** A name in an address: an attribute, or one of `ALWAYS`. */
export const PREVIEW_NAME = /\{(\w+)\}/g;

/** Names that have a value in every draft. */
const ALWAYS = ['documentId', 'locale', 'status'] as const;
/** Types whose values are neither text nor number, or secret. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['boolean', 'json', 'blocks', 'password']);

/** The mistakes in addresses by uid: an unknown type, a name without a value, or a brace outside of a name. */
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
      const message = `{${name}} is unknown: use one of ${known.join(', ')}`;
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
