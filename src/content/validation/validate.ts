/**
 * Validation of a written row: all failures of one stage together, in schema order, each with its path
 * (docs/reference/errors.md).
 */
import type { WrittenEntry, WrittenRow } from '../../access/permitted.ts';
import { because, below, type Failures, type Place, REQUIRED } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';
import {
  type Attribute,
  type ComponentAttribute,
  type DynamicZoneAttribute,
  isScalar,
  type ScalarAttribute,
} from '../../schema/catalog.ts';
import type { StoredValue } from '../rows/write-context.ts';
import type { PatternTime } from './pattern-time.ts';
import { isHidden, storedEntry } from './shown.ts';
import { checkScalar, withoutLimits } from './validate-scalar.ts';

/** How strictly, and whether absent attributes count. */
export interface Rules {
  /** False for drafts, which are spared required, minimum, format and uniqueness, except for required lists of entries. */
  readonly strict: boolean;
  /** True for new rows: absent attributes take their default, and fail when they are required. */
  readonly creating: boolean;
  /** True for a row read from the database, whose documents, times and hashes were checked when they were written. */
  readonly stored?: boolean;
  /** True within a hidden attribute: the limits of the schema do not apply, those of the columns do. */
  readonly hidden?: boolean;
  /** True where a draft may leave out required lists of entries: in entries that an update adds, and in unchecked writes. */
  readonly permitsAbsentLists?: boolean;
  /** True within an attribute that this write makes visible: its stored values have never been validated. */
  readonly wasHidden?: boolean;
  /** The time left for the patterns of the request. */
  readonly patterns: PatternTime;
}

/** Types whose stored form differs from their written form. */
const CHECKED_ONCE: ReadonlySet<string> = new Set([
  'json',
  'blocks',
  'date',
  'time',
  'datetime',
  'timestamp',
  'password',
]);

/** A valid row: scalars in their stored form, with defaults. Times are still texts. */
export interface ValidRow {
  readonly written: WrittenRow;
  readonly scalars: ReadonlyMap<ScalarAttribute, StoredValue>;
  readonly components: ReadonlyMap<string, readonly ValidEntry[]>;
  /** Attributes that a condition hides. */
  readonly hidden: ReadonlySet<string>;
  /** Stored values, in the driver's form, of attributes that the write makes visible and does not mention. */
  readonly shown: ReadonlyMap<ScalarAttribute, unknown>;
}

export interface ValidEntry {
  readonly id: number | undefined;
  readonly row: ValidRow;
}

/** Selects the list that receives the failures of an attribute. */
export type FailuresOf = (attribute: Attribute) => Failures;

/**
 * Validates a row and everything in it. If an update makes an attribute visible, its stored value is validated as if
 * the update contained it; drafts are validated when they are published.
 *
 * @param failures receives the failures, without secret values; if it stays empty the row is valid. A function can
 * return different failures for each attribute of the row.
 * @param before the stored row with everything in it, for conditions that depend on unwritten values. Needed only for
 * models with conditions (`SchemaIndex.hasConditions`).
 * @throws ContentError 400 if the patterns of the request take too long.
 */
export function validateRow(
  written: WrittenRow,
  general: Rules,
  failures: Failures | FailuresOf,
  place?: Place,
  before?: WrittenRow,
): ValidRow {
  const scalars = new Map<ScalarAttribute, StoredValue>();
  const components = new Map<string, readonly ValidEntry[]>();
  const hidden = new Set<string>();
  const shown = new Map<ScalarAttribute, unknown>();
  for (const attribute of written.model.attributes.values()) {
    const isOut = general.hidden || isHidden(attribute, { written, stored: before, creating: general.creating });
    if (isOut) hidden.add(attribute.name);
    const appears = !isOut && general.strict && !general.creating && wasHidden(attribute, general, before);
    const rules = isOut ? { ...general, strict: false, hidden: true } : { ...general, wasHidden: appears };
    const own = typeof failures === 'function' ? failures(attribute) : failures;
    const reported = isSecret(attribute) ? own.withoutValues() : own;
    const here = below(place, attribute.name);
    if (appears && before && !mentions(written, attribute)) {
      validateStored(attribute, before, general, reported.withoutValues(), here);
      if (isScalar(attribute)) shown.set(attribute, before.scalars.get(attribute.name));
      continue;
    }
    if (isScalar(attribute)) {
      const value = validateScalar(attribute, written, rules, reported, here);
      if (value !== undefined) scalars.set(attribute, value);
    } else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
      const entries = validateComponents(attribute, written, rules, reported, here, before);
      if (entries) components.set(attribute.name, entries);
    } else validatePresence(attribute, written, rules, reported, here);
  }
  return { written, scalars, components, hidden, shown };
}

