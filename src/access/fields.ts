/**
 * The fields of a model: which are visible, their types, and whether they can be read, filtered, sorted and searched.
 */
import {
  type Attribute,
  attributeOf,
  type Catalog,
  CREATORS,
  FILE_UID,
  type FieldType,
  isScalar,
  type Model,
  modelOf,
  NUMBER_TYPES,
  type ScalarAttribute,
  showsCreatorsOf,
  TEXT_TYPES,
} from '../schema/catalog.ts';

/** System fields of content types in the order of answers, after the attributes. */
const TIMES: readonly string[] = ['createdAt', 'updatedAt', 'publishedAt'];

/** Types that contain texts within JSON. */
const JSON_TYPES: ReadonlySet<string> = new Set(['blocks', 'json']);

/** The meaning of a name for callers. */
export type Named =
  | { readonly kind: 'field'; readonly type: FieldType }
  | { readonly kind: 'attribute'; readonly attribute: Exclude<Attribute, ScalarAttribute> }
  /** The other locale versions of a document. */
  | { readonly kind: 'localizations' }
  /** The name exists, but is not visible. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'unknown' };

/** A field that `_q` searches. */
export interface SearchedField {
  readonly field: string;
  readonly type: FieldType;
}

/** The fields of one model by use, regardless of rights on related types. */
export interface ModelFields {
  /** Resolves a name. */
  named(name: string): Named;
  /** Scalar fields in the order of answers (docs/reference/query-parameters.md, "Fields"). */
  readonly readable: readonly string[];
  readonly filterable: ReadonlyMap<string, FieldType>;
  readonly sortable: ReadonlyMap<string, FieldType>;
  /**
   * The fields that `_q` searches: for text, and for a number (docs/reference/query-parameters.md, "Search"). `json`:
   * fields with texts within JSON, which `_q` searches for Views with `searchesJson`.
   */
  readonly searchable: Readonly<Record<'text' | 'number' | 'json', readonly SearchedField[]>>;
  /**
   * Names for `populate`, in the order of answers: visible relations, media, components and zones in schema order, then
   * the creators, and `localizations`. `View.covers` says which of them `populate=*` includes.
   */
  readonly populatable: readonly string[];
  /** Every visible name, for hints. */
  readonly visible: readonly string[];
}

/** The fields of every model of a Catalog, computed on first use. */
export class CatalogFields {
  readonly catalog: Catalog;
  readonly #public = new Map<Model, ModelFields>();
  readonly #private = new Map<Model, ModelFields>();
  #fileKeys: ReadonlySet<string> | undefined;

  constructor(catalog: Catalog) {
    this.catalog = catalog;
  }

  /**
   * The fields of a model. @param showsPrivate whether private attributes are visible; passwords and secrets never are.
   */
  of(model: Model, showsPrivate: boolean): ModelFields {
    const known = showsPrivate ? this.#private : this.#public;
    let fields = known.get(model);
    if (!fields) {
      fields = fieldsOf(model, showsPrivate);
      known.set(model, fields);
    }
    return fields;
  }

  /** Keys that the description of a file may have: those of a file record, which clients of Strapi send back. */
  get fileKeys(): ReadonlySet<string> {
    // relations to the users of a file are not part of its record
    this.#fileKeys ??= new Set([
      ...[...modelOf(this.catalog, FILE_UID).attributes.values()]
        .filter((attribute) => attribute.type !== 'relation' || attribute.target !== undefined)
        .map(({ name }) => name),
      ...SYSTEM_KEYS,
    ]);
    return this.#fileKeys;
  }
}

/** Keys of a record besides its attributes. */
const SYSTEM_KEYS: readonly string[] = ['id', 'documentId', ...TIMES, ...CREATORS, 'locale', 'localizations'];

const HIDDEN: Named = { kind: 'hidden' };
const UNKNOWN: Named = { kind: 'unknown' };

