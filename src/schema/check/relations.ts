/** Checks relations against their other sides. */
import { nearest } from '../../nearest.ts';
import { isObject } from '../../plain-values.ts';
import { child, uidOf } from '../build.ts';
import type { RawSchema } from '../built-in.ts';
import type { SchemaSource } from '../files.ts';
import { type Names, RELATION_KINDS } from './attribute.ts';
import type { Findings } from './problem.ts';

const MORPH_TO = ['morphToOne', 'morphToMany'];
const MORPH_FROM = ['morphOne', 'morphMany'];
/** Relations that can use a column of the owner instead of a link table. */
const WITH_COLUMN = ['oneToOne', 'manyToOne'];
/** The kind of the other side of a two-sided relation. */
const OPPOSITE: Readonly<Record<string, string>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
};
/** In a two-sided relation this kind stores no links of its own. */
const ONLY_INVERSE = 'oneToMany';
const ONLY_OWNER = 'manyToOne';

/** Attributes by uid, as in the files. */
export type AttributesByUid = ReadonlyMap<string, RawSchema>;

/**
 * How a relation matches its other side: `fine`; `alone` if the named inverse does not name it, so that it is
 * one-sided; `unheld` if no side stores its links, which the reference accepts until it is read.
 */
export type Bond = 'fine' | 'alone' | 'unheld';

/**
 * Reports the mistakes of a relation attribute, and warns about probable mistakes. `types` has the attributes of all
 * content types.
 */
export function checkRelation(
  source: SchemaSource,
  name: string,
  raw: RawSchema,
  names: Names,
  types: AttributesByUid,
  findings: Findings,
): Bond {
  const { file } = source;
  const at = ['attributes', name];
  const { relation, target } = raw;
  if (!RELATION_KINDS.includes(relation as string)) {
    const message = relation === undefined ? 'is missing' : `unknown relation ${JSON.stringify(relation)}`;
    findings.problem(file, [...at, 'relation'], message, String(relation), RELATION_KINDS);
    if (target !== undefined && !names.isUnread(target)) checkTarget(file, at, target, names, findings);
    return 'fine';
  }
  const kind = relation as string;
  const held = checkJoinTable(file, at, kind, raw, findings);
  if (MORPH_TO.includes(kind)) return 'fine';
  if (target === undefined) {
    findings.problem(file, [...at, 'target'], 'is missing');
    return 'fine';
  }
  if (names.isUnread(target)) return 'unheld';
  if (!checkTarget(file, at, target, names, findings)) return 'fine';
  if (!held) return 'unheld';
  const others = types.get(target as string) ?? {};
  if (MORPH_FROM.includes(kind)) return checkMorphBy(file, at, raw, others, findings);
  return checkInverse(source, name, kind, raw, others, findings);
}

/** Reports a target that is not a content type; true if it is one. */
function checkTarget(file: string, at: readonly string[], target: unknown, names: Names, findings: Findings): boolean {
  if (names.contentTypes.has(target as string)) return true;
  const message = `unknown content type ${JSON.stringify(target)}`;
  findings.problem(file, [...at, 'target'], message, String(target), names.contentTypes);
  return false;
}

/** Whether a relation without its own link table has another place for its links. */
function checkJoinTable(
  file: string,
  at: readonly string[],
  kind: string,
  raw: RawSchema,
  findings: Findings,
): boolean {
  if (raw['useJoinTable'] !== false || WITH_COLUMN.includes(kind)) return true;
  // the inverse side of a column may repeat the owner's option
  if (kind === 'oneToMany' && raw['mappedBy'] !== undefined) return true;
  const message = 'only oneToOne and manyToOne can do without a link table';
  if (kind === 'oneToMany') findings.problem(file, [...at, 'useJoinTable'], message);
  else findings.warning(file, [...at, 'useJoinTable'], `${message}: the attribute is left out`);
  return false;
}

function checkMorphBy(
  file: string,
  at: readonly string[],
  raw: RawSchema,
  others: RawSchema,
  findings: Findings,
): Bond {
  const path = [...at, 'morphBy'];
  const { morphBy } = raw;
  const candidates = Object.keys(others).filter((other) =>
    MORPH_TO.includes(child(others, other)['relation'] as string),
  );
  if (candidates.includes(morphBy as string)) return 'fine';
  const message =
    morphBy === undefined
      ? 'is missing'
      : `${raw['target']} has no morphToOne or morphToMany attribute ${JSON.stringify(morphBy)}`;
  findings.warning(file, path, `${message}: the attribute is left out`, String(morphBy), candidates);
  return 'unheld';
}

