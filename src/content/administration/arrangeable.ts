/** What of a model can be arranged, by the rules of the reference's panel: names in its lists, in its forms, and sizes. */
import { isScalar } from '../../access/fields.ts';
import { isObject } from '../../plain-values.ts';
import { type Attribute, attributeOf, type Catalog, CREATORS, type Model, USER_UID } from '../../schema/catalog.ts';
import { SIZES, type Size, sizeOf, WHOLES, wordsOf } from './arrangement.ts';

/** A name that an arrangement can be about. */
export interface Arrangeable {
  readonly name: string;
  /** What stands at it where nobody has chosen a label. */
  readonly label: string;
  /** Of the schema; `integer` of the id, `datetime` of times, `relation` of those who wrote a document. */
  readonly type: string;
  /** Whether it can be a column of a list. */
  readonly listed: boolean;
  /** Whether a list can be sorted by it by default. */
  readonly sorted: boolean;
  /** Whether it can name a document. */
  readonly naming: boolean;
  /** The sizes that it can have in a form, of twelve; none: it stands in no form. */
  readonly sizes: readonly Size[];
  /** Fields of what a relation leads to that can name it; none of others. */
  readonly mainFields: readonly string[];
}

const UNLISTED: ReadonlySet<string> = new Set(['json', 'password', 'richtext', 'dynamiczone', 'blocks']);
const UNSORTED: ReadonlySet<string> = new Set(['component', 'json', 'media', 'richtext', 'dynamiczone', 'blocks']);

/** Everything of a model that can be arranged, in the reference's order. */
export function arrangeable(catalog: Catalog, model: Model): readonly Arrangeable[] {
  const isType = model.modelType === 'contentType';
  const own = [...model.attributes.values()].flatMap((attribute) => {
    // the reference's panel does not know relations to any type yet
    if (attribute.type === 'relation' && attribute.relation.startsWith('morph')) return [];
    return [ofAttribute(catalog, attribute, attribute.secret ? [] : sizesOf(attribute))];
  });
  const time = (name: string) => ({ ...field(name, 'datetime'), naming: false });
  return [
    { ...field('id', 'integer'), sorted: isType },
    ...own,
    ...(isType ? ['createdAt', 'updatedAt'].map(time) : []),
    ...(isType ? CREATORS.map((name) => ofAttribute(catalog, attributeOf(model, name)!, [])) : []),
    { ...field('documentId', 'string'), sorted: isType, listed: isType, naming: isType },
  ];
}

/** Names that the reference hides from its lists. */
const HIDDEN: Readonly<Record<string, readonly string[]>> = { [USER_UID]: ['provider'] };
/** Columns that the reference stores of each type by itself. */
const STORED_COLUMNS = 4;

/**
 * Whether the columns of a type are those that the reference's panel stores by itself, before anybody arranges them: they
 * begin with the id of the row, which nobody has asked to see then.
 */
export function hasUsualColumns(
  catalog: Catalog,
  model: Model,
  stored: Readonly<Record<string, unknown>> | undefined,
): boolean {
  const layouts = stored?.['layouts'];
  const columns = isObject(layouts) ? layouts['list'] : undefined;
  const own = arrangeable(catalog, model).filter(({ name, listed }) => listed && !HIDDEN[model.uid]?.includes(name));
  const names = own.slice(0, STORED_COLUMNS).map(({ name }) => name);
  return Array.isArray(columns) && columns.length === names.length && names.every((name, at) => columns[at] === name);
}

/** Whether the reference's panel finds something by a field, and sorts by it: it says so in what it stores. */
export function isSortable({ type }: Arrangeable, attribute: Attribute | undefined): boolean {
  if (attribute?.type === 'relation') return /ToOne$/.test(attribute.relation);
  return !UNSORTED.has(type);
}

/** The fields that can name documents or rows of a model. */
export function namingFields(model: Model): string[] {
  const named = [...model.attributes.values()].filter(isNaming).map(({ name }) => name);
  return [...named, ...(model.modelType === 'contentType' ? ['documentId'] : []), 'id'];
}

const field = (name: string, type: string): Arrangeable => ({
  name,
  label: wordsOf(name),
  type,
  listed: true,
  sorted: true,
  naming: true,
  sizes: [],
  mainFields: [],
});

function ofAttribute(catalog: Catalog, attribute: Attribute, sizes: readonly Size[]): Arrangeable {
  const { name, type } = attribute;
  const target = attribute.type === 'relation' ? catalog.contentTypes.get(attribute.target ?? '') : undefined;
  return {
    name,
    label: wordsOf(name),
    type,
    listed: !UNLISTED.has(type) && !attribute.secret,
    sorted: isNaming(attribute),
    naming: isNaming(attribute),
    sizes,
    mainFields: target ? namingFields(target) : [],
  };
}

const isNaming = (attribute: Attribute): boolean =>
  isScalar(attribute) && !UNLISTED.has(attribute.type) && !attribute.secret;

const sizesOf = (attribute: Attribute): readonly Size[] =>
  WHOLES.has(attribute.type) && attribute.type !== 'text' ? [sizeOf(attribute)] : SIZES;
