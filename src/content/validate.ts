/**
 * Validation of a written row: all failures of one stage together, in schema order, each with its path
 * (behaviour-writes.md, "Error shape", "Draft and publish").
 */

import { isScalar } from '../access/fields.ts';
import type { WrittenComponents, WrittenEntry, WrittenRow } from '../access/permitted-write.ts';
import type { FieldFailure } from '../errors.ts';
import type { Attribute, ComponentAttribute, DynamicZoneAttribute, ScalarAttribute } from '../schema/catalog.ts';
import { checkScalar, type Stored, wrongType } from './validate-scalar.ts';

/** How strictly, and whether absent attributes count. */
export interface Rules {
  /** False for drafts, which are spared required, minimum, format and uniqueness. */
  readonly strict: boolean;
  /** True for new rows: absent attributes take their default, and fail when they are required. */
  readonly creating: boolean;
  /** True for a row read from the database, whose documents, times and hashes were checked when they came. */
  readonly stored?: boolean;
}

/** Types whose stored form is not the form in which they are written. */
const CHECKED_ONCE: ReadonlySet<string> = new Set([
  'json',
  'blocks',
  'date',
  'time',
  'datetime',
  'timestamp',
  'password',
]);

/** A row whose values passed: scalars in their stored form, defaults filled in. Times are still texts. */
export interface ValidRow {
  readonly written: WrittenRow;
  readonly scalars: ReadonlyMap<ScalarAttribute, Stored>;
  readonly components: ReadonlyMap<string, readonly ValidEntry[]>;
}

export interface ValidEntry {
  readonly id: number | undefined;
  readonly row: ValidRow;
}

/**
 * Validates a row and everything inside it.
 *
 * @param failures receives what is wrong; when it stays empty the row is whole.
 */
export function validateRow(
  written: WrittenRow,
  rules: Rules,
  failures: FieldFailure[],
  path: readonly string[] = [],
): ValidRow {
  const scalars = new Map<ScalarAttribute, Stored>();
  const components = new Map<string, readonly ValidEntry[]>();
  for (const attribute of written.model.attributes.values()) {
    const here = [...path, attribute.name];
    const found: FieldFailure[] = [];
    if (isScalar(attribute)) validateScalar(attribute, written, rules, found, here, scalars);
    else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
      const entries = validateComponents(attribute, written.components.get(attribute.name), rules, found, here);
      if (entries) components.set(attribute.name, entries);
    } else validatePresence(attribute, written, rules, found, here);
    const secret = isSecret(attribute);
    for (const failure of found) failures.push(secret ? withoutValue(failure) : failure);
  }
  return { written, scalars, components };
}

/** Whether the values of an attribute are not to be told to anybody. */
export function isSecret(attribute: Attribute): boolean {
  return attribute.private || attribute.type === 'password';
}

/** A failure that tells nothing of the value, for values that the caller may not see. */
export function withoutValue({ path, message }: FieldFailure): FieldFailure {
  return { path, message: message.replace(/, but the final value was: `[\s\S]*`\.$/, '.') };
}

/** `slots[1].label` for the path `slots, 1, label`. */
export function labelOf(path: readonly string[]): string {
  return path.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
}

function validateScalar(
  attribute: ScalarAttribute,
  written: WrittenRow,
  rules: Rules,
  failures: FieldFailure[],
  path: readonly string[],
  scalars: Map<ScalarAttribute, Stored>,
): void {
  const { name } = attribute;
  const given = written.scalars.get(name);
  if (given === undefined && !rules.creating) return;
  const value = given ?? (given === undefined ? (attribute.default ?? null) : null);
  const label = labelOf(path);
  if (value === null) {
    const message = `${label} must be defined.`;
    if (rules.strict && attribute.required) failures.push({ path, message, value: given });
    scalars.set(attribute, null);
    return;
  }
  if (rules.stored && CHECKED_ONCE.has(attribute.type)) return;
  const checked = checkScalar(attribute, value, label, rules.strict);
  if ('value' in checked) scalars.set(attribute, checked.value);
  else if ('nested' in checked) {
    for (const failure of checked.nested) {
      failures.push({ path: [...path, ...failure.path], message: `${label} ${failure.message}`, value });
    }
  } else for (const message of checked.messages) failures.push({ path, message, value });
}