/** Whether an attribute of a stored row is hidden before the write. */
const wasHidden = (attribute: Attribute, rules: Rules, before: WrittenRow | undefined): boolean =>
  rules.wasHidden === true || (before !== undefined && isHidden(attribute, { written: before, creating: true }));

/** Whether a write changes an attribute. An edit of a relation that neither adds nor removes links does not. */
function mentions({ scalars, media, components, relations }: WrittenRow, { name }: Attribute): boolean {
  const edit = relations.get(name);
  const isEdited = edit?.kind === 'set' || (edit !== undefined && edit.connect.length + edit.disconnect.length > 0);
  return isEdited || scalars.has(name) || media.has(name) || components.has(name);
}

/** Validates the stored value of an attribute by the rules of publication. */
function validateStored(
  attribute: Attribute,
  stored: WrittenRow,
  { patterns }: Rules,
  failures: Failures,
  place: Place,
): void {
  const rules: Rules = { strict: true, creating: true, stored: true, patterns };
  if (isScalar(attribute)) validateScalar(attribute, stored, rules, failures, place);
  else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
    validateComponents(attribute, stored, rules, failures, place, undefined);
  } else validatePresence(attribute, stored, rules, failures, place);
}

/** Whether the values of an attribute are secret. */
export function isSecret(attribute: Attribute): boolean {
  return attribute.private || attribute.type === 'password';
}

/** The type that the reference finds missing in null; undefined for attributes that it does not compare with a type. */
function typeOfNull({ type }: ScalarAttribute): string | undefined {
  if (type === 'blocks') return 'array';
  if (type === 'integer' || type === 'float' || type === 'decimal') return 'number';
  const isText = type !== 'biginteger' && type !== 'boolean' && type !== 'json' && !/^(?:date|time)/.test(type);
  return isText ? 'string' : undefined;
}

/** The failure of a required value that is missing. */
export const MUST_BE_DEFINED = because((label) => `${label} must be defined.`, 'required');

/** The value to store; undefined for one that is absent, or wrong. */
function validateScalar(
  attribute: ScalarAttribute,
  written: WrittenRow,
  rules: Rules,
  failures: Failures,
  place: Place,
): StoredValue | undefined {
  const writtenValue = written.scalars.get(attribute.name);
  if (writtenValue === undefined && !rules.creating) return undefined;
  const value = writtenValue ?? (writtenValue === undefined ? (attribute.default ?? null) : null);
  if (value === null) {
    if (rules.strict && attribute.required) {
      const type = typeOfNull(attribute);
      // a stored row has null where nothing was written
      const isNull = writtenValue === null || rules.stored === true;
      if (isNull && type !== undefined) failures.addNull(place, type);
      else failures.add(place, MUST_BE_DEFINED, isNull ? null : undefined);
    }
    return null;
  }
  if (value instanceof KeptHash) return value.hash;
  if (rules.stored && CHECKED_ONCE.has(attribute.type)) return undefined;
  const limited = rules.hidden ? withoutLimits(attribute) : attribute;
  return checkScalar(limited, value, { strict: rules.strict, place, failures, patterns: rules.patterns });
}

/** Checks required relations and media: no edit may clear them, and a new row must have them. */
function validatePresence(
  attribute: Exclude<Attribute, ScalarAttribute>,
  written: WrittenRow,
  rules: Rules,
  failures: Failures,
  place: Place,
): void {
  if (!rules.strict || !attribute.required) return;
  const edit = written.relations.get(attribute.name);
  const files = written.media.get(attribute.name);
  const connects = edit?.kind === 'edit' && edit.connect.length > 0;
  const absent = files === undefined && (edit === undefined || (edit.kind === 'edit' && !connects));
  const cleared = (edit?.kind === 'set' && edit.entries.length === 0) || files?.length === 0;
  if (cleared || (absent && rules.creating)) failures.add(place, MUST_BE_DEFINED, null);
}