/** Computes the fields of a model. @param showsPrivate as in `CatalogFields.of`. */
export function fieldsOf(model: Model, showsPrivate: boolean): ModelFields {
  const names = new Map<string, Named>();
  const isType = model.modelType === 'contentType';
  const isPrivate = (name: string): boolean => isType && !showsPrivate && model.hidden.includes(name);
  const tellsCreator = (name: string): boolean =>
    isType && (showsPrivate || (showsCreatorsOf(model) && !isPrivate(name)));
  const field = (type: FieldType): Named => ({ kind: 'field', type });
  names.set('id', field('id'));
  if (isType) names.set('documentId', field('string'));
  for (const attribute of model.attributes.values()) {
    // no attribute replaces the row id
    if (attribute.name === 'id') continue;
    const isHidden = attribute.type === 'password' || attribute.secret === true || (attribute.private && !showsPrivate);
    const seen: Named = isScalar(attribute) ? field(attribute.type) : { kind: 'attribute', attribute };
    names.set(attribute.name, isHidden ? HIDDEN : seen);
  }
  if (isType) {
    const system = new Map<string, Named>([
      ...TIMES.map((name) => [name, isPrivate(name) ? HIDDEN : field('datetime')] as const),
      ...CREATORS.map((name) => [name, tellsCreator(name) ? creatorOf(model, name) : HIDDEN] as const),
      ['locale', model.localized && !isPrivate('locale') ? field('string') : HIDDEN],
      ['localizations', model.localized ? { kind: 'localizations' } : HIDDEN],
    ]);
    for (const [name, named] of system) if (!names.has(name)) names.set(name, named);
  }
  const fields = new Map<string, FieldType>();
  for (const [name, named] of names) if (named.kind === 'field') fields.set(name, named.type);
  const populatable = [...names].flatMap(([name, { kind }]) =>
    kind === 'attribute' || kind === 'localizations' ? [name] : [],
  );
  const searched = (types: ReadonlySet<string>): SearchedField[] =>
    [...fields].flatMap(([name, type]) => {
      const attribute = model.attributes.get(name);
      const isSearched = attribute && types.has(type) && !('unsearched' in attribute && attribute.unsearched);
      return isSearched ? [{ field: name, type }] : [];
    });
  const readable = [...fields.keys()];
  return {
    named: (name) => names.get(name) ?? UNKNOWN,
    readable,
    filterable: fields,
    sortable: fields,
    searchable: {
      text: searched(TEXT_TYPES),
      number: searched(new Set([...TEXT_TYPES, ...NUMBER_TYPES])),
      json: searched(JSON_TYPES),
    },
    populatable,
    visible: [...readable, ...populatable],
  };
}

/** The fields of a model with only some attributes visible. */
export function restricted(fields: ModelFields, model: Model, names: ReadonlySet<string>): ModelFields {
  const isShown = (name: string): boolean => names.has(name) || !model.attributes.has(name) || name === 'id';
  const shown = <T>(all: ReadonlyMap<string, T>) => new Map([...all].filter(([name]) => isShown(name)));
  const searched = (all: readonly SearchedField[]) => all.filter(({ field }) => isShown(field));
  const { text, number, json } = fields.searchable;
  return {
    named: (name) => (isShown(name) ? fields.named(name) : HIDDEN),
    readable: fields.readable.filter(isShown),
    filterable: shown(fields.filterable),
    sortable: shown(fields.sortable),
    searchable: { text: searched(text), number: searched(number), json: searched(json) },
    populatable: fields.populatable.filter(isShown),
    visible: fields.visible.filter(isShown),
  };
}

/**
 * The relation to the administrator who created or changed a row. It is empty for callers who may not see
 * administrators.
 */
function creatorOf(model: Model, name: string): Named {
  return { kind: 'attribute', attribute: attributeOf(model, name) as Exclude<Attribute, ScalarAttribute> };
}