/** Required relations and media: what clears them, or a new row that lacks them. */
function validatePresence(
  attribute: Exclude<Attribute, ScalarAttribute>,
  written: WrittenRow,
  rules: Rules,
  failures: FieldFailure[],
  path: readonly string[],
): void {
  if (!rules.strict || !attribute.required) return;
  const edit = written.relations.get(attribute.name);
  const files = written.media.get(attribute.name);
  const connects = edit?.kind === 'edit' && edit.connect.length > 0;
  const absent = files === undefined && (edit === undefined || (edit.kind === 'edit' && !connects));
  const cleared = (edit?.kind === 'set' && edit.entries.length === 0) || files?.length === 0;
  if (cleared || (absent && rules.creating)) {
    failures.push({ path, message: `${labelOf(path)} must be defined.`, value: null });
  }
}

function validateComponents(
  attribute: ComponentAttribute | DynamicZoneAttribute,
  written: WrittenComponents | undefined,
  rules: Rules,
  failures: FieldFailure[],
  path: readonly string[],
): ValidEntry[] | undefined {
  const many = attribute.type === 'dynamiczone' || attribute.repeatable;
  const label = labelOf(path);
  if (!written) {
    if (rules.creating && rules.strict && attribute.required) {
      failures.push({ path, message: `${label} must be defined.`, value: null });
    }
    return undefined;
  }
  const { raw, entries } = written;
  if (!entries) {
    failures.push({ path, message: wrongType(label, many ? 'array' : 'object', raw), value: raw });
    return undefined;
  }
  if (!many) {
    if (entries.length === 0 && rules.strict && attribute.required) {
      failures.push({ path, message: wrongType(label, 'object', null), value: null });
    }
    return entries.flatMap((entry) => validateEntry(attribute, entry, rules, failures, path));
  }
  if (rules.strict) checkCount(attribute, entries.length, failures, path);
  return entries.flatMap((entry, index) => validateEntry(attribute, entry, rules, failures, [...path, String(index)]));
}

function checkCount(
  { min, max, required }: ComponentAttribute | DynamicZoneAttribute,
  count: number,
  failures: FieldFailure[],
  path: readonly string[],
): void {
  const label = labelOf(path);
  // an empty list is told by `required` alone
  if (min !== undefined && count < min && (count > 0 || required)) {
    failures.push({ path, message: `${label} field must have at least ${min} items` });
  }
  if (max !== undefined && count > max) {
    failures.push({ path, message: `${label} field must have less than or equal to ${max} items` });
  }
}

function validateEntry(
  attribute: ComponentAttribute | DynamicZoneAttribute,
  entry: WrittenEntry,
  rules: Rules,
  failures: FieldFailure[],
  path: readonly string[],
): ValidEntry[] {
  if (entry.kind === 'malformed') {
    failures.push(malformed(attribute, entry.raw, path));
    return [];
  }
  // an entry with an id is merged into the stored one: what it does not mention stays
  const creating = entry.id === undefined || rules.creating;
  const row = validateRow(entry.row, { ...rules, creating }, failures, path);
  return [{ id: entry.id, row }];
}

function malformed(
  attribute: ComponentAttribute | DynamicZoneAttribute,
  raw: unknown,
  path: readonly string[],
): FieldFailure {
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  if (!isObject) return { path, message: wrongType(labelOf(path), 'object', raw), value: raw };
  if (attribute.type !== 'dynamiczone') {
    const at = [...path, 'id'];
    return { path: at, message: `${labelOf(at)} must be the id of a component`, value: raw };
  }
  const at = [...path, '__component'];
  const uid = (raw as Readonly<Record<string, unknown>>)['__component'];
  const known = typeof uid === 'string' && attribute.components.includes(uid);
  if (known) return { path: [...path, 'id'], message: `${labelOf([...path, 'id'])} must be the id of a component` };
  const message =
    uid === undefined
      ? `${labelOf(at)} is a required field`
      : `${labelOf(at)} must be one of the following values: ${attribute.components.join(', ')}`;
  return { path: at, message, value: uid };
}
