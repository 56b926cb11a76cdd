/** Checks relations against their other sides. */

import { child, uidOf } from './build.ts';
import { BUILT_IN, type RawSchema } from './built-in.ts';
import { type Names, RELATION_KINDS } from './check-attribute.ts';
import { isObject, type SchemaSource } from './files.ts';
import type { Findings } from './problem.ts';

const MORPH_TO = ['morphToOne', 'morphToMany'];
const MORPH_FROM = ['morphOne', 'morphMany'];
/** What the other side of a two-sided relation must be. */
const OPPOSITE: Readonly<Record<string, string>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
};
/** The one side of these holds no links of its own in a two-sided relation. */
const ONLY_INVERSE = 'oneToMany';
const ONLY_OWNER = 'manyToOne';

/** Attributes by uid, as the files give them. */
export type AttributesByUid = ReadonlyMap<string, RawSchema>;

/** Tells every mistake of a relation attribute. `types` holds the attributes of all content types. */
export function checkRelation(
  source: SchemaSource,
  name: string,
  raw: RawSchema,
  names: Names,
  types: AttributesByUid,
  findings: Findings,
): void {
  const { file } = source;
  const at = ['attributes', name];
  const { relation, target } = raw;
  if (!RELATION_KINDS.includes(relation as string)) {
    const message = relation === undefined ? 'is missing' : `unknown relation ${JSON.stringify(relation)}`;
    findings.problem(file, [...at, 'relation'], message, String(relation), RELATION_KINDS);
    if (target !== undefined) checkTarget(file, at, target, names, findings);
    return;
  }
  const kind = relation as string;
  checkJoinTable(file, at, kind, raw, findings);
  if (MORPH_TO.includes(kind)) return;
  if (target === undefined) {
    findings.problem(file, [...at, 'target'], 'is missing');
    return;
  }
  if (!checkTarget(file, at, target, names, findings)) return;
  const others = types.get(target as string) ?? {};
  if (MORPH_FROM.includes(kind)) checkMorphBy(file, at, raw, others, findings);
  else checkInverse(source, name, kind, raw, others, findings);
}

/** Tells a target that is no content type; true when it is one. */
function checkTarget(file: string, at: readonly string[], target: unknown, names: Names, findings: Findings): boolean {
  if (names.contentTypes.has(target as string)) return true;
  const message = `unknown content type ${JSON.stringify(target)}`;
  findings.problem(file, [...at, 'target'], message, String(target), names.contentTypes);
  return false;
}

function checkJoinTable(file: string, at: readonly string[], kind: string, raw: RawSchema, findings: Findings): void {
  if (raw['useJoinTable'] !== false || kind === 'oneToOne' || kind === 'manyToOne') return;
  const message = 'only oneToOne and manyToOne can do without a link table';
  // The inverse side of a column may repeat the option of its owner.
  if (kind === 'oneToMany' && raw['mappedBy'] !== undefined) return;
  findings.problem(file, [...at, 'useJoinTable'], message);
}

function checkMorphBy(
  file: string,
  at: readonly string[],
  raw: RawSchema,
  others: RawSchema,
  findings: Findings,
): void {
  const path = [...at, 'morphBy'];
  const { morphBy } = raw;
  const candidates = Object.keys(others).filter((other) =>
    MORPH_TO.includes(child(others, other)['relation'] as string),
  );
  if (morphBy === undefined) findings.problem(file, path, 'is missing');
  else if (!candidates.includes(morphBy as string)) {
    const message = `${raw['target']} has no morphToOne or morphToMany attribute ${JSON.stringify(morphBy)}`;
    findings.problem(file, path, message, String(morphBy), candidates);
  }
}

function checkInverse(
  source: SchemaSource,
  name: string,
  kind: string,
  raw: RawSchema,
  others: RawSchema,
  findings: Findings,
): void {
  const { file } = source;
  const at = ['attributes', name];
  const { inversedBy, mappedBy, target } = raw;
  if (inversedBy == null && mappedBy == null) return;
  const key = mappedBy != null ? 'mappedBy' : 'inversedBy';
  const path = [...at, key];
  if (inversedBy != null && mappedBy != null) {
    findings.problem(file, path, 'a side has inversedBy or mappedBy, not both');
    return;
  }
  if (source.role === 'component') {
    findings.problem(file, path, 'a relation of a component has one side only');
    return;
  }
  if ((key === 'inversedBy' && kind === ONLY_INVERSE) || (key === 'mappedBy' && kind === ONLY_OWNER)) {
    const right = key === 'mappedBy' ? 'inversedBy' : 'mappedBy';
    findings.problem(file, path, `${kind} takes ${right}: the many side holds the links`);
    return;
  }
  const inverse = raw[key] as string;
  const other = others[inverse];
  if (!Object.hasOwn(others, inverse) || !isObject(other) || other['type'] !== 'relation') {
    const candidates = Object.keys(others).filter((attribute) => child(others, attribute)['type'] === 'relation');
    findings.problem(file, path, `${target} has no relation ${JSON.stringify(inverse)}`, String(inverse), candidates);
    return;
  }
  if (other['target'] !== uidOf(source)) {
    findings.problem(file, path, `${target}.${inverse} leads to ${other['target']}, not back here`);
  } else if (other['relation'] !== OPPOSITE[kind]) {
    findings.problem(file, path, `${target}.${inverse} is ${other['relation']}, it must be ${OPPOSITE[kind]}`);
  } else checkPointer(source, path, key, `${target}.${inverse}`, other, name, findings);
}

/** Whether the other side names this one, in the opposite role. */
function checkPointer(
  source: SchemaSource,
  path: readonly string[],
  key: 'inversedBy' | 'mappedBy',
  label: string,
  other: RawSchema,
  name: string,
  findings: Findings,
): void {
  const opposite = key === 'mappedBy' ? 'inversedBy' : 'mappedBy';
  const back = other[opposite];
  if (back === name) return;
  if (back == null && key === 'mappedBy' && other['mappedBy'] == null) {
    // The reference takes such a pair: it keeps no order for the inverse side.
    findings.warning(source.file, path, `${label} should say inversedBy ${name}`);
  } else if (!(source.role === 'builtIn' && BUILT_IN.has(uidOf(source)) && !source.extended)) {
    const says = back == null ? `has no ${opposite}` : `says ${opposite} ${JSON.stringify(back)}`;
    findings.problem(source.file, path, `${label} ${says}, it must be ${name}`);
  }
}
