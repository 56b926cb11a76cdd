/**
 * The Catalog: everything that the schema files say, resolved and frozen. It knows content types, components and
 * attributes, not tables (see `layout.ts`) and not files (see `load.ts`).
 */

/** Attribute types that are stored in one column of the type's own table. */
export const SCALAR_TYPES = [
  'string',
  'text',
  'richtext',
  'blocks',
  'email',
  'password',
  'uid',
  'enumeration',
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'time',
  'datetime',
  'timestamp',
  'json',
] as const;
export type ScalarType = (typeof SCALAR_TYPES)[number];

interface AttributeBase {
  readonly name: string;
  readonly required: boolean;
  /** Never readable, filterable or sortable from outside. */
  readonly private: boolean;
  /** Shown to nobody, like a password, whatever a View shows: whoever read it could act as somebody else. */
  readonly secret?: true;
  /**
   * Whether each locale has its own value: the i18n option, and always for relations and uid attributes
   * (docs/reference/query-parameters.md, "Locale"). False throughout a type that is not localized.
   */
  readonly localized: boolean;
  /** Kept by the server itself, and in no schema file: copies of a document do not have it. */
  readonly managed?: true;
  /** `writable: false`: code of the project alone may write it. */
  readonly readOnly?: true;
  /** `visible: false`: forms and lists of the administration app do not have it. */
  readonly unlisted?: true;
  /** `conditions.visible`: where it does not hold, the attribute is hidden and its value is not validated. */
  readonly visibility?: Visibility;
}

/** When an attribute is shown. */
export interface Visibility {
  /** A condition in JSON Logic (`json-logic.ts`) on the values of the same row or component. */
  readonly condition: unknown;
  /** The attributes of the same model that the condition reads. */
  readonly dependsOn: ReadonlySet<string>;
}

export interface ScalarAttribute extends AttributeBase {
  readonly type: ScalarType;
  readonly unique: boolean;
  /** `searchable: false`: a `_q` does not look into it. */
  readonly unsearched?: true;
  /** Whether lists are filtered or sorted by it often enough to have an index: a hint of ours. */
  readonly indexed: boolean;
  /** The value of a new document that does not mention the attribute; undefined when there is none. */
  readonly default: unknown;
  readonly min: number | string | undefined;
  readonly max: number | string | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly regex: string | undefined;
  /** The values of an enumeration; empty for other types. */
  readonly enum: readonly string[];
  /** `columnName`, used as is, when the schema gives one. */
  readonly columnName: string | undefined;
  /** `column: {unique, defaultTo}`: the only options that reach the database. */
  readonly column: { readonly unique: boolean; readonly defaultTo: unknown } | undefined;
  /** `columnType.type` of the schema: a column of another type than the attribute's own. */
  readonly columnType?: string;
  /** Name of the custom field that it is: `plugin::color-picker.color`. */
  readonly customField?: string;
  /** Options of the custom field or of the uid, as the schema gives them. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The attribute that a uid is made from. */
  readonly targetField?: string;
}

/** What `allowedTypes` of a media attribute can name. */
export const MEDIA_KINDS: readonly string[] = ['images', 'videos', 'audios', 'files'];

export interface MediaAttribute extends AttributeBase {
  readonly type: 'media';
  readonly multiple: boolean;
  /** `images`, `videos`, `audios`, `files`; empty: all. */
  readonly allowedTypes: readonly string[];
}

export type RelationKind =
  | 'oneToOne'
  | 'oneToMany'
  | 'manyToOne'
  | 'manyToMany'
  | 'morphToOne'
  | 'morphToMany'
  | 'morphOne'
  | 'morphMany';

export interface RelationAttribute extends AttributeBase {
  readonly type: 'relation';
  readonly relation: RelationKind;
  /** Uid of the target type; undefined for morphToOne and morphToMany, which may reach any type. */
  readonly target: string | undefined;
  /** The attribute of the other side in a two-sided relation (`inversedBy` or `mappedBy`), which names this one. */
  readonly inverse: string | undefined;
  /** The schema names an inverse, whether or not that one names this: the link table has an order for it. */
  readonly namesInverse: boolean;
  /** False on the `mappedBy` side, whose links are stored in the other side's table. */
  readonly owner: boolean;
  /** `morphBy` of morphOne and morphMany: the morphTo attribute of the target. */
  readonly morphBy: string | undefined;
  /** False when the schema asks for a column of the owner's table instead of a link table. */
  readonly useJoinTable: boolean;
}