function validateComponents(
  attribute: ComponentAttribute | DynamicZoneAttribute,
  row: WrittenRow,
  rules: Rules,
  failures: Failures,
  place: Place,
  before: WrittenRow | undefined,
): ValidEntry[] | undefined {
  const many = attribute.type === 'dynamiczone' || attribute.repeatable;
  const written = row.components.get(attribute.name);
  const { strict, creating, hidden, stored, permitsAbsentLists } = rules;
  // lists of new drafts may be empty, but not absent, as in the reference
  const isRequiredList = many && creating && !hidden && !permitsAbsentLists;
  const isRequired = attribute.required && (strict || isRequiredList);
  const type = many ? 'array' : 'object';
  if (!written) {
    if (!isRequired || !creating) return undefined;
    // a stored row has null where nothing was written
    if (stored && !many) failures.addNull(place, type);
    else failures.add(place, MUST_BE_DEFINED);
    return undefined;
  }
  const { raw, entries } = written;
  if (!entries) {
    failures.addWrongType(place, type, raw);
    return undefined;
  }
  // null clears the lists of an update (docs/differences.md)
  const isNull = many ? raw === null && creating : entries.length === 0;
  if (isNull && isRequired) failures.addNull(place, type);
  else if (many && strict) checkCount(attribute, entries.length, failures, place);
  const valid: ValidEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const checked = validateEntry(attribute, entry, rules, failures, many ? below(place, index) : place, before);
    if (checked) valid.push(checked);
  }
  return valid;
}

function checkCount(
  { min, max, required }: ComponentAttribute | DynamicZoneAttribute,
  count: number,
  failures: Failures,
  place: Place,
): void {
  // `required` alone reports an empty list
  if (min !== undefined && count < min && (count > 0 || required)) {
    failures.add(
      place,
      because((label) => `${label} field must have at least ${min} items`, 'tooFew', { limit: min }),
    );
  }
  if (max !== undefined && count > max) {
    failures.add(
      place,
      because((label) => `${label} field must have less than or equal to ${max} items`, 'tooMany', { limit: max }),
    );
  }
}

function validateEntry(
  attribute: ComponentAttribute | DynamicZoneAttribute,
  entry: WrittenEntry,
  rules: Rules,
  failures: Failures,
  place: Place,
  before: WrittenRow | undefined,
): ValidEntry | undefined {
  if (entry.kind === 'malformed') {
    reportMalformed(attribute, entry.raw, failures, place);
    return undefined;
  }
  // an entry with an id is merged into the stored one, so attributes that it does not mention stay
  const creating = entry.id === undefined || rules.creating;
  const merged = creating ? undefined : storedEntry(before, attribute.name, entry.row, entry.id);
  const own = { ...rules, creating, permitsAbsentLists: rules.permitsAbsentLists === true || !rules.creating };
  return { id: entry.id, row: validateRow(entry.row, own, failures, place, merged) };
}

function reportMalformed(
  attribute: ComponentAttribute | DynamicZoneAttribute,
  raw: unknown,
  failures: Failures,
  place: Place,
): void {
  if (!isObject(raw)) {
    failures.addWrongType(place, 'object', raw);
    return;
  }
  const { __component: uid, id } = raw as Readonly<Record<string, unknown>>;
  const isKnown = typeof uid === 'string' && attribute.type === 'dynamiczone' && attribute.components.includes(uid);
  if (attribute.type !== 'dynamiczone' || isKnown) {
    failures.add(below(place, 'id'), (label) => `${label} must be the id of a component`, id);
    return;
  }
  const allowed = (): string => attribute.components.join(', ');
  failures.add(
    below(place, '__component'),
    uid === undefined
      ? REQUIRED
      : because((label) => `${label} must be one of the following values: ${allowed()}`, 'noChoice'),
    uid,
  );
}

/** Stands for a password: the hash of a stored one, which is kept. */
export class KeptHash {
  readonly hash: string;

  constructor(hash: string) {
    this.hash = hash;
  }
}
