/** Checks a single attribute: its type, its options and their values. */
import { isObject } from '../../plain-values.ts';
import { child, flag, scalarTypeOf } from '../build.ts';
import { CUSTOM_FIELDS, customFieldType, type RawSchema } from '../built-in.ts';
import { MEDIA_KINDS, SCALAR_TYPES, type ScalarType } from '../catalog.ts';
import type { SchemaSource } from '../files.ts';
import { snake } from '../layout/naming.ts';
import { checkConditions } from './conditions.ts';
import type { Findings } from './problem.ts';
import { checkScalar, SCALAR_OPTIONS } from './scalar.ts';

/** The names that an attribute may refer to. */
export interface Names {
  readonly contentTypes: ReadonlySet<string>;
  readonly components: ReadonlySet<string>;
  /**
   * Whether a uid is or may be that of an unreadable schema. References to it are not reported in addition to the file.
   */
  readonly isUnread: (uid: unknown) => boolean;
}

export const RELATION_KINDS = [
  'oneToOne',
  'oneToMany',
  'manyToOne',
  'manyToMany',
  'morphToOne',
  'morphToMany',
  'morphOne',
  'morphMany',
];
const TYPES = [...SCALAR_TYPES, 'media', 'relation', 'component', 'dynamiczone', 'customField'];

// the reference's editor and plugins store these on every kind of attribute
export const COMMON = [
  ...['type', 'required', 'private', 'pluginOptions', 'customField', 'underlyingType'],
  // Galley's own: the former name (editing/record.ts)
  'renamedFrom',
];
export const EDITOR = [
  'autoPopulate',
  'conditions',
  'configurable',
  'description',
  'displayName',
  'editable',
  'label',
  'options',
  'placeholder',
  'searchable',
  'sortable',
  'unstable_virtual',
  'visible',
  'writable',
];
const RELATION_OPTIONS = ['relation', 'target', 'inversedBy', 'mappedBy', 'morphBy', 'useJoinTable', 'unique'];
export const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  media: ['multiple', 'allowedTypes'],
  relation: RELATION_OPTIONS,
  component: ['component', 'repeatable', 'min', 'max'],
  dynamiczone: ['components', 'min', 'max'],
};
/** Options that would store links in other tables than the naming rules. */
export const UNSUPPORTED = ['joinTable', 'joinColumn', 'morphColumn'];
const FLAGS = ['required', 'private', 'unique', 'multiple', 'repeatable', 'useJoinTable'];
/** Flags that only `false` disables. */
const OPEN_FLAGS = ['searchable', 'visible', 'writable'];

// names of system fields in snake case, whose columns other spellings would use
const RESERVED = ['id', 'document_id'];
const RESERVED_IN_TYPES = ['created_at', 'updated_at', 'published_at', 'created_by_id', 'updated_by_id', 'locale'];
/** System fields of content types, which replace attributes of the same name in the reference. */
const SYSTEM_FIELDS = ['createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations'];
const ATTRIBUTE_NAME = /^[-_0-9A-Za-z]*[0-9A-Za-z][-_0-9A-Za-z]*$/;
/** Keys that answers and objects need themselves. */
const OWN_KEYS = ['__component', '__type', '__proto__'];

/** Whether an attribute is left out in favour of a system field. */
export function isOvershadowed(source: SchemaSource, name: string): boolean {
  return source.role !== 'component' && SYSTEM_FIELDS.includes(name);
}

/** Reports the mistakes of a single attribute. Other sides of relations are checked in `relations.ts`. */
export function checkAttribute(
  source: SchemaSource,
  name: string,
  value: unknown,
  names: Names,
  findings: Findings,
): void {
  const { file } = source;
  const at = ['attributes', name];
  if (isOvershadowed(source, name)) {
    findings.warning(file, at, 'is left out: every content type has a system field of that name');
    return;
  }
  checkName(source, name, findings);
  if (!isObject(value)) {
    findings.problem(file, at, 'must be an object with a type');
    return;
  }
  const { type } = value;
  if (type === undefined) {
    findings.problem(file, [...at, 'type'], 'is missing');
    return;
  }
  if (!TYPES.includes(type as string)) {
    findings.problem(file, [...at, 'type'], `unknown attribute type ${JSON.stringify(type)}`, String(type), TYPES);
    return;
  }
  const scalar = scalarTypeOf(value);
  if (type === 'customField' && scalar === undefined) {
    checkCustomField(file, at, value, findings);
    return;
  }
  checkOptions(file, at, value, scalar, findings);
  checkFormerName(file, [...at, 'renamedFrom'], value, findings);
  checkConditions(file, at, value['conditions'], siblings(source), findings);
  if (scalar !== undefined)
    checkScalar(file, at, scalar, value, Object.keys(child(source.raw, 'attributes')), findings);
  else if (type === 'media') {
    checkList(file, [...at, 'allowedTypes'], value['allowedTypes'], new Set(MEDIA_KINDS), 'kind of files', findings);
  } else if (type === 'component') {
    const { component } = value;
    if (!names.isUnread(component)) {
      checkReference(file, [...at, 'component'], component, names.components, 'component', findings);
    }
    checkCounts(file, at, value, findings);
  } else if (type === 'dynamiczone') {
    const path = [...at, 'components'];
    if (value['components'] === undefined) findings.warning(file, path, 'is missing: the zone stays empty');
    checkList(file, path, value['components'], names.components, 'component', findings, names.isUnread);
    checkCounts(file, at, value, findings);
  }
}