function checkInverse(
  source: SchemaSource,
  name: string,
  kind: string,
  raw: RawSchema,
  others: RawSchema,
  findings: Findings,
): Bond {
  const { file } = source;
  const at = ['attributes', name];
  const { inversedBy, mappedBy, target } = raw;
  if (inversedBy == null && mappedBy == null) return 'fine';
  // the reference prefers inversedBy if both are set
  const key = inversedBy != null ? 'inversedBy' : 'mappedBy';
  const path = [...at, key];
  if ((key === 'inversedBy' && kind === ONLY_INVERSE) || (mappedBy != null && kind === ONLY_OWNER)) {
    const right = key === 'mappedBy' ? 'inversedBy' : 'mappedBy';
    findings.problem(file, path, `${kind} takes ${right}: the links are stored on the many side`);
    return 'fine';
  }
  if (inversedBy != null && mappedBy != null) {
    findings.warning(file, [...at, 'mappedBy'], 'is ignored: a side has inversedBy or mappedBy, not both');
  }
  const inverse = raw[key] as string;
  const other = others[inverse];
  if (!Object.hasOwn(others, inverse) || !isObject(other) || other['type'] !== 'relation') {
    const candidates = Object.keys(others).filter((attribute) => {
      const { type, target: back } = child(others, attribute);
      return type === 'relation' && back === uidOf(source);
    });
    const missing = `${target} has no relation ${JSON.stringify(inverse)}`;
    const message = key === 'inversedBy' ? missing : `${missing}: the attribute is left out`;
    const isNear = nearest(inverse, candidates) !== undefined;
    // relations of components have one side, and names must be free
    const isAdded = !isNear && source.role !== 'component' && !Object.hasOwn(others, inverse);
    const side = otherSide(source, name, kind, key, inverse);
    const text = isAdded ? `${message}; add to its attributes ${side}` : message;
    if (key === 'inversedBy') findings.problem(file, path, text, String(inverse), candidates);
    else findings.warning(file, path, text, String(inverse), candidates);
    return 'unheld';
  }
  const label = `${target}.${inverse}`;
  if (source.role === 'component') {
    const rest = key === 'mappedBy' ? 'the attribute is left out' : 'it is a one-sided relation';
    findings.warning(file, path, `a relation of a component has one side only: ${rest}`);
    return key === 'mappedBy' ? 'unheld' : 'alone';
  }
  const bond = bondTo(source, key, other, name);
  // built-in types cannot be changed
  if (bond !== 'fine' && source.role === 'builtIn' && !source.extended) return 'fine';
  if (bond === 'fine') {
    if (other['relation'] !== OPPOSITE[kind]) {
      const message = `${label} is ${other['relation']}, and should be ${OPPOSITE[kind]}: each side is taken as declared`;
      findings.warning(file, path, message);
    }
    if (key === 'mappedBy' && other['inversedBy'] == null) {
      // the reference accepts such a pair, without an order for the inverse side
      findings.warning(file, path, `${label} should say inversedBy ${name}`);
    }
  } else {
    const rest = bond === 'alone' ? 'this is a one-sided relation' : 'the attribute is left out';
    const lacksBack = key === 'inversedBy' && other['target'] === uidOf(source) && other['mappedBy'] == null;
    const remedy = lacksBack && other['inversedBy'] == null ? `; add "mappedBy": ${JSON.stringify(name)} to it` : '';
    findings.warning(
      file,
      path,
      `${label} ${pointer(key, other, uidOf(source))}, not back to ${name}: ${rest}${remedy}`,
    );
  }
  return bond;
}

/** The missing attribute of the other side, as it would be written there. */
function otherSide(
  source: SchemaSource,
  name: string,
  kind: string,
  key: 'inversedBy' | 'mappedBy',
  inverse: string,
): string {
  const back = key === 'inversedBy' ? 'mappedBy' : 'inversedBy';
  const attribute = { type: 'relation', relation: OPPOSITE[kind], target: uidOf(source), [back]: name };
  return `${JSON.stringify(inverse)}: ${JSON.stringify(attribute)}`;
}

/** How an attribute matches the relation that it names as its other side. */
function bondTo(source: SchemaSource, key: 'inversedBy' | 'mappedBy', other: RawSchema, name: string): Bond {
  const back = other['target'] === uidOf(source);
  if (key === 'inversedBy') return back && other['inversedBy'] == null && other['mappedBy'] === name ? 'fine' : 'alone';
  const placed = other['useJoinTable'] !== false || WITH_COLUMN.includes(other['relation'] as string);
  const owns = placed && (other['inversedBy'] != null || other['mappedBy'] == null);
  return back && owns && (other['inversedBy'] == null || other['inversedBy'] === name) ? 'fine' : 'unheld';
}

/** Where the named other side leads instead. */
function pointer(key: 'inversedBy' | 'mappedBy', other: RawSchema, uid: string): string {
  if (other['target'] !== uid) return `leads to ${other['target']}`;
  const opposite = key === 'mappedBy' ? 'inversedBy' : 'mappedBy';
  const back = other[opposite];
  return back == null ? `has no ${opposite}` : `says ${opposite} ${JSON.stringify(back)}`;
}
