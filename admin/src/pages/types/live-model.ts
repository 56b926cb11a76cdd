/** The schema of a form for working types, before the server has it. */
import type { Attribute, AttributeType, Component, ContentType, Schema } from '../../../contract/schema.ts';
import { isKind } from './kinds.ts';
import { labelOf } from './names.ts';
import type { Types } from './relations.ts';
import {
  componentsOf,
  hasDrafts,
  infoText,
  isLocalized,
  nameOfType,
  optionAt,
  type WorkingAttribute,
  type WorkingType,
} from './working-type.ts';

/** Attributes that share a row of the form with another one. */
const HALF: ReadonlySet<string> = new Set([
  ...['integer', 'biginteger', 'float', 'decimal', 'date', 'time', 'datetime', 'timestamp', 'boolean', 'enumeration'],
  ...['email', 'password', 'uid'],
]);
const WHOLE = 12;

/** The schema of all working types, for `<DocumentForm>`. Settings that do not concern forms are those of `around`. */
export function liveSchema(types: Types, around: Schema): Schema {
  const all = Object.values(types).filter(({ isRemoved }) => !isRemoved);
  return {
    ...around,
    contentTypes: all.filter(({ kind }) => kind !== 'component').map(contentTypeOf),
    components: all.filter(({ kind }) => kind === 'component').map(componentOf),
  };
}

function modelOf(type: WorkingType) {
  const hasLocales = isLocalized(type.schema);
  const attributes = type.attributes
    .filter(({ options }) => options['visible'] !== false)
    .map((attribute) => attributeOf(attribute, hasLocales));
  const rows: { name: string; size: 4 | 6 | 8 | 12 }[][] = [];
  let taken = WHOLE;
  for (const { name, type: kind } of attributes) {
    const size = HALF.has(kind) ? 6 : WHOLE;
    if (taken + size > WHOLE) {
      rows.push([]);
      taken = 0;
    }
    rows.at(-1)!.push({ name, size });
    taken += size;
  }
  const named = attributes.find(({ type: kind }) => kind === 'string')?.name ?? 'documentId';
  return {
    uid: type.uid,
    displayName: nameOfType(type),
    icon: null,
    attributes,
    layout: { edit: rows, list: [named], mainField: named, defaultSort: `${named}:asc`, pageSize: 10 },
  };
}

function contentTypeOf(type: WorkingType): ContentType {
  return {
    ...modelOf(type),
    kind: type.kind === 'singleType' ? 'singleType' : 'collectionType',
    singularName: infoText(type, 'singularName'),
    pluralName: infoText(type, 'pluralName'),
    draftAndPublish: hasDrafts(type),
    localized: isLocalized(type.schema),
    runsCode: false,
    actions: { create: false, update: false, delete: false, publish: false },
  };
}

function componentOf(type: WorkingType): Component {
  return { ...modelOf(type), category: type.category ?? '' };
}

const isFormType = (type: unknown): type is AttributeType => isKind(type) && type !== 'customField';

/** The type that the form shows for an attribute; custom fields without a stored type are texts. */
function formType({ type, underlyingType }: WorkingAttribute['options']): AttributeType {
  const shown = type === 'customField' ? underlyingType : type;
  return isFormType(shown) ? shown : 'string';
}

/** @param hasLocales whether its type has locales. */
function attributeOf({ name, options }: WorkingAttribute, hasLocales: boolean): Attribute {
  const type = formType(options);
  const visibleIf = optionAt(options, ['conditions', 'visible']);
  const texts = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
  const pick = <T>(key: string, is: (value: unknown) => value is T): Record<string, T> =>
    is(options[key]) ? { [key]: options[key] } : {};
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  const isNumber = (value: unknown): value is number => typeof value === 'number';
  const isLimit = (value: unknown): value is number | string => isNumber(value) || isText(value);
  const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
  return {
    name,
    type,
    required: options['required'] === true,
    // links and names in addresses belong to a locale in any case
    localized: hasLocales && (type === 'relation' || type === 'uid' || isLocalized(options)),
    private: options['private'] === true,
    label: labelOf(name),
    description: null,
    placeholder: null,
    readable: type !== 'password',
    writable: options['writable'] !== false,
    writableInNew: options['writable'] !== false,
    ...(visibleIf !== undefined && { visibleIf }),
    ...pick('unique', isFlag),
    ...pick('min', isLimit),
    ...pick('max', isLimit),
    ...pick('minLength', isNumber),
    ...pick('maxLength', isNumber),
    ...pick('regex', isText),
    ...(options['default'] !== undefined && { default: options['default'] }),
    ...(type === 'enumeration' && { enum: texts(options['enum']) }),
    ...pick('customField', isText),
    ...(options['options'] !== undefined && { options: options['options'] }),
    ...pick('targetField', isText),
    ...(type === 'media' && { multiple: options['multiple'] === true, allowedTypes: texts(options['allowedTypes']) }),
    ...(type === 'component' && {
      component: componentsOf(options)[0] ?? '',
      repeatable: options['repeatable'] === true,
    }),
    ...(type === 'dynamiczone' && { components: componentsOf(options) }),
    ...(type === 'relation' && {
      relation: (isText(options['relation']) ? options['relation'] : 'oneToOne') as NonNullable<Attribute['relation']>,
      ...pick('target', isText),
    }),
  } as Attribute;
}