/** The attributes that a condition may refer to. */
function siblings(source: SchemaSource): RawSchema {
  const entries = Object.entries(child(source.raw, 'attributes'));
  return Object.fromEntries(entries.filter(([name]) => !isOvershadowed(source, name)));
}

function checkName(source: SchemaSource, name: string, findings: Findings): void {
  const at = ['attributes', name];
  if (!ATTRIBUTE_NAME.test(name) || OWN_KEYS.includes(name)) {
    findings.problem(
      source.file,
      at,
      'an attribute name consists of letters, digits, _ and -, and is not a reserved word',
    );
    return;
  }
  const reserved = source.role === 'component' ? RESERVED : [...RESERVED, ...RESERVED_IN_TYPES];
  const plain = snake(name);
  if (reserved.includes(plain)) {
    findings.problem(source.file, at, `the name ${name} is reserved for a system field`);
  }
}

function checkCustomField(file: string, at: readonly string[], raw: RawSchema, findings: Findings): void {
  const underlying = customFieldType(raw);
  if (underlying !== undefined) {
    const message = `unknown type ${JSON.stringify(underlying)}`;
    findings.problem(file, [...at, 'underlyingType'], message, String(underlying), SCALAR_TYPES);
    return;
  }
  const field = raw['customField'];
  findings.problem(
    file,
    [...at, 'customField'],
    typeof field === 'string'
      ? `unknown custom field ${field}: add "underlyingType" with the type that it is stored as, such as "string" or "json"`
      : 'is missing',
    typeof field === 'string' ? field : undefined,
    CUSTOM_FIELDS.keys(),
  );
}

function checkOptions(
  file: string,
  at: readonly string[],
  raw: RawSchema,
  scalar: ScalarType | undefined,
  findings: Findings,
): void {
  const known = [...COMMON, ...EDITOR, ...(scalar ? SCALAR_OPTIONS : OPTIONS[raw['type'] as string]!)];
  for (const [key, value] of Object.entries(raw)) {
    if (UNSUPPORTED.includes(key) && raw['type'] === 'relation') {
      findings.problem(file, [...at, key], `${key} is not supported: the naming rules decide the table of the links`);
    } else if (key === 'unstable_virtual' && value === true) {
      findings.warning(file, [...at, key], 'has no effect: the relation is stored like any other');
    } else if (!known.includes(key)) findings.unknownOption(file, [...at, key], key, known);
    else if (OPEN_FLAGS.includes(key) && typeof value !== 'boolean') {
      findings.warning(file, [...at, key], 'should be true or false; it counts as true');
    } else if (FLAGS.includes(key) && typeof value !== 'boolean') {
      findings.warning(file, [...at, key], `should be true or false; it counts as ${flag(key, value)}`);
    }
  }
}

/** Reports a former name that is none: a text, or for a component the former names of its own attributes. */
function checkFormerName(file: string, at: readonly string[], raw: RawSchema, findings: Findings): void {
  const from = raw['renamedFrom'];
  const names = raw['type'] === 'component' && isObject(from) ? Object.values(from) : [from];
  if (from === undefined || names.every((name) => typeof name === 'string' && name !== '')) return;
  const others =
    raw['type'] === 'component' ? ', or an object of attributes of the component with their former names' : '';
  findings.problem(file, at, `must be the former name of the attribute${others}`);
}

function checkList(
  file: string,
  at: readonly string[],
  value: unknown,
  known: ReadonlySet<string>,
  noun: string,
  findings: Findings,
  passes: (item: unknown) => boolean = () => false,
): void {
  // the reference treats null as an empty list
  if (value == null) return;
  if (!Array.isArray(value)) {
    findings.warning(file, at, 'should be a list: it is ignored');
    return;
  }
  value.forEach((item, i) => {
    if (known.has(item) || passes(item)) return;
    findings.warning(file, [...at, i], `unknown ${noun} ${JSON.stringify(item)} is ignored`, String(item), known);
  });
}

function checkReference(
  file: string,
  at: readonly (string | number)[],
  value: unknown,
  known: ReadonlySet<string>,
  noun: string,
  findings: Findings,
): void {
  if (value === undefined) findings.problem(file, at, 'is missing');
  else if (!known.has(value as string)) {
    findings.problem(file, at, `unknown ${noun} ${JSON.stringify(value)}`, String(value), known);
  }
}

function checkCounts(file: string, at: readonly string[], raw: RawSchema, findings: Findings): void {
  const { min, max } = raw;
  for (const [key, value] of Object.entries({ min, max })) {
    if (value != null && !(Number.isInteger(value) && (value as number) >= 0)) {
      findings.warning(file, [...at, key], 'should be a whole number, 0 or more');
    }
  }
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    findings.warning(file, [...at, 'min'], `min ${min} is greater than max ${max}: nothing fits`);
  }
}
