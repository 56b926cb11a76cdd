/** The fields of a type that a list can show, sort by and filter by. */
import type { Attribute, ContentType, Schema } from '../../../contract/schema.ts';
import { LOCALIZATIONS } from '../../data/list-search.ts';
import { documentName, namedBy } from '../../language/document-name.ts';
import type { PlainKey, Text } from '../../language/messages.ts';

export type FieldKind =
  | 'text'
  | 'choice'
  | 'number'
  | 'flag'
  | 'date'
  | 'moment'
  | 'time'
  | 'relation'
  | 'media'
  /** A document without a name: it is linked or not. */
  | 'whole'
  /** An administrator. */
  | 'person'
  /** The locales in which a document has no version. */
  | 'locale';

export interface ListField {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  /** Undefined for fields that no schema has, such as `updatedAt`. */
  readonly attribute?: Attribute;
  readonly isSortable: boolean;
  readonly isMany: boolean;
  /** The target type of a relation, and the field that names its documents. */
  readonly target?: { readonly uid: string; readonly mainField: string };
  /** The locales to choose from. */
  readonly locales?: Schema['locales'];
}

/** The fields of every document, with their labels. */
const SYSTEM: Readonly<Record<string, readonly [kind: FieldKind, label: PlainKey]>> = {
  updatedAt: ['moment', 'lists.updatedAt'],
  createdAt: ['moment', 'lists.createdAt'],
  updatedBy: ['person', 'lists.updatedBy'],
  createdBy: ['person', 'lists.createdBy'],
  documentId: ['text', 'lists.documentId'],
  id: ['number', 'lists.id'],
};

const KINDS: Readonly<Partial<Record<Attribute['type'], FieldKind>>> = {
  string: 'text',
  text: 'text',
  richtext: 'text',
  email: 'text',
  uid: 'text',
  enumeration: 'choice',
  integer: 'number',
  biginteger: 'number',
  float: 'number',
  decimal: 'number',
  boolean: 'flag',
  date: 'date',
  datetime: 'moment',
  timestamp: 'moment',
  time: 'time',
  relation: 'relation',
  media: 'media',
  json: 'whole',
  blocks: 'whole',
};

/** Types whose values are too long for a column. */
const LONG: ReadonlySet<Attribute['type']> = new Set(['richtext', 'json', 'blocks']);
/** Kinds by which lists cannot be sorted. */
const UNSORTED: ReadonlySet<FieldKind> = new Set(['relation', 'media', 'whole', 'person', 'locale']);

/** All fields in the order of the schema, followed by those of every document. */
export function fieldsOf(schema: Schema, type: ContentType, t: Text): readonly ListField[] {
  const own = type.attributes.flatMap((attribute): ListField[] => {
    const kind = KINDS[attribute.type];
    if (kind === undefined || !attribute.readable) return [];
    const { name, label } = attribute;
    const target = schema.contentTypes.find(({ uid }) => uid === attribute.target);
    // The administrator may not be permitted to see the target type.
    if (kind === 'relation' && !target) return [];
    const isMany = attribute.multiple === true || /Many$/.test(attribute.relation ?? '');
    const isSortable = !UNSORTED.has(kind);
    const mainField = attribute.mainField ?? target?.layout.mainField ?? 'documentId';
    const names = target?.attributes.some((one) => one.name === mainField && one.readable) ? mainField : 'documentId';
    const led = target ? { target: { uid: target.uid, mainField: names } } : {};
    return [{ name, label, kind, attribute, isSortable, isMany, ...led }];
  });
  const system = Object.entries(SYSTEM).map(
    ([name, [kind, label]]): ListField => ({
      name,
      label: t(label),
      kind,
      isSortable: !UNSORTED.has(kind),
      isMany: false,
    }),
  );
  const { locales } = schema;
  const translations: readonly ListField[] =
    type.localized && locales.length > 1
      ? [
          {
            ...{ name: LOCALIZATIONS, label: t('lists.localizations'), kind: 'locale', locales },
            ...{ isSortable: false, isMany: true },
          },
        ]
      : [];
  return [...own, ...translations, ...system];
}

/** Whether a field can be a column. */
export const isColumn = ({ attribute, kind }: ListField): boolean =>
  kind !== 'locale' && (attribute === undefined || !LONG.has(attribute.type));

/** The default columns: those of Strapi's panel, and the state. */
export function usualColumns(schema: Schema, type: ContentType): readonly string[] {
  const { list, mainField } = type.layout;
  const listed = list.filter((name) => name !== mainField);
  return [
    mainField,
    ...(type.draftAndPublish ? ['state'] : []),
    ...(type.localized && schema.locales.length > 1 ? ['locales'] : []),
    ...listed.filter((name) => name !== 'updatedAt'),
    'updatedAt',
  ];
}

/** The name of a document. */
export const nameOf = (t: Text, type: ContentType, row: Readonly<Record<string, unknown>>): string =>
  documentName(t, namedBy(type.layout.mainField, row));

/** The name of an administrator. */
export function personOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const { firstname, lastname, username } = value as Readonly<Record<string, string | null>>;
  return [firstname, lastname].filter(Boolean).join(' ') || (username ?? '');
}