export interface ComponentAttribute extends AttributeBase {
  readonly type: 'component';
  /** Uid of the component: `<category>.<name>`, lower case. */
  readonly component: string;
  readonly repeatable: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export interface DynamicZoneAttribute extends AttributeBase {
  readonly type: 'dynamiczone';
  readonly components: readonly string[];
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export type Attribute =
  | ScalarAttribute
  | MediaAttribute
  | RelationAttribute
  | ComponentAttribute
  | DynamicZoneAttribute;

/** What content types and components share: a table with attributes. */
interface ModelBase {
  /** `api::article.article`, `plugin::upload.file`, `shared.seo`. */
  readonly uid: string;
  readonly singularName: string;
  /** The raw `collectionName` of the schema (or its default); the table's name may be a shortening of it. */
  readonly collectionName: string;
  readonly displayName: string;
  /** The name of an icon, where the schema gives one. */
  readonly icon?: string;
  /** In schema order, without the system fields. */
  readonly attributes: ReadonlyMap<string, Attribute>;
  /** The schema-level `indexes` of the file, created under their own names. */
  readonly indexes: readonly DeclaredIndex[];
  /** The schema as its file has it, for those who ask what was declared. */
  readonly declared: Readonly<Record<string, unknown>>;
}

export interface DeclaredIndex {
  readonly name: string;
  readonly columns: readonly string[];
  readonly type: string | undefined;
}

export interface ContentType extends ModelBase {
  readonly modelType: 'contentType';
  readonly kind: 'collectionType' | 'singleType';
  readonly pluralName: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  /**
   * True for types of the project (`src/api`), which get content routes. Built-in types (files, users, locales,
   * tokens) are in the Catalog so that relations and queries can reach them.
   */
  readonly routed: boolean;
  /** Whether it is one that every project has: files, accounts and the like. */
  readonly builtIn: boolean;
  /** Whether callers may ask who made and changed its documents: `options.populateCreatorFields`. */
  readonly showsCreators?: boolean;
  /** The schema keeps it from editors: `pluginOptions.content-manager.visible` is false. */
  readonly unlisted?: boolean;
  /** Names that are private, system fields among them, beside attributes that say so themselves. */
  readonly hidden: readonly string[];
}

export interface Component extends ModelBase {
  readonly modelType: 'component';
  readonly category: string;
}

export type Model = ContentType | Component;

export interface Catalog {
  readonly contentTypes: ReadonlyMap<string, ContentType>;
  readonly components: ReadonlyMap<string, Component>;
}

export const FILE_UID = 'plugin::upload.file';
export const FOLDER_UID = 'plugin::upload.folder';
export const USER_UID = 'plugin::users-permissions.user';
export const ROLE_UID = 'plugin::users-permissions.role';
export const PERMISSION_UID = 'plugin::users-permissions.permission';
export const LOCALE_UID = 'plugin::i18n.locale';
export const ADMIN_USER_UID = 'admin::user';

/** When a version was first published, where a project asks for it (docs/reference/schemas.md, "First publication"). */
export const FIRST_PUBLISHED = 'firstPublishedAt';

/** Names that every content type has, of the administrators who made a row and who changed it last. */
export const CREATORS: readonly string[] = ['createdBy', 'updatedBy'];

const creator = (name: string): RelationAttribute => ({
  type: 'relation',
  name,
  required: false,
  private: true,
  localized: true,
  relation: 'manyToOne',
  target: ADMIN_USER_UID,
  inverse: undefined,
  namesInverse: false,
  owner: true,
  morphBy: undefined,
  useJoinTable: false,
});
const creators = new Map(CREATORS.map((name) => [name, creator(name)]));

/**
 * What a name of a model stands for: an attribute of the schema, or the relation to the administrators who wrote a row,
 * which no schema mentions.
 */
export function attributeOf(model: Model, name: string): Attribute | undefined {
  return model.attributes.get(name) ?? (model.modelType === 'contentType' ? creators.get(name) : undefined);
}

/** Whether callers may be told who made and changed the documents of a model. */
export const tellsCreators = (model: Model): boolean =>
  model.modelType === 'contentType' && model.showsCreators === true;

/** Whether a name of a model is one of `CREATORS`, and no attribute of its schema. */
export const isCreator = (model: Model, name: string): boolean => !model.attributes.has(name) && creators.has(name);

/** The content type or component of a uid. Throws when the Catalog has none: a programming error, not bad input. */
export function modelOf(catalog: Catalog, uid: string): Model {
  const model = catalog.contentTypes.get(uid) ?? catalog.components.get(uid);
  if (!model) throw new Error(`the catalog has no ${uid}`);
  return model;
}

/** Types of readable columns: those of attributes, and the row id. */
export type FieldType = ScalarType | 'id';

/** Text types compare without case where an operator asks for it, and are searched by `_q`. */
export const TEXT_TYPES: ReadonlySet<string> = new Set(['string', 'text', 'richtext', 'email', 'uid', 'enumeration']);
/** Types whose digits are searched by a `_q` that is a number. */
export const NUMBER_TYPES: ReadonlySet<string> = new Set(['integer', 'biginteger', 'float', 'decimal']);

/** True for an attribute with a column of its own. */
export function isScalar(attribute: Attribute): attribute is ScalarAttribute {
  return (
    attribute.type !== 'relation' &&
    attribute.type !== 'media' &&
    attribute.type !== 'component' &&
    attribute.type !== 'dynamiczone'
  );
}

/** True for an attribute that leads to more than one type: zones and relations to any type. */
export function isPolymorphic(attribute: Attribute): boolean {
  if (attribute.type === 'dynamiczone') return true;
  return attribute.type === 'relation' && attribute.target === undefined;
}

/** True for a name that leads to a list of other rows, rather than to one. */
export function isToMany(model: Model, name: string): boolean {
  const attribute = attributeOf(model, name);
  switch (attribute?.type) {
    case undefined:
      return true; // localizations
    case 'media':
      return attribute.multiple;
    case 'component':
      return attribute.repeatable;
    case 'relation':
      return /Many$/.test(attribute.relation);
    default:
      return true;
  }
}
